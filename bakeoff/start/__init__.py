"""Start: a receipt becomes a server that has answered, and nothing of it is left behind."""

from bakeoff.start.attach import attach
from bakeoff.start.client import Keeper
from bakeoff.start.sweep import sweep

__all__ = ["Keeper", "attach", "sweep"]
