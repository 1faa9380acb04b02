"""Real servers that fail at a moment of a run: the reason that is true, and the rest goes on.

All kinds, moments and failures are crossed in tests/runs/test_failures.py, without processes.
"""

import shlex
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from bakeoff.model.errors import Status
from tests.e2e.conftest import Place

pytestmark = pytest.mark.e2e
SERVER = Path(__file__).parents[1] / "misbehaving" / "server.py"
RACE = "race -d 3 -c 8 --warm-up 1s"
CAPACITY = "capacity --slo p99=50ms -c 8 --boots 1"
OUT, NOTHING, DONE = Status.CONTENDER_OUT, Status.NO_VERDICT, Status.DONE


class Cell(NamedTuple):
    """A run of `bad` beside `others` well-behaved servers, and what comes of it."""

    command: str
    fault: str
    others: int
    status: Status
    says: str


# Of slices as long as those of a rate and of solo rounds, 3 s have too few to compare the others.
CELLS = {
    "exits at its start": Cell(RACE, "exits --status 5 --at-start", 1, NOTHING, "status 5"),
    "is killed while it is warmed up": Cell(
        RACE, "is_killed --after-requests 2000", 1, NOTHING, "signal SIGKILL after 1,9"
    ),
    "exits, and two go on": Cell(
        RACE, "exits --status 7 --after-requests 2000", 2, OUT, "exited with status 7 after 1,9"
    ),
    "hangs, and two go on": Cell(RACE, "hangs --after-requests 3000", 2, OUT, "answer"),
}
EVERY_THIRD = Cell(
    f"{CAPACITY} -d 14", "exits --at-start --only-process 3,6,9,12,15", 0, DONE, "holds p99"
)
MORE = {
    "refuses": Cell(RACE, "refuses --after-requests 2000", 2, OUT, "connect refused"),
    "resets": Cell(RACE, "resets --after-requests 2000", 2, OUT, "reset"),
    "answers garbage": Cell(RACE, "garbage --after-requests 2000", 2, OUT, "malformed"),
    "answers with 500": Cell(
        RACE, "wrong --status 500 --after-requests 2000", 2, OUT, "status 500"
    ),
    "stops reading": Cell(RACE, "stops_reading --after-requests 2000", 2, OUT, "answer"),
    "listens elsewhere": Cell(RACE, "listens_elsewhere --when-ready", 2, OUT, "it listens on"),
    "forks away": Cell(RACE, "forks_away --when-ready", 2, OUT, "must stay in the foreground"),
    "runs out of memory": Cell(
        RACE, "no_memory --after-requests 2000", 2, OUT, "exited with status 1 after 1,9"
    ),
    "hangs at its start": Cell(
        f"{RACE} --ready-timeout 3", "hangs --at-start", 2, OUT, "not ready within 3 s"
    ),
    "new processes fail": Cell(
        RACE, "exits --status 7 --at-start --every-process-from 4", 2, OUT, "did not come up"
    ),
    "ignores SIGTERM": Cell(RACE, "ignores_sigterm --at-start", 1, DONE, "SIGTERM"),
    "solo": Cell(
        f"{RACE} --solo", "exits --status 7 --after-requests 2000", 2, NOTHING, "status 7"
    ),
    "a rate": Cell(f"{RACE} --rate 500", "hangs --after-requests 1500", 2, NOTHING, "answer"),
    "a grid": Cell(f"{RACE} -c 1,8", "exits --status 7 --after-requests 2000", 2, OUT, "status 7"),
    "a capacity that can't start": Cell(CAPACITY, "exits --at-start", 1, NOTHING, "bad: exited"),
    "a capacity that ends": Cell(
        CAPACITY, "exits --status 7 --after-requests 30000", 2, OUT, "status 7"
    ),
    "draws": Cell(
        "draws --quick -d 2 -c 8 --processes 2",
        "exits --status 7 --after-requests 2000",
        1,
        OUT,
        "status 7",
    ),
    "an audit": Cell(
        "contenders --audit -c 8", "exits --status 7 --after-requests 2000", 1, OUT, "status 7"
    ),
    "a day": Cell(
        "day -d 100s -c 8", "exits --status 7 --after-requests 9000", 1, DONE, "status 7"
    ),
}


def ended(place: Place, cell: Cell) -> None:
    server = f"{shlex.quote(sys.executable)} {shlex.quote(str(SERVER))}"
    operands = [f"good{n}={server}" for n in range(cell.others)]
    state = place.path / "state"
    operands.append(f"bad={server} {cell.fault} --state {shlex.quote(str(state))}")
    name, *options = cell.command.split()
    done = place.bakeoff(name, *operands, *options, timeout_s=400)
    said = done.err + done.out
    assert "/bakeoff/" not in said, "a traceback of ours"
    assert done.status == cell.status, said
    assert cell.says in " ".join(said.split()), said
    assert "the run ended before its turn" not in said, said


@pytest.mark.parametrize("name", CELLS)
def test_a_server_that_fails(place: Place, name: str) -> None:
    ended(place, CELLS[name])


@pytest.mark.alone
def test_a_search_whose_every_third_process_fails_finds_a_capacity(place: Place) -> None:
    """Beside other tests no rate may hold the objective."""
    ended(place, EVERY_THIRD)


@pytest.mark.slow
@pytest.mark.parametrize("name", MORE)
def test_more_servers_that_fail(place: Place, name: str) -> None:
    ended(place, MORE[name])
