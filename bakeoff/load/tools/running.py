"""Running a load tool against one URL, whichever tool it is."""

import resource
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import bakeoff.command
from bakeoff.command import Ended
from bakeoff.installation import engine_path, shipped
from bakeoff.load.engine import original
from bakeoff.load.tools import ab, h2load, hey, oha, quic_go_load, volley, webbench, wrk
from bakeoff.load.tools.output import Unreadable, telling_line
from bakeoff.load.tools.spec import LoadSpec
from bakeoff.model.errors import MissingPiece
from bakeoff.model.load import Loader, LoadResult

# Time beyond the run itself: connecting, the last answers, and calculating the figures.
GRACE_S = 60.0
# A run of a number of requests ends when they are made: no measured server answers fewer.
SLOWEST_PER_S = 200.0
# Files that a load tool has open besides its connections.
OWN_FILES = 64


@dataclass(frozen=True)
class LoadRun:
    """One run. `output` is the whole standard output, then the whole standard error.

    Without a `result`, `failure` says why. The load took `took_s`, its start included, and worked
    for the share `busy` of its cores' time.
    """

    command: tuple[str, ...]
    output: str
    result: LoadResult | None
    failure: str
    took_s: float | None = None
    busy: float | None = None


@dataclass(frozen=True)
class _Tool:
    """How one loader is called and read; `statuses` None: its exit status means nothing.

    `step_us` is the distance between two printed latencies, about the given one. `waited_s` is how
    long it only waited for its end, by its output.
    """

    program: str
    arguments: Callable[[LoadSpec], tuple[str, ...]]
    parse: Callable[[str, LoadSpec], LoadResult]
    install: str = ""
    step_us: Callable[[float], float] = lambda _: 0.0
    statuses: tuple[int, ...] | None = (0,)
    waited_s: Callable[[str, LoadSpec], float] = lambda _output, _spec: 0.0


def _stand_in(arguments: Callable[[LoadSpec], tuple[str, ...]]) -> _Tool:
    """Our engine in place of the program that takes `arguments`."""
    return _Tool("volley", lambda spec: volley.in_place_of(arguments(spec)), volley.parse)


_NO_PACKAGE = "Debian has no package of it; build {} and put it on PATH"
_TOOLS: dict[Loader, _Tool] = {
    # Status 1: not a single answer was right, which is a result.
    "engine": _Tool("volley", volley.arguments, volley.parse, statuses=(0, 1)),
    "volley-ab": _stand_in(ab.arguments),
    "volley-wrk": _stand_in(wrk.arguments),
    "volley-wrk2": _stand_in(wrk.wrk2_arguments),
    "volley-webbench": _stand_in(webbench.arguments),
    "ab": _Tool(
        "ab", ab.arguments, ab.parse, "apt-get install apache2-utils", lambda _: ab.STEP_US
    ),
    "wrk": _Tool("wrk", wrk.arguments, wrk.parse, "apt-get install wrk", wrk.step_us),
    "wrk2": _Tool(
        "wrk2",
        wrk.wrk2_arguments,
        wrk.parse_wrk2,
        _NO_PACKAGE.format("wrk2") + " by that name",
        wrk.step_us,
    ),
    "oha": _Tool(
        "oha",
        oha.arguments,
        oha.parse,
        "cargo install --locked oha, for HTTP/3 with --features http3",
        waited_s=oha.waited_s,
    ),
    "hey": _Tool("hey", hey.arguments, hey.parse, "apt-get install hey", lambda _: hey.STEP_US),
    "h2load": _Tool(
        "h2load", h2load.arguments, h2load.parse, "apt-get install nghttp2-client", h2load.step_us
    ),
    "quic-go-load": _Tool(
        "quic-go-load",
        quic_go_load.arguments,
        quic_go_load.parse,
        f"go build -C {shipped('catalogue/clients/quic-go-load')} -o ~/.local/bin/ .",
    ),
    # webbench's status is its last client's count.
    "webbench": _Tool(
        "webbench",
        webbench.arguments,
        webbench.parse,
        _NO_PACKAGE.format("webbench 1.5"),
        statuses=None,
    ),
}


def command(loader: Loader, spec: LoadSpec) -> tuple[str, ...]:
    """The arguments, as a user would type them. Raises `BadUsage` if the tool can't make this
    load."""
    return _TOOLS[loader].arguments(spec)


def step_us(loader: Loader, latency_us: float) -> float:
    """The distance between two latencies that the tool prints, about `latency_us`; 0: none."""
    return _TOOLS[loader].step_us(latency_us)


def missing(loader: Loader) -> str | None:
    """Why the tool can't be run here, and how to get it; None if it can."""
    try:
        _path(loader)
    except MissingPiece as error:
        return str(error)
    return None


def run(loader: Loader, spec: LoadSpec) -> LoadRun:
    tool, argv = _TOOLS[loader], command(loader, spec)
    limit_s = time_limit_s(spec)
    began_s, used_s = time.monotonic(), _children_s()
    try:
        ended = bakeoff.command.run(
            argv,
            program=_path(loader),
            cpus=spec.cpus,
            open_files=spec.connections + OWN_FILES,
            timeout_s=limit_s,
        )
    except MissingPiece as error:
        return LoadRun(argv, "", None, str(error))
    except OSError as error:
        return LoadRun(argv, "", None, f"{tool.program} can't be started: {error.strerror}")
    except subprocess.SubprocessError:
        cores = f"core{'s' * (len(spec.cpus) > 1)} {', '.join(map(str, spec.cpus))}"
        return LoadRun(argv, "", None, f"{tool.program} can't be started on {cores}")
    took_s, used_s = time.monotonic() - began_s, _children_s() - used_s
    output = ended.stdout + ended.stderr
    if failure := _failure(tool, ended, limit_s):
        return LoadRun(argv, output, None, failure)
    try:
        result = tool.parse(output, spec)
        took_s -= tool.waited_s(output, spec)
    except Unreadable as error:
        return LoadRun(argv, output, None, str(error))
    # The engine polls before it sleeps, which is CPU time, but not work: it knows how busy it was.
    if result.client:
        busy = result.client.busy
    else:
        busy = used_s / took_s / (len(spec.cpus) or spec.threads)
    return LoadRun(argv, output, result, "", took_s, busy)


def _children_s() -> float:
    """The CPU time of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def time_limit_s(spec: LoadSpec) -> float:
    """How long the run may take before it is ended."""
    if spec.requests is not None:
        return GRACE_S + spec.requests / SLOWEST_PER_S
    return GRACE_S + (spec.whole_seconds or 0)


def _path(loader: Loader) -> Path:
    tool = _TOOLS[loader]
    if tool.program == "volley":
        return engine_path()
    path = original(tool.program)
    if path is None:
        raise MissingPiece(f"{tool.program} is not installed: {tool.install}")
    return path


def _failure(tool: _Tool, ended: Ended, limit_s: float) -> str:
    """How it failed; empty: it ended by itself with a good status."""
    line = telling_line(ended.stderr) or telling_line(ended.stdout)
    because = f": {line}" if line else ""
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
