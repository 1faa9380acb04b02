"""What a case has to end with, as far as that is certain: statuses, times, words."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from tests.soak.cases import GATE_FAILS, Case, Server

DONE, GATE_FAILED, BAD_USAGE, NO_VERDICT, CONTENDER_OUT, INTERRUPTED = 0, 1, 2, 3, 4, 130
EARLY_REQUESTS = 100
"""So many are asked of each process before a slice is measured: a warm-up takes a second."""
EARLY_S = 0.3
FATAL = {
    *("exits", "is_killed", "hangs", "refuses", "resets", "garbage", "stops_reading"),
    *("no_memory", "listens_elsewhere"),
}
"""Whatever the moment, nobody is answered afterwards."""
FATAL_FROM_THE_START = {"no_descriptors", "forks_away"}
"""Who is connected already is answered."""
HARMLESS = {"ignores_sigterm", "floods_log"}
BEFORE_IT_ANSWERS = ("--at-start", "--before-listening", "--when-ready")
RACES = {
    *("race", "solo", "rate", "load", "close", "grid", "pipeline", "protocol", "boots", "confirm"),
    *("precision", "gate", "post", "mix"),
}
"""These compare; one of a pair has nothing to be compared with."""
TOO_LITTLE = "too little was measured to compare"
NOT_ALL = "per second that it was offered"
"""In an open loop, of a healthy server: the machine was busy with others' work."""
"""In 6 s of a busy machine there may be fewer blocks than a ratio takes."""
Fate = Literal["fine", "out", "unsure"]

# What is announced is for measuring; Python starts, and pictures are drawn, besides.
ALLOWANCE_S = 20.0
UNANNOUNCED_S = {"capacity": 150.0, "contenders": 45.0, "draws": 60.0}
"""Our own bound where a command announces none, besides starts."""
REPORT_WITHIN_S = 60.0
TWICE = 2.0

_ANNOUNCED = re.compile(r"about .+? besides builds, (.+?) at most")
_IN_ALL = re.compile(r"([\d.]+) s in all besides builds and starts")
_PART = re.compile(r"(\d+) (min|s|h)\b")
_SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0}


def fate(server: Server, struck: bool) -> Fate:
    """What becomes of a contender. `struck`: a process of it has written that its fault struck."""
    fault = server.fault
    if fault is None or not struck or fault.at == "--when-asked-to-stop" or fault.name in HARMLESS:
        return "fine"
    starts = fault.at in BEFORE_IT_ANSWERS
    if fault.name == "wrong" and fault.status is None and starts:
        return "fine"  # Nobody said which body is right, and it is always the same one.
    early = {"--after-requests": EARLY_REQUESTS, "--after-seconds": EARLY_S}
    before = starts or fault.figure <= early[fault.at]
    fatal = (
        fault.name in FATAL
        or (fault.name == "wrong" and fault.status is not None)
        or (fault.name in FATAL_FROM_THE_START and starts)
    )
    in_all = fault.processes in ((), ("--every-process-from", "1"))
    return "out" if before and fatal and in_all else "unsure"


def statuses(case: Case, struck: Collection[str], said: str = "") -> set[int]:
    """The exit statuses that are right. `struck` names those whose faults struck."""
    fates = [fate(server, server.name in struck) for server in case.servers]
    if case.kind == "gate":
        fails = any(f">= {GATE_FAILS:g} *" in word for word in case.words)
        return {GATE_FAILED} if fails else {DONE}
    if "unsure" in fates:
        return {DONE, NO_VERDICT, CONTENDER_OUT}
    short = case.kind in RACES and TOO_LITTLE in " ".join(said.split())
    too_short = {NO_VERDICT} if short else set[int]()
    left = fates.count("fine")
    if left == len(fates):
        # A host that stands still lets the time of a search or a day run out.
        late = {CONTENDER_OUT} if "ended early: " in said else set[int]()
        behind = {NO_VERDICT, CONTENDER_OUT} if NOT_ALL in " ".join(said.split()) else set[int]()
        return {DONE} | too_short | late | behind
    if left == 0 or (left == 1 and case.kind in RACES):
        return {NO_VERDICT}
    # A capacity, a day or an audit says something of a server that is alone.
    return {CONTENDER_OUT} | too_short if left > 1 else {CONTENDER_OUT, NO_VERDICT}


def seconds(text: str) -> float:
    """The seconds in `2 min 20 s`."""
    return sum(int(count) * _SECONDS[unit] for count, unit in _PART.findall(text))


def announced_s(said: str) -> float | None:
    """The time after which a run ends, as its output announces it; None: it doesn't."""
    if found := _ANNOUNCED.search(said):
        return seconds(found[1])
    return None


