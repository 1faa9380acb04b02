"""The load generators, each on its core, and what a run of one costs."""

from __future__ import annotations

import math
import os
import re
import shlex
import subprocess
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import readings

ENGINE = Path(__file__).resolve().parent.parent
RELEASE = Path(os.environ.get("CARGO_TARGET_DIR", ENGINE / "target")) / "release"
BUILD = ENGINE.parent / "build"
CORE = 1
BODY = "Hello, World!"
# Of the same length at each address.
REQUEST = "GET / HTTP/1.1\r\nHost: null\r\n\r\n"
PIPELINED = ("--pipeline", "16", "--header", "Host: null")

# volley, bare and pingpong load for so long before they count.
WARM_UP_S = 0.2


@dataclass(frozen=True)
class Generator:
    """A program that loads a server."""

    name: str
    # With blanks: {address}, its {port}, {connections}, {seconds} and {rate}.
    command: tuple[str, ...]
    read: Callable[[str], readings.Reading]
    warm_up_s: float = 0
    # What has to be there, where it is not the command's first word.
    needs: str = ""

    @property
    def program(self) -> str:
        return self.needs or self.command[0]

    def shown(self) -> str:
        """The program, without a path of this machine."""
        program = Path(self.command[0])
        return str(program) if program.is_relative_to(ENGINE.parent) else program.name

    def line(self, address: str, connections: int, seconds: int, rate: int = 0) -> list[str]:
        """What is run; `rate` is for those that keep one."""
        blanks: dict[str, str | int] = {"address": address, "port": address.rpartition(":")[2]}
        blanks |= {"connections": connections, "seconds": seconds, "rate": rate}
        return ["taskset", "-c", str(CORE), *(word.format(**blanks) for word in self.command)]

    def run(self, address: str, connections: int, seconds: int, rate: int = 0) -> dict[str, float]:
        """Loads a server once. CPU time is what the system counted for the process, of all."""
        output, cpu_s, peak_kib = finished(self.line(address, connections, seconds, rate), seconds)
        reading = self.read(output)
        if not reading.requests:
            waited = f"on {connections} connections within {seconds} s"
            raise Failed(f"{self.name} got no answer {waited}")
        # The CPU time covers the warm-up as well, at the same rate.
        requests = reading.requests * (1 + self.warm_up_s / seconds)
        cpu_us = cpu_s / requests * 1e6
        # Of those that never poll, all CPU time is work.
        figures = {"work_us_per_request": cpu_us, **reading.figures, "cpu_us_per_request": cpu_us}
        figures |= {"kib_per_connection": peak_kib / connections, "peak_mib": peak_kib / 1024}
        return figures | {"requests_per_cpu_s": 1e6 / figures["work_us_per_request"]}


class Failed(Exception):
    """A generator that ended with an error; `str()` says which, and what it said."""


def finished(command: list[str], seconds: float) -> tuple[str, float, float]:
    """Its standard output, the CPU seconds that it used in all, and its memory in KiB.

    That is the most that it had shortly before its end: what the system counts of a process that
    has ended includes ours, from before it became another program. Raises `Failed`.
    """
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peaks: list[float] = []
    look = threading.Timer(0.9 * seconds, lambda: peaks.append(peak_kib(child.pid)))
    look.start()
    assert child.stdout is not None
    with child.stdout as stream:
        output = stream.read()
    look.cancel()
    look.join()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise Failed(f"{shlex.join(command)} ended with status {child.returncode}:\n{output}")
    return output, usage.ru_utime + usage.ru_stime, peaks[0] if peaks else math.nan


def peak_kib(pid: int) -> float:
    """The most memory that a process had so far; not a number where it has ended."""
    found = re.search(r"^VmHWM:\s*(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.M)
    return float(found[1]) if found else math.nan


def words(line: str) -> tuple[str, ...]:
    return tuple(line.split())


_WRK_TO = "wrk -t1 --latency -c {connections} -d {seconds}s"
_H2LOAD = "h2load -t1 -c {connections} -D {seconds}"

# All checks and histograms are on.
_VOLLEY = (
    str(RELEASE / "volley"),
    *words("load --json -c {connections} -d {seconds}s --expect-status 200"),
    *("--cpus", str(CORE), "--expect-body", BODY, "http://{address}/"),
)


def volleys(before: Sequence[Path], *options: str, length: int = 0) -> tuple[Generator, ...]:
    """This volley, and other builds of it, each by the name of its file.

    `length`: of the answers, where they are large.
    """
    command = _of_length(length) if length else _VOLLEY
    now = Generator("volley", (*command, *options), readings.volley, WARM_UP_S)
    others = (
        replace(now, name=path.stem, command=(str(path), *now.command[1:])) for path in before
    )
    return now, *others


VOLLEY = Generator("volley", _VOLLEY, readings.volley, WARM_UP_S)
VOLLEY_EPOLL = Generator("volley-epoll", (*_VOLLEY, "--io", "epoll"), readings.volley, WARM_UP_S)
VOLLEY_10K = Generator("volley", (*_VOLLEY, "--rate", "10000"), readings.volley, WARM_UP_S)
VOLLEY_1K = Generator("volley", (*_VOLLEY, "--rate", "1000"), readings.volley, WARM_UP_S)
VOLLEY_AT_RATE = Generator(
    "volley", (*_VOLLEY, "--rate", "{rate}"), readings.volley_tail, WARM_UP_S
)
VOLLEY_CLOSE = Generator("volley", (*_VOLLEY, "--close"), readings.volley_failures, WARM_UP_S)
VOLLEY_CLOSING = replace(VOLLEY_CLOSE, read=readings.volley)
# Eight requests drawn at random, figures of each, next to one fixed request.
_MIX = ("--request-file", str(Path(__file__).parent / "mix.toml"))
VOLLEY_MIX = Generator("volley", (*_VOLLEY, *_MIX), readings.volley, WARM_UP_S)
VOLLEY_ONE = replace(VOLLEY, name="one request")


def oha(*options: str) -> Generator:
    """oha, on one thread."""
    return Generator(
        "oha",
        (
            str(BUILD / "tools" / "bin" / "oha"),
            *words("--no-tui --output-format json --worker-threads 1 -c {connections}"),
            *("-z", "{seconds}s", *options),
        ),
        readings.oha,
    )


def in_protocol(protocol: str, streams: int) -> tuple[Generator, ...]:
    """volley and its peers, in one protocol, with so many requests at a time on each connection.

    The server's certificate is made anew each time: nobody looks at it.
    """
    scheme = "https" if protocol in ("h1-tls", "h2", "h3") else "http"
    url = f"{scheme}://{{address}}/"
    more = ["--insecure"] if scheme == "https" else []
    peers: tuple[Generator, ...]
    if protocol.startswith("h1"):
        peers = (
            Generator("h2load", words(f"{_H2LOAD} --h1 {url}"), readings.h2load),
            Generator("wrk", words(f"{_WRK_TO} {url}"), readings.wrk),
            oha(*more, url),
        )
    else:
        peers = (
            Generator("h2load", words(f"{_H2LOAD} -m {streams} {url}"), readings.h2load),
            oha("--http2", "-p", str(streams), *more, url),
        )
        more += ["--streams", str(streams)]
    command = (*_VOLLEY[:-1], "--protocol", protocol, *more, url)
    return Generator("volley", command, readings.volley, WARM_UP_S), *peers


def h3_beside_h2(*options: str) -> tuple[Generator, ...]:
    """volley in HTTP/3, and in HTTP/2 over TLS, with one request at a time on each connection."""
    (over_quic, *_), (over_tls, *_) = in_protocol("h3", 1), in_protocol("h2", 1)
    return tuple(
        replace(each, command=(*each.command[:-1], *options, each.command[-1]))
        for each in (over_quic, replace(over_tls, name="volley-h2"))
    )


def before_in_protocol(
    before: Sequence[Path], protocol: str, streams: int
) -> tuple[Generator, ...]:
    """This volley, and other builds of it, each by the name of its file."""
    now, *_ = in_protocol(protocol, streams)
    others = (
        replace(now, name=path.stem, command=(str(path), *now.command[1:])) for path in before
    )
    return now, *others


def at_rate(generator: Generator, rate: int) -> Generator:
    """A volley that sends so many requests a second, and tells of its tail."""
    command = (*generator.command[:-1], "--rate", str(rate), generator.command[-1])
    return replace(generator, command=command, read=readings.volley_tail)


HANDSHAKES = (
    Generator(
        "volley",
        (*_VOLLEY[:-1], "--close", "--insecure", "https://{address}/"),
        readings.volley,
        WARM_UP_S,
    ),
    oha("--disable-keepalive", "--insecure", "https://{address}/"),
)
BARE = Generator(
    "bare",
    (
        str(RELEASE / "bare"),
        *words("--connections {connections} --seconds {seconds} --cpu"),
        *(str(CORE), "{address}"),
    ),
    readings.bare,
    WARM_UP_S,
)
BARE_CLOSING = replace(BARE, command=(*BARE.command, "--close"))
BARE_PIPELINED = replace(BARE, command=(*BARE.command, "--pipeline", "16"))
VOLLEY_PIPELINED = replace(VOLLEY, command=(*VOLLEY.command, *PIPELINED))


def _of_length(length: int) -> tuple[str, ...]:
    return (*_VOLLEY[:-3], "--expect-length", str(length), f"http://{{address}}/{length}")


def of_size(length: int) -> tuple[Generator, ...]:
    """Those that ask for so many bytes at a time."""
    checked = _of_length(length)
    url, path = checked[-1], f"/{length}"
    return (
        replace(VOLLEY, command=checked),
        replace(VOLLEY_EPOLL, command=(*checked, "--io", "epoll")),
        replace(BARE, command=(*BARE.command, "--path", path)),
        Generator("wrk", words(f"{_WRK_TO} {url}"), readings.wrk),
    )


PINGPONG_1K = Generator(
    "pingpong",
    (str(RELEASE / "pingpong"), *words("--rate 1000 --seconds {seconds} {address}")),
    readings.pingpong,
    WARM_UP_S,
)
_WRK = words(f"{_WRK_TO} http://{{address}}/")
WRK = Generator("wrk", _WRK, readings.wrk)
VOLLEY_WRK = Generator("volley", (str(RELEASE / "volley"), *_WRK, "--quiet-advice"), readings.wrk)

WRK_CLOSING = Generator("wrk", (*_WRK, "-H", "Connection: close"), readings.wrk)
WRK_PIPELINED = Generator(
    "wrk", (*_WRK, "-s", str(Path(__file__).parent / "pipelined.lua")), readings.wrk
)

# A request with a path and a header of its own, each time.
_SCRIPT = ("-s", str(ENGINE.parent / "tests" / "personality" / "scripts" / "counter.lua"))
WRK_SCRIPT = Generator("wrk", (*_WRK, *_SCRIPT), readings.wrk)
VOLLEY_WRK_SCRIPT = Generator("volley", (*VOLLEY_WRK.command, *_SCRIPT), readings.wrk)

# It throws away what it measured in its first ten seconds.
WRK2 = Generator(
    "wrk2",
    words("wrk2 -t1 --latency -c {connections} -d {seconds}s -R {rate} http://{address}/"),
    readings.wrk2,
)

# -t sets -n to 50000, which a later one replaces.
_AB = words("ab -q -t {seconds} -n 1000000 -c {connections} http://{address}/")
AB = Generator("ab", _AB, readings.ab)
VOLLEY_AB = Generator("volley", (str(RELEASE / "volley"), *_AB, "--quiet-advice"), readings.ab)
H2LOAD = Generator(
    "h2load",
    words(f"{_H2LOAD} --h1 http://{{address}}/"),
    readings.h2load,
)
OHA = oha("http://{address}/")
