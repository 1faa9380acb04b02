"""The machine of a simulated race: its speed over time, and when the host takes a core away."""

from math import exp, expm1, sqrt

import numpy as np

from bakeoff.model.readings import CoreTime
from bakeoff.model.simulation import Conditions

TICK_S = 0.01
"""/proc/stat counts in these."""


class Weather:
    """A clock that runs through one race. Times in s since the race began.

    ln speed is an Ornstein–Uhlenbeck process, AR(1) at any distance: after h seconds it keeps
    exp(−h/τ) of its value (Gillespie, Physical Review E 54, 1996, eq. 1.9).
    Bursts of steal come at random (Poisson), and last an exponentially distributed time.
    """

    def __init__(self, conditions: Conditions, rng: np.random.Generator) -> None:
        self.now_s = 0.0
        self._given, self._rng = conditions, rng
        self._ln_speed = rng.normal(0, conditions.drift_sd)
        self._stolen_s = [0.0, 0.0]

    def pass_by(self, seconds: float) -> float:
        """Advance the clock. Returns the seconds that a burst of steal took from either core."""
        self.now_s += seconds
        kept = exp(-seconds / self._given.drift_s)
        fresh = self._given.drift_sd * sqrt(-expm1(-2 * seconds / self._given.drift_s))
        self._ln_speed = kept * self._ln_speed + fresh * self._rng.standard_normal()
        bursts = self._rng.poisson(self._given.steals_per_s * seconds)
        if not bursts:
            return 0.0
        stolen_s = min(seconds, self._rng.gamma(bursts, self._given.steal_ms / 1000))
        self._stolen_s[self._rng.integers(2)] += stolen_s
        return float(stolen_s)

    @property
    def ln_speed(self) -> float:
        """How fast the machine is at this moment, in ln, about 0."""
        return float(self._ln_speed)

    def cores(self) -> tuple[CoreTime, ...]:
        """/proc/stat's account of both cores, in whole ticks."""
        return tuple(_core(cpu, self.now_s, stolen) for cpu, stolen in enumerate(self._stolen_s))


def _core(cpu: int, now_s: float, stolen_s: float) -> CoreTime:
    steal_s = int(stolen_s / TICK_S) * TICK_S
    return CoreTime.model_construct(
        cpu=cpu,
        user_s=max(0.0, int(now_s / TICK_S) * TICK_S - steal_s),
        system_s=0.0,
        softirq_s=0.0,
        steal_s=steal_s,
        idle_s=0.0,
    )
