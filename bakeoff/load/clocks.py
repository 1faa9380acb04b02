"""The clock of another machine: its distance from ours, with an error, and whether it jumped.

An exchange is that of NTP (RFC 5905, section 8) with one reading on the other machine: it lies
somewhere between our question and its answer, however different the two ways are. So the offset is
known to half the round trip, and the shortest of several round trips is the most exact. The clocks
are monotonic ones, which are never set. They differ by the starts of their machines, run at
slightly different speeds, and jump when a machine is suspended or moved.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

ROUNDS = 8
DRIFT_MAX = 100e-6
"""Two crystals at room temperature are within 50 ppm each."""
SLEW_MAX = 500e-6
"""Time daemons change the speed of a clock by at most this much; a faster change is a jump."""

Clock = Callable[[], int]
"""Reads one clock, ns."""


@dataclass(frozen=True)
class Offset:
    """The other clock less ours was `offset_ns`, within `error_ns`, at `at_ns` of ours.

    `consistent` is False if the exchanges behind it contradict each other: a clock jumped between
    them.
    """

    offset_ns: int
    error_ns: int
    at_ns: int
    consistent: bool = True

    @property
    def round_trip_ns(self) -> int:
        return 2 * self.error_ns

    def error_at_ns(self, at_ns: int) -> int:
        """Its error at another moment of ours: in between, the clocks may have drifted apart."""
        return self.error_ns + round(DRIFT_MAX * abs(at_ns - self.at_ns))


def compare_clocks(ask: Clock, rounds: int = ROUNDS, now_ns: Clock = time.monotonic_ns) -> Offset:
    """The offset of the clock that `ask` reads, by the best of at least one round trip."""
    exchanges = [exchange(ask, now_ns) for _ in range(max(1, rounds))]
    best = min(exchanges, key=lambda each: each.error_ns)
    consistent = not any(jumped(best, each) for each in exchanges)
    return Offset(best.offset_ns, best.error_ns, best.at_ns, consistent)


def exchange(ask: Clock, now_ns: Clock = time.monotonic_ns) -> Offset:
    asked_ns = now_ns()
    there_ns = ask()
    answered_ns = now_ns()
    # Rounded up, so that the true offset lies within the error.
    error_ns = (answered_ns - asked_ns + 1) // 2
    at_ns = asked_ns + error_ns
    return Offset(there_ns - at_ns, error_ns, at_ns)


def jumped(earlier: Offset, later: Offset) -> bool:
    """Whether one of the clocks jumped: the two offsets are further apart than errors and any speed
    of a clock explain."""
    passed_ns = later.at_ns - earlier.at_ns
    most_ns = earlier.error_ns + later.error_ns + SLEW_MAX * abs(passed_ns)
    return not later.consistent or abs(later.offset_ns - earlier.offset_ns) > most_ns


class RemoteClock:
    """Another machine's clock, compared with ours now and again; `jumps` counts its jumps."""

    EVERY_NS = 2_000_000_000

    def __init__(self, ask: Clock, now_ns: Clock = time.monotonic_ns) -> None:
        self._ask, self._now_ns = ask, now_ns
        self.jumps = 0
        self.last = self._compared()

    def look(self) -> bool:
        """Compare again if the last time was long ago; returns whether the clock has jumped
        since."""
        if self._now_ns() - self.last.at_ns < self.EVERY_NS:
            return False
        before, self.last = self.last, self._compared()
        has_jumped = jumped(before, self.last)
        self.jumps += has_jumped
        return has_jumped

    def there_ns(self, at_ns: int) -> int:
        """Its time at a moment of ours."""
        return at_ns + self.last.offset_ns

    def error_ns(self) -> int:
        """How far off that may be by now."""
        return self.last.error_at_ns(self._now_ns())

    def _compared(self) -> Offset:
        return compare_clocks(self._ask, now_ns=self._now_ns)
