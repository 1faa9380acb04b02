"""Answers, and has a worker that leaves session, group and parent: a double fork with setsid.

With `bare` as third argument the worker drops its environment too.
"""

import os
import runpy
import sys
from pathlib import Path

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execve("/bin/sleep", ["sleep", "600"], {} if "bare" in sys.argv else dict(os.environ))
    os._exit(0)
runpy.run_path(str(Path(__file__).parent / "good.py"))
