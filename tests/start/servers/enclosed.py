"""As a container's tool does: it waits, and the server has left its group, session and parent.

The third argument is the group's `cgroup.procs`.
"""

import os
import sys
import time
from pathlib import Path

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        Path(sys.argv[3]).write_text(str(os.getpid()))
        good = str(Path(__file__).parent / "good.py")
        os.execve(sys.executable, [sys.executable, "-I", "-S", good, *sys.argv[1:3]], {})
    os._exit(0)
time.sleep(600)
