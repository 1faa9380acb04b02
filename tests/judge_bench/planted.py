"""brick-yardstick with a planted cost, and how much that is: the truth that verdicts are held to.

The cost is loops of arithmetic, and not nanoseconds: a loop that watches a clock would be shorter,
relative to the rest, whenever the machine is slow. A loop waits for the one before it and touches
no memory, so it takes so many cycles of its core and nothing else.

How long a loop takes is timed without our engine: a plain HTTP client sends the server single
requests of millions of loops, and the kernel says what CPU time they took (schedstat, in ns). It is
timed alone, and with the generator's core at work: on two threads of one core, that counts. What a
request of the base costs is the kernel's account of the server's CPU time in the race itself
(cgroup), since it changes with the machine from race to race, while a loop's does not. Both are
trimmed means, as the verdict's ratio is. A server that is the limit answers one request per cost of
a request, so with x more loops of t its throughput is, of the base's c,

    c / (c + x·t)

No throughput of our engine is in it. Until 2026-11-22 it was: the base and copies of up to 2.6
times its time were raced once, and t/c of that hour, as a ratio of whole throughputs, was taken for
the truth of all others.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

import numpy as np

from bakeoff.judge.spread import trimmed_mean
from bakeoff.model.base import Contract
from tests.brick.conftest import BUILD, running

SERVER = "brick-yardstick"
BASE_LOOPS = 8000
"""Some 10 µs: with them the server and not the generator is the limit."""
USUAL_US = 17.5
"""What a request of the base took on the machine of the first record; only to choose how many
loops are planted, never for the truth."""
TIMED_LOOPS = (2_000_000, 42_000_000)
TIMINGS = 12


class Timing(Contract):
    """ns for a loop, the other core idle and at work: trimmed means of `n` timings, and their
    standard errors."""

    alone_ns: float
    alone_error_ns: float
    beside_ns: float
    beside_error_ns: float
    n: int


class Truth(Contract):
    """ns for a loop, alone and beside work on the generator's core, over all timings, and the
    spread of the timings about these, as a share."""

    alone_ns: float
    beside_ns: float
    error: float
    timings: int

    def loop_ns(self, beside: float) -> float:
        """Where the other core is at work for a share `beside` of the time."""
        return self.alone_ns + beside * (self.beside_ns - self.alone_ns)

    def loops(self, effect: float, request_us: float) -> int:
        """How many more loops make a request of `request_us` take longer by a share `effect`."""
        return round(effect * request_us * 1000 / self.alone_ns)

    def ratio(self, extra_loops: int, request_us: float, beside: float) -> float:
        """The throughput with so many more loops, over that of the base."""
        return 1 / (1 + extra_loops * self.loop_ns(beside) / (request_us * 1000))

    def ratio_error(self, extra_loops: int, request_us: float, beside: float) -> float:
        """The standard error of `ratio` from the timings."""
        ratio = self.ratio(extra_loops, request_us, beside)
        return ratio * (1 - ratio) * self.error


def fetch(into: Path) -> None:
    """Link the server there, so that its command is the same on every machine."""
    if not (BUILD / SERVER).exists():
        sys.exit(f"{SERVER} is missing; run: make build/brick/{SERVER}")
    into.mkdir(parents=True, exist_ok=True)
    (into / SERVER).unlink(missing_ok=True)
    (into / SERVER).symlink_to(BUILD / SERVER)


def command(extra_loops: int = 0) -> str:
    """The contender, as it is typed in the folder where it was fetched to."""
    return f"./{SERVER} --host {{host}} --port {{port}} --loops {BASE_LOOPS + extra_loops}"


def timing(server_cpu: int, generator_cpu: int) -> Timing:
    """Time a loop on the server's core."""
    alone = _loop_ns(server_cpu)
    with _at_work(generator_cpu):
        beside = _loop_ns(server_cpu)
    return Timing(
        alone_ns=trimmed_mean(np.array(alone)),
        alone_error_ns=float(np.std(alone, ddof=1) / np.sqrt(len(alone))),
        beside_ns=trimmed_mean(np.array(beside)),
        beside_error_ns=float(np.std(beside, ddof=1) / np.sqrt(len(beside))),
        n=len(alone),
    )


def truth(timings: list[Timing]) -> Truth:
    """What the timings, one at least, say together."""
    alone = np.array([each.alone_ns for each in timings])
    error = timings[0].alone_error_ns / timings[0].alone_ns
    if len(timings) > 1:
        error = float(alone.std(ddof=1) / alone.mean() / np.sqrt(len(alone)))
    return Truth(
        alone_ns=float(alone.mean()),
        beside_ns=float(np.mean([each.beside_ns for each in timings])),
        error=error,
        timings=len(timings),
    )


def slope_ns(few_ns: float, many_ns: float) -> float:
    """ns for a loop, from the CPU time of requests of `TIMED_LOOPS`: what is not loops cancels."""
    few, many = TIMED_LOOPS
    return (many_ns - few_ns) / (many - few)


def _loop_ns(cpu: int) -> list[float]:
    """Timings on one core, few and many loops in turn."""
    with _timed(TIMED_LOOPS[0], cpu) as few, _timed(TIMED_LOOPS[1], cpu) as many:
        return [slope_ns(next(few), next(many)) for _ in range(TIMINGS)]


@contextmanager
def _timed(loops: int, cpu: int) -> Iterator[Iterator[float]]:
    """CPU times of single requests of so many loops, ns."""

    def pin() -> None:
        os.sched_setaffinity(0, {cpu})

    words: list[str | Path] = [BUILD / SERVER, "--port", "0", "--loops", str(loops)]
    with running(words, pin) as server:

        def requests() -> Iterator[float]:
            while True:
                before = _cpu_ns(server.pid)
                connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
                connection.request("GET", "/")
                connection.getresponse().read()
                connection.close()
                yield _cpu_ns(server.pid) - before

        yield requests()


def _cpu_ns(pid: int) -> int:
    """CPU time of all threads of a process, as the kernel's scheduler counts it."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks)


@contextmanager
def _at_work(cpu: int) -> Iterator[None]:
    """A core that is busy: system calls and arithmetic, as a load generator has them."""
    program = f"import os\nos.sched_setaffinity(0, {{{cpu}}})\nwhile 1: os.getppid()"
    busy = subprocess.Popen([sys.executable, "-c", program])
    try:
        yield
    finally:
        busy.kill()
        busy.wait()
