"""Running a load tool against one URL, whichever tool it is."""

import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bakeoff.load.engine import engine_path
from bakeoff.load.links import original
from bakeoff.load.tools import ab, hey, oha, process, volley, webbench, wrk, wrk2
from bakeoff.load.tools.asked import Asked
from bakeoff.load.tools.output import Unreadable, telling_line
from bakeoff.load.tools.process import Ended
from bakeoff.model.errors import MissingPiece
from bakeoff.model.load import Loader, LoadResult

# Beyond the run itself: connecting, the last answers, and sorting out what was measured.
GRACE_S = 60.0
# A run of so many requests ends when they are made: no server that is measured answers fewer.
SLOWEST_PER_S = 200.0


@dataclass(frozen=True)
class Ran:
    """One run. `output` is the standard output and then the standard error, whole.

    Without a `result` there is a `failure`, in words.
    """

    command: tuple[str, ...]
    output: str
    result: LoadResult | None
    failure: str


@dataclass(frozen=True)
class _Tool:
    """How one loader is asked and read; `statuses` None: its exit status says nothing.

    `step_us` is the distance between two latencies that it prints, about the one that is given.
    """

    program: str
    words: Callable[[Asked], tuple[str, ...]]
    parse: Callable[[str, Asked], LoadResult]
    statuses: tuple[int, ...] | None = (0,)
    install: str = ""
    step_us: Callable[[float], float] = lambda _: 0.0


def _stand_in(words: Callable[[Asked], tuple[str, ...]]) -> _Tool:
    """Our engine in place of a program that takes `words`."""
    return _Tool("volley", lambda asked: volley.in_place_of(words(asked)), volley.parse)


_TOOLS: dict[Loader, _Tool] = {
    # Status 1: not a single answer was right, which is a result.
    "engine": _Tool("volley", volley.words, volley.parse, statuses=(0, 1)),
    "volley-ab": _stand_in(ab.words),
    "volley-wrk": _stand_in(wrk.words),
    "volley-wrk2": _stand_in(wrk2.words),
    "volley-webbench": _stand_in(webbench.words),
    "ab": _Tool(
        "ab",
        ab.words,
        ab.parse,
        install="apt-get install apache2-utils",
        step_us=lambda _: ab.STEP_US,
    ),
    "wrk": _Tool("wrk", wrk.words, wrk.parse, install="apt-get install wrk", step_us=wrk.step_us),
    "wrk2": _Tool(
        "wrk2",
        wrk2.words,
        wrk2.parse,
        install="Debian has no package of it; build wrk2 and put it on PATH by that name",
        step_us=wrk.step_us,
    ),
    "oha": _Tool("oha", oha.words, oha.parse, install="cargo install --locked oha"),
    "hey": _Tool(
        "hey",
        hey.words,
        hey.parse,
        install="apt-get install hey",
        step_us=lambda _: hey.STEP_US,
    ),
    # webbench ends with its last client's count for a status.
    "webbench": _Tool(
        "webbench",
        webbench.words,
        webbench.parse,
        statuses=None,
        install="Debian has no package of it; build webbench 1.5 and put it on PATH",
    ),
}


def command(loader: Loader, asked: Asked) -> tuple[str, ...]:
    """The arguments, as a user would type them. Raises `BadUsage` for what the tool can't do."""
    return _TOOLS[loader].words(asked)


def step_us(loader: Loader, latency_us: float) -> float:
    """The distance between two latencies that the tool prints, about `latency_us`; 0: none."""
    return _TOOLS[loader].step_us(latency_us)


def missing(loader: Loader) -> str | None:
    """Why the tool can't be run here, and how to get it; None where it can."""
    try:
        _path(loader)
    except MissingPiece as error:
        return str(error)
    return None


def run(loader: Loader, asked: Asked) -> Ran:
    """Run the tool to its end. Raises `BadUsage` for what it can't do."""
    tool, words = _TOOLS[loader], command(loader, asked)
    limit_s = time_limit_s(asked)
    try:
        ended = process.run(
            words,
            _path(loader),
            cpus=asked.cpus,
            connections=asked.connections,
            timeout_s=limit_s,
        )
    except MissingPiece as error:
        return Ran(words, "", None, str(error))
    except (OSError, subprocess.SubprocessError) as error:
        return Ran(words, "", None, _unstartable(tool, asked, error))
    output = ended.stdout + ended.stderr
    if failure := _how_it_failed(tool, ended, limit_s):
        return Ran(words, output, None, failure)
    try:
        return Ran(words, output, tool.parse(output, asked), "")
    except Unreadable as error:
        return Ran(words, output, None, str(error))


def time_limit_s(asked: Asked) -> float:
    """How long the run may take before it is ended."""
    if asked.requests is not None:
        return GRACE_S + asked.requests / SLOWEST_PER_S
    return GRACE_S + (asked.whole_seconds or 0)


def _path(loader: Loader) -> Path:
    tool = _TOOLS[loader]
    if tool.program == "volley":
        return engine_path()
    found = original(tool.program)
    if found is None:
        raise MissingPiece(f"{tool.program} is not installed: {tool.install}")
    return found


def _how_it_failed(tool: _Tool, ended: Ended, limit_s: float) -> str:
    """Empty where the program came to its own end, and that was a good one."""
    said = telling_line(ended.stderr) or telling_line(ended.stdout)
    because = f": {said}" if said else ""
    if ended.status is None:
        return f"{tool.program} did not end within {limit_s:g} s, and was ended{because}"
    if ended.status < 0:
        return f"{tool.program} was ended by {_signal(-ended.status)}{because}"
    if tool.statuses is not None and ended.status not in tool.statuses:
        return f"{tool.program} ended with status {ended.status}{because}"
    return ""


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _unstartable(tool: _Tool, asked: Asked, error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{tool.program} can't be started: {error.strerror}"
    cores = ", ".join(map(str, asked.cpus))
    return f"{tool.program} can't be started on core{'s' * (len(asked.cpus) > 1)} {cores}"