def bound_s(case: Case, said: str) -> float:
    """When a run must have ended: as announced, or by our own bound; with the allowance."""
    if announced := announced_s(said):
        return announced + ALLOWANCE_S
    bound = UNANNOUNCED_S.get(case.command, ALLOWANCE_S)
    if found := _IN_ALL.search(said):
        bound += TWICE * float(found[1])
    return bound + ALLOWANCE_S + 2 * len(case.servers) * case.ready_timeout_s


# What no output of a product may have in it, whatever happened.
# A server's own traceback, at the end of its log, may be shown.
_OUR_FRAME = re.compile(r'File "(?![^"]*/server\.py")[^"]*/(?:bakeoff|site-packages)/[^"]*", line')
_NEVER = {
    "a traceback": _OUR_FRAME,
    "an AssertionError": re.compile(r"\bAssertionError\b"),
    "an empty reason": re.compile(
        r"(?:is out|attempt said|no verdict|ended early):\s*$", re.M | re.I
    ),
    "None in place of a value": re.compile(r"(?<![\w-])None(?! of\b)(?![\w-])"),
    "nan in place of a figure": re.compile(r"(?<![\w-])nan(?![\w-])"),
    "a count of nothing": re.compile(r"(?<![\w.,])0 of 0\b"),
    "an object of Python": re.compile(r"\b(?:bytearray|PosixPath)\(|<class '|<[\w.]+ object at 0x"),
}
NOT_BEFORE_ITS_TURN = "the run ended before its turn"


def blemishes(said: str) -> Iterator[str]:
    """What must not be in the output of a command."""
    for name, pattern in _NEVER.items():
        if found := pattern.search(said):
            yield f"its output has {name}: {_line_of(said, found.start())}"


def _line_of(text: str, place: int) -> str:
    start = text.rfind("\n", 0, place) + 1
    return text[start:].partition("\n")[0].strip()[:200]


def reason_pattern(server: Server) -> str:
    """What the reason of one that is out has to say: the fact, where it can be seen."""
    fault = server.fault
    assert fault
    starts = fault.at in BEFORE_IT_ANSWERS
    if fault.name == "exits":
        return f"exited with status {fault.status}"
    if fault.name == "is_killed":
        return f"killed by signal SIG{fault.signal}"
    if fault.name == "no_memory":
        return "exited with status 1"
    if fault.name == "forks_away":
        return "exited with status 0"
    if fault.name == "listens_elsewhere" and starts:
        return "it listens on"
    if fault.name == "wrong":
        return str(fault.status)
    return r"\w"


def unnamed(case: Case, struck: Collection[str], said: str) -> Iterator[str]:
    """Contenders that are out for certain without their reason in the output."""
    for server in case.servers:
        if fate(server, server.name in struck) == "out":
            pattern = reason_pattern(server)
            if not re.search(rf"\b{server.name}\b", said):
                yield f"the output doesn't name {server.name}, which is out"
            elif not re.search(pattern, re.sub(r"\s+", " ", said)):
                yield f"the output doesn't say of {server.name}: {pattern}"
            for line in said.splitlines():
                if NOT_BEFORE_ITS_TURN in line and server.name in line:
                    yield f"it says of {server.name}, which struck: {NOT_BEFORE_ITS_TURN}"


def unexplained(case: Case, struck: Collection[str], result: Path, status: int) -> Iterator[str]:
    """What is wrong with the JSON result."""
    if not result.exists() or not result.stat().st_size:
        if status in (DONE, GATE_FAILED, CONTENDER_OUT):
            yield "there is no JSON result"
        return
    try:
        value = json.loads(result.read_text())
    except ValueError as error:
        yield f"the JSON result can't be read: {error}"
        return
    explained = dict(reasons(value))
    for name, reason in explained.items():
        if not reason:
            yield f"the JSON result has an empty reason for {name}"
    for server in case.servers:
        if fate(server, server.name in struck) == "out" and server.name not in explained:
            yield f"the JSON result has no reason for {server.name}"


def reasons(value: Any) -> Iterator[tuple[str, str]]:
    """Names with their reasons, from anywhere in a result."""
    if isinstance(value, Mapping):
        name = value.get("name")
        if isinstance(name, str):
            if "reason" in value:
                yield name, str(value["reason"] or "")
            elif value.get("reasons"):
                yield name, json.dumps(value["reasons"])
        if isinstance(skipped := value.get("skipped"), str):
            # The cell of a grid without a verdict: a line for each that is out.
            yield from re.findall(r"^ *([\w.-]+): (.+)", skipped, re.M)
        for part in value.values():
            yield from reasons(part)
    elif isinstance(value, list):
        for part in value:
            yield from reasons(part)
