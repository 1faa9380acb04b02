"""Load tools that print what they measured, and our engine as one of them."""

from bakeoff.load.tools.asked import Asked
from bakeoff.load.tools.running import Ran, command, missing, run, step_us

__all__ = ["Asked", "Ran", "command", "missing", "run", "step_us"]
