"""Load: the engine `volley`, driven line by line, several engines as one, and load tools."""

from bakeoff.load.engine import Engine, link, shadowed
from bakeoff.load.forwarder import Forwarder
from bakeoff.load.job import CONNECT_TIMEOUT_MS, REQUEST_TIMEOUT_MS, job
from bakeoff.load.several import Generator, Loader, Loaders, Several, local
from bakeoff.load.slow_clients import SlowClients
from bakeoff.load.tools import LoadRun, LoadSpec, command, missing, run, step_us
