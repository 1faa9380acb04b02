"""Ignores SIGTERM, with a child that does so too."""

import os
import runpy
import signal
from pathlib import Path

signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork():
    runpy.run_path(str(Path(__file__).parent / "good.py"))
signal.pause()
