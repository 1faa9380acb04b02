"""Start: a receipt becomes a server that has answered, and its end leaves nothing behind."""

from bakeoff.start.client import GRACE_S, Keeper, attach
from bakeoff.start.freezer import Freezer
from bakeoff.start.listeners import endpoint
