"""The nine scripts that wrk ships, written anew: they do the same with wrk and with ours."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.personality.comparison import Case, Seen, observe
from tests.personality.programs import Program, ours, real
from tests.personality.server import Answer, ordinary

SCRIPTS = Path(__file__).parent / "scripts"
TOKEN: Answer = ordinary(b"hi", "200 OK", "X-Token: secret")


def test_there_are_nine() -> None:
    names = sorted(path.stem for path in SCRIPTS.glob("*.lua"))
    assert " ".join(names) == "addr auth counter delay pipeline post report setup stop"


@pytest.mark.parametrize("script", sorted(SCRIPTS.glob("*.lua")), ids=lambda path: path.stem)
def test_does_the_same(script: Path, tmp_path: Path) -> None:
    line = f"wrk -t2 -c4 -d1 -s {script.name} http://@/"
    case = Case(line, answer=TOKEN, exact=False, files={script.name: script.read_text()})

    def seen(which: str, program: Program) -> tuple[object, ...]:
        return _without_numbers(observe(program, case, tmp_path / which, None))

    with ThreadPoolExecutor(2) as pool:
        theirs, own = pool.map(seen, ("real", "ours"), (real("wrk"), ours("wrk")))
    assert own == theirs


def _without_numbers(seen: Seen) -> tuple[object, ...]:
    """What scripts print and ask for counts requests: how many there are is a matter of speed."""
    out = [
        line if line.startswith(("  ", "Running")) else _nines(line)
        for line in seen.out
        # With stop.lua a run may end before there is a sample.
        if not line.startswith("    Req/Sec")
    ]
    return seen.status, out, seen.err, {_nines(str(each)) for each in seen.requests}


def _nines(text: str) -> str:
    return re.sub(r"\d+", "9", text)
