"""A small race for the tests of sudden death: starts contenders, says so, and waits.

`python -m` would need the project's folder; the tests give it as the first argument.
Arguments: project, folder, kinds of control groups, number of contenders, server.
"""

import sys
import time
from pathlib import Path

if __name__ == "__main__":
    project, folder, kinds, count, server = sys.argv[1:]
    sys.path[:0] = [project, str(Path(project) / "tests")]

    from bakeoff.start import Keeper
    from start.conftest import command, entry, starter

    keeper = Keeper(Path(folder) / "scratch", tuple(filter(None, kinds.split(","))))
    print(keeper.pid, flush=True)
    start = starter(keeper, Path(folder))
    for number in range(int(count)):
        print(start(entry(command(server), name=f"it-{number}")).port, flush=True)
    print("up", flush=True)
    time.sleep(60)
