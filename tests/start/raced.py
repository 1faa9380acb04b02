"""A small race for the tests of sudden death: starts contenders, says so, and waits.

Arguments: folder, kinds of control groups, number of contenders, server.
"""

import sys
import time
from pathlib import Path

from bakeoff.start import Keeper

from .conftest import command, entry, starter

if __name__ == "__main__":
    folder, kinds, count, server = sys.argv[1:]
    keeper = Keeper(Path(folder) / "scratch", tuple(filter(None, kinds.split(","))))
    print(keeper.pid, flush=True)
    start = starter(keeper, Path(folder))
    for number in range(int(count)):
        print(start(entry(command(server), name=f"it-{number}")).port, flush=True)
    print("up", flush=True)
    time.sleep(60)
