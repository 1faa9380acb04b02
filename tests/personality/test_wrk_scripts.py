"""wrk's Lua: what hooks are given, what they may do, and how their errors end a run."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.personality.comparison import Case, Seen, assert_same, observe, table
from tests.personality.programs import Program, ours, real
from tests.personality.server import Answer, always, ordinary

TWENTY = """
local answers = 0
function response(status, headers, body)
  answers = answers + 1
  if answers == 20 then wrk.thread:stop() end
end
"""
ANSWERS: dict[str, Answer] = {
    "what response is given": always(
        b"HTTP/1.1 200 OK\r\nx-low: 1\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nEmpty:\r\n"
        b"Spaces:   a b  \r\nContent-Length: 2\r\n\r\nhi"
    ),
    "a big body": ordinary(b"x" * 200_000),
    "a chunked body": always(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"
    ),
    "statistics of nothing": always(),
}


def probes() -> list[Case]:
    text = (Path(__file__).parent / "probes.lua").read_text()
    return [_case(section) for section in re.split(r"^--- ", text, flags=re.MULTILINE)[1:]]


def _case(section: str) -> Case:
    head, _, script = section.partition("\n")
    name, twenty, more = head.partition(" +twenty")
    return Case(
        f"wrk -t1 -c1 -d1 -s it.lua http://@/ {more}",
        name,
        ANSWERS.get(name, ordinary()),
        exact=not name.startswith("!"),
        prints=not name.startswith("!!"),
        files={"it.lua": script + (TWENTY if twenty else "")},
    )


@table(probes())
def test_scripts(case: Case, tmp_path: Path) -> None:
    assert_same(case, tmp_path)


# The nine scripts that wrk ships, written anew.
SCRIPTS = Path(__file__).parent / "scripts"
TOKEN: Answer = ordinary(b"hi", "200 OK", "X-Token: secret")


def test_wrk_ships_nine() -> None:
    names = sorted(path.stem for path in SCRIPTS.glob("*.lua"))
    assert " ".join(names) == "addr auth counter delay pipeline post report setup stop"


@pytest.mark.parametrize("script", sorted(SCRIPTS.glob("*.lua")), ids=lambda path: path.stem)
def test_a_script_that_wrk_ships(script: Path, tmp_path: Path) -> None:
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
    return seen.status, out, seen.err, {_nines(str(request)) for request in seen.requests}


def _nines(text: str) -> str:
    return re.sub(r"\d+", "9", text)
