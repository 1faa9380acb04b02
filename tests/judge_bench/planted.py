"""brick-yardstick with a planted cost, and how much that is: the truth that verdicts are held to.

The cost is loops of arithmetic, and not nanoseconds: a loop that watches a clock would be shorter,
relative to the rest, whenever the machine is slow.

The time of a request is c + k·loops at saturation, c for everything but the loops. A difference of
1 % can't be timed to 1 % of itself, but one of 100 % can: so copies with the base's loops, and with
such as make a request take about 1.5 and 2 times as long, are raced together, and the slope k over
the base's time follows from the total throughputs of the first and the last. Since a round of the
loop costs the same however many there are, x extra loops then make the throughput
1/(1 + x·k/(c + k·base)). That uses neither the judge's estimator nor any of the races it is to be
judged by. The middle copy checks that the line is straight; several calibrations, their spread.
"""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from pydantic import TypeAdapter

from bakeoff.model.verdict import Verdict, VerdictEntry
from tests.judge_bench.live import add, race

SERVER = "brick-yardstick"
BUILD = Path(__file__).parents[2] / "build" / "brick"
BASE_LOOPS = 8000
"""Some 10 µs: with them the server and not the generator is the limit."""
STEEP_LOOPS = (BASE_LOOPS, 20_000, 32_000)
CALIBRATIONS = 4
BOOTS = 3


@dataclass(frozen=True)
class Calibration:
    """Total throughputs with `STEEP_LOOPS`, requests per second, and CPU times per request."""

    requests_per_s: tuple[float, float, float]
    server_us: tuple[float, float, float]

    @property
    def per_loop(self) -> float:
        """What one more loop adds to the base's time, as a share of it."""
        base, _, most = self.requests_per_s
        return (base / most - 1) / (STEEP_LOOPS[2] - STEEP_LOOPS[0])

    @property
    def per_loop_by_cpu(self) -> float:
        """The same, by the kernel's account of CPU time: another instrument, as a check."""
        base, _, most = self.server_us
        return (most / base - 1) / (STEEP_LOOPS[2] - STEEP_LOOPS[0])

    @property
    def bend(self) -> float:
        """The middle copy's time over what the straight line says, less 1."""
        base, middle, _ = self.requests_per_s
        return base / middle / (1 + self.per_loop * (STEEP_LOOPS[1] - STEEP_LOOPS[0])) - 1


_CALIBRATION = TypeAdapter(Calibration)


@dataclass(frozen=True)
class Truth:
    """The mean of the calibrations, and the standard error of it, as shares per loop."""

    per_loop: float
    standard_error: float
    per_loop_by_cpu: float
    bend: float
    calibrations: int

    def loops(self, effect: float) -> int:
        """How many extra loops make a request take longer by a share `effect`."""
        return round(effect / self.per_loop)

    def ratio(self, extra_loops: int) -> float:
        """The throughput with so many more loops over the base's."""
        return 1 / (1 + self.per_loop * extra_loops)

    def ratio_error(self, extra_loops: int) -> float:
        """The standard error of `ratio`."""
        return self.ratio(extra_loops) ** 2 * extra_loops * self.standard_error


def fetch(into: Path) -> None:
    """Links the server there, so that its command is the same on every machine."""
    if not (BUILD / SERVER).exists():
        sys.exit(f"{SERVER} is missing; run: make build/brick/{SERVER}")
    into.mkdir(parents=True, exist_ok=True)
    (into / SERVER).unlink(missing_ok=True)
    (into / SERVER).symlink_to(BUILD / SERVER)


def command(extra_loops: int = 0) -> str:
    """The contender, as it is typed in the folder where it was fetched to."""
    return f"./{SERVER} --port {{port}} --loops {BASE_LOOPS + extra_loops}"


def calibrate(path: Path, duration_s: float) -> None:
    """Adds one calibration to those in `path`, beside the server."""
    words = [command(loops - BASE_LOOPS) for loops in STEEP_LOOPS]
    add(path, asdict(calibration(race(words, duration_s, BOOTS, path.parent), words)))


def calibration(verdict: Verdict, words: list[str]) -> Calibration:
    """The figures of the contenders, in the order of the `words` they were called by."""
    found = {each.title: each for each in verdict.entries}
    for each in verdict.entries:
        if not each.valid:
            sys.exit(f"the calibration doesn't count: {each.title}: {'; '.join(each.reasons)}")
    base, middle, most = (found[word] for word in words)
    return Calibration(
        (base.requests_per_s, middle.requests_per_s, most.requests_per_s),
        (_server_us(base), _server_us(middle), _server_us(most)),
    )


def _server_us(entry: VerdictEntry) -> float:
    return entry.cpu_us_per_request.server or 0.0


def truth(path: Path) -> Truth:
    """What the calibrations in `path`, two at least, say together."""
    found = [_CALIBRATION.validate_json(line) for line in _lines(path)]
    slopes = np.array([each.per_loop for each in found])
    return Truth(
        per_loop=float(slopes.mean()),
        standard_error=float(slopes.std(ddof=1) / np.sqrt(len(slopes))),
        per_loop_by_cpu=float(np.mean([each.per_loop_by_cpu for each in found])),
        bend=float(np.mean([each.bend for each in found])),
        calibrations=len(found),
    )


def done(path: Path) -> int:
    """How many calibrations there are."""
    return len(_lines(path))


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []
