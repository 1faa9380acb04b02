"""Holds contenders against the table and writes what each does otherwise as a document.

    python -m tests.brick.compare [--out docs/conformance.md]

The runner comes from `make brick`, what contenders need from `bakeoff setup`. Only what the
catalogue's contenders serve is compared: whether a request is refused or taken, how often
it is answered, and whether the connection lives on. Bodies and fields are the brick's own matter.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bakeoff.build import build, out_folder
from bakeoff.model.errors import BakeoffError
from bakeoff.model.plan import Cores, Entry
from bakeoff.plan import Catalogue, ResolvedContender, resolve_contenders
from bakeoff.start import Keeper
from bakeoff.verify import answers
from tests.brick.conftest import BUILD, ROOT

RUNNER = BUILD / "brick-conformance"
# Not always the same: what an ended connection is told is a race in haproxy and hyper, and whether
# haproxy 2.6 minds some trailers differs from start to start.
STARTS = 8
NAMES = ("nginx", "haproxy", "node-http", "hyper")
# Cases about the contenders' own paths, or about limits that each server may set for itself.
LEFT_OUT = (
    *("9110-9.", "9110-15.5.", "9110-5.4-", "9110-14.", "9110-12.", "9110-13."),
    *("9112-3-long-method", "9112-3-longer-method", "9112-3-endless-method"),
)
OWN_PATHS = ("/stream", "/upload", "/big", "/hello/", "/no-content", "/not-modified", "/Empty")

Result = dict[str, Any]
Results = dict[str, list[Result]]  # By the case's id: one for each start.


def started_and_held(named: ResolvedContender, keeper: Keeper, log: Path) -> dict[str, Result]:
    """What the contender did after one start. Raises `ContenderOut`."""
    assert named.contender and named.folder
    entry = Entry(
        name=named.name,
        title=named.name,
        origin=named.origin,
        contender=named.contender,
        folder=str(named.folder),
        path="/",
    )
    server = keeper.start(
        entry,
        out=out_folder(named.folder),
        workers=1,
        cores=Cores(server=(0,), client=(0,)),
        host="127.0.0.1",
        log=log,
        answers=answers,
    )
    found = held(server.port)
    keeper.stop(named.name)
    return found


def held(port: int) -> dict[str, Result]:
    """What the server on this port did, by the case's id."""
    ran = subprocess.run(
        [RUNNER, f"127.0.0.1:{port}", "--ways", "whole", "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode > 1:
        raise SystemExit(ran.stderr)
    return {case["id"]: case for case in json.loads(ran.stdout)["cases"]}


def compared() -> set[str]:
    """Ids of the cases that ask nothing that only the conformance server has."""
    listed = subprocess.run([RUNNER, "--list"], capture_output=True, text=True, check=True)
    return {
        case["id"]
        for case in json.loads(listed.stdout)["cases"]
        if not case["id"].startswith(LEFT_OUT)
        and not any(path in case["bytes"] for path in OWN_PATHS)
    }


def kind(status: int) -> str:
    if status < 200:
        return "100"
    return "takes" if status < 400 or status in (404, 405) else "refuses"


def same(expected: Result, got: Result) -> bool:
    """The same answers in kind. A refusal without an answer is one, too."""
    if expected["statuses"] and got["end"] != "open":
        silent = [kind(status) for status in expected["statuses"]][-1] == "refuses"
        if silent and got["statuses"] == expected["statuses"][:-1]:
            return True
    kinds = [kind(status) for status in got["statuses"]]
    wanted = [kind(status) for status in expected["statuses"]]
    if not wanted and kinds == ["refuses"]:
        return True  # A message that breaks off may be refused.
    return kinds == wanted and (got["end"] == "open") == (expected["end"] == "open")


def in_words(got: Result) -> str:
    """Its answers, and what became of the connection."""
    statuses = [str(status) for status in got["statuses"]]
    end = {"open": "stays open", "closed": "closes", "reset": "resets"}[got["end"]]
    if not statuses:
        return "waits" if got["end"] == "open" else f"{end} silently"
    if len(statuses) > 4:
        statuses = [*statuses[:2], "…", f"({len(statuses)} answers)"]
    return f"{' '.join(statuses)}, {end}"


def ways(cases: list[Result]) -> str:
    """What one server did with a case, in all ways that were seen."""
    return " or ".join(
        sorted(
            {"=" if same(one["expected"], one["got"]) else in_words(one["got"]) for one in cases}
        )
    )


def group(cases: list[Result]) -> str:
    """Which part of the document a case belongs to, by what all servers did with it."""
    expected = cases[0]["expected"]["statuses"]
    refusal = bool(expected) and kind(expected[-1]) == "refuses"
    differing = [one["got"] for one in cases if not same(one["expected"], one["got"])]
    if refusal and any(
        [kind(s) for s in one["statuses"]][: len(expected)].count("takes")
        > [kind(s) for s in expected].count("takes")
        for one in differing
    ):
        return "Accepted by some, refused by the brick"
    if refusal:
        return "Refused in another way"
    return "Served by the brick, and otherwise by some"


WHY = {
    "Accepted by some, refused by the brick": (
        "A request that two servers read differently is how requests are smuggled, so the brick"
        " takes nothing that RFC 9112 doesn't let a sender send. Where the RFC says that a"
        " recipient"
        " *may* bear something (a bare LF, white space instead of one space), the brick"
        " doesn't: a server"
        " in front of it may not bear it, or may bear it differently. What it does bear has"
        " no effect on where a message ends: one empty line before a request, empty elements"
        " of lists,"
        " white space around a chunk's extension. A target of http always has a host, so that none"
        " is served without one, whether Host is empty or only a port."
    ),
    "Refused in another way": (
        "The request is refused by all, or not answered; what becomes of the connection, or of the"
        " answers before it, differs. The brick answers what was whole before, says why it refuses,"
        " and closes: behind a framing that is in doubt nobody knows where the next request begins."
    ),
    "Served by the brick, and otherwise by some": (
        "Requests that the RFC allows. A difference here is a server's own choice (to close, to"
        " serve a method everywhere, to send 100 to who sent the body already), not always a fault."
    ),
}


def document(results: dict[str, Results], versions: dict[str, str]) -> str:
    names = list(results)
    wanted = compared()
    ids = [id for id in next(iter(results.values())) if id in wanted]
    groups: dict[str, list[str]] = defaultdict(list)
    for id in ids:
        cells = [ways(results[name][id]) for name in names]
        if set(cells) == {"="}:
            continue
        cases = [one for name in names for one in results[name][id]]
        row = [f"`{id}`", cases[0]["why"], in_words(cases[0]["expected"]), *cells]
        groups[group(cases)].append(
            "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
        )
    lines = [
        "# Where servers differ from the brick's table of conformance",
        "",
        f"Written by `.venv/bin/python -m tests.brick.compare --out docs/conformance.md` on"
        f" {datetime.now(UTC):%Y-%m-%d}, after `make brick` and `bakeoff setup {' '.join(names)}`:"
        " don't edit it.",
        "",
        *(f"- {name}: {versions[name]}" for name in names),
        "",
        f"{len(ids)} of the table's {len(next(iter(results.values())))} cases are compared: those"
        " about how requests are read and framed. Left out are those about paths that only the"
        " conformance server has, methods, and limits that are each server's own. Servers run as"
        f" their contender.toml says, and each is started {STARTS} times: where it does now this,"
        " now that, `or` stands between them. Every case is sent whole. A request that is answered"
        " with 2xx, 404 or 405 was taken; one with another status of 4xx or 5xx, or a connection"
        " that is closed without an answer, was refused. `=` is as the brick's table expects. nginx"
        " and haproxy,"
        " as they are configured here, answer from the head: of a body that they find wrong they"
        " only say so by closing, so that `404, closes` in section 7.1 is a refusal, too.",
        "",
        "| differing cases | " + " | ".join(names) + " |",
        "|---|" + "---|" * len(names),
    ]
    for title, rows in groups.items():
        counts = [
            str(sum(row.split(" | ")[3 + at].removesuffix(" |") != "=" for row in rows))
            for at in range(len(names))
        ]
        lines.append(f"| {title} | " + " | ".join(counts) + " |")
    for title in WHY:
        lines += ["", f"## {title}", "", WHY[title], ""]
        lines.append(
            "| case | what is sent, and why it is so | brick | " + " | ".join(names) + " |"
        )
        lines += ["|---|---|---|" + "---|" * len(names), *groups[title]]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Starts each contender, holds it against the table and writes the document."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, help="the document; the terminal if not given")
    asked = parser.parse_args()
    if not RUNNER.exists():
        raise SystemExit(f"{RUNNER.relative_to(ROOT)} is missing; `make brick` builds it")
    results: dict[str, Results] = {}
    versions: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder, Keeper(Path(folder) / "scratch") as keeper:
        for named in resolve_contenders(NAMES, Catalogue.shipped(), ROOT):
            assert named.contender and named.folder
            log = Path(folder) / f"{named.name}.log"
            try:
                versions[named.name] = build(named.contender, named.folder).version
                starts = [started_and_held(named, keeper, log) for _ in range(STARTS)]
            except BakeoffError as error:
                raise SystemExit(f"{named.name}: {error}") from error
            results[named.name] = {id: [start[id] for start in starts] for id in starts[0]}
    text = document(results, versions)
    if asked.out:
        asked.out.write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
