"""Goes into the background, as daemons of old did."""

import os
import runpy
from pathlib import Path

if os.fork():
    os._exit(0)
os.setsid()
runpy.run_path(str(Path(__file__).parent / "good.py"))
