"""engine/bench is a folder of scripts, not a package: its modules are found by their folder."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "engine" / "bench"))
