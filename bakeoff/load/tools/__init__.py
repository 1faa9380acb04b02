"""Load tools that print measurements, and our engine as one of them."""

from bakeoff.load.tools.running import LoadRun, command, missing, run, step_us
from bakeoff.load.tools.spec import LoadSpec
