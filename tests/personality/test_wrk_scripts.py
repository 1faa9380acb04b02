"""wrk's Lua: what hooks are given, what they may do, and how their errors end a run."""

import re
from pathlib import Path

from tests.personality.comparison import Case, assert_same, table
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
    """The scripts of probes.lua."""
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
