"""The machine of a simulated race, with its weather, and a server as a queue.

N connections in a closed loop share one worker, first come, first served. Each connection sends a
request as soon as it has a response, so all N are always at the server: its worker is never idle,
throughput is 1 / mean service time, and a latency is the sum of N service times in a row. If one
such time has a coefficient of variation c, sums of N have c/√N, and a renewal process counts n ±
c√n of them in a window (Cox, Renewal Theory, 1962, ch. 3). Little's law holds by construction:
throughput × mean latency = N.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import exp, expm1, sqrt

import numpy as np

from bakeoff.histograms import counted, encoded
from bakeoff.judge.quantiles import gamma_quantile
from bakeoff.model.engine import SliceCommand, SliceEvent
from bakeoff.model.readings import CoreTime
from bakeoff.model.simulation import Conditions

TICK_S = 0.01
"""The unit of /proc/stat."""


TRIP_NS, APART_TRIP_NS = 85, 400
"""Measured on the usual machine: trips of a line of the cache between its cores."""
APART_S, APART_LN = 15.0, 0.22
"""There cores stay apart for some 15 s, and a small server does 20 % less meanwhile."""


class Weather:
    """A clock that runs through one race. Times in s since the race began.

    ln speed is an Ornstein–Uhlenbeck process, AR(1) at any distance: after h seconds it keeps
    exp(−h/τ) of its value (Gillespie, Physical Review E 54, 1996, eq. 1.9).
    Bursts of steal come at random (Poisson), and last an exponentially distributed time. So do the
    times in which the host has the cores apart: a telegraph process.
    """

    def __init__(self, conditions: Conditions, rng: np.random.Generator) -> None:
        self.now_s = 0.0
        self._given, self._rng = conditions, rng
        self._ln_speed = rng.normal(0, conditions.drift_sd)
        self._stolen_s = [0.0, 0.0]
        self._apart = conditions.apart_share > 0 and rng.random() < conditions.apart_share

    def pass_by(self, seconds: float) -> float:
        """Advance the clock. Returns the seconds that a burst of steal took from each core."""
        self.now_s += seconds
        kept = exp(-seconds / self._given.drift_s)
        fresh = self._given.drift_sd * sqrt(-expm1(-2 * seconds / self._given.drift_s))
        self._ln_speed = kept * self._ln_speed + fresh * self._rng.standard_normal()
        if share := self._given.apart_share:
            stays = exp(-seconds / APART_S / (1 - share))
            self._apart = self._rng.random() < share + (self._apart - share) * stays
        bursts = self._rng.poisson(self._given.steals_per_s * seconds)
        if not bursts:
            return 0.0
        stolen_s = min(seconds, self._rng.gamma(bursts, self._given.steal_ms / 1000))
        self._stolen_s[self._rng.integers(2)] += stolen_s
        return float(stolen_s)

    @property
    def ln_speed(self) -> float:
        """The current speed of the machine, in ln, about 0 while its cores are together."""
        return float(self._ln_speed) - APART_LN * self._apart

    @property
    def core_trip_ns(self) -> int:
        return APART_TRIP_NS if self._apart else TRIP_NS

    def cores(self) -> tuple[CoreTime, ...]:
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


SERVICE_CV = 0.5
SERVER_BUSY = 0.98
CLIENT_SHARE = 0.6
"""The generator's CPU time per request over the server's: 6 to 7 µs and 9 µs were measured."""
USER_SHARE = 0.2
DRAIN_NS = 1_000_000
BYTES = 147
LATENCY_STEPS = 40


@dataclass(frozen=True)
class Window:
    """One slice's ramp and counted time, ns, and how much of that was `lost` to the host."""

    start_ns: int
    length_ns: int
    ramp_ns: int
    lost_ns: int


def count(requests_per_s: float, window: Window, rng: np.random.Generator) -> int:
    """How many requests are answered in the window."""
    mean = requests_per_s * max(0, window.length_ns - window.lost_ns) * 1e-9
    return max(0, round(float(rng.normal(mean, SERVICE_CV * sqrt(mean)))))


def event_of(
    command: SliceCommand, service_ns: float, window: Window, answered: int, connections: int
) -> SliceEvent:
    """The slice as the engine reports it, with `answered` requests in its window.

    `service_ns` is the cost of a request on an undisturbed machine.
    """
    length_ns = window.length_ns
    span_ns = window.ramp_ns + length_ns + DRAIN_NS
    mean_ns = connections * length_ns / answered if answered else 0.0
    busy = min(1.0, CLIENT_SHARE * service_ns * answered / length_ns)
    return SliceEvent.model_construct(
        target=command.target,
        block=command.block,
        start_ns=window.start_ns,
        end_ns=window.start_ns + length_ns,
        drained_ns=window.start_ns + length_ns + DRAIN_NS,
        requests=answered,
        bytes=answered * BYTES,
        requests_all=round(answered * span_ns / length_ns),
        redirects=0,
        misses=0,
        unsent=0,
        connects=0,
        idle_closed=0,
        errors={},
        latency=latencies(answered, round(mean_ns), connections) if answered else "",
        latency_count=answered,
        latency_mean_us=mean_ns / 1000,
        in_flight_ns=round(answered * mean_ns),
        service=None,
        send_lag=None,
        cpu_ns=round(busy * length_ns),
        delayed_ns=0,
        busy=busy,
        first_bad=None,
    )


@lru_cache(maxsize=20_000)
def latencies(answered: int, mean_ns: int, connections: int) -> str:
    """An encoded histogram of `answered` latencies: quantiles of a gamma distribution, the sum of
    `connections` service times. Slices of equal throughput share one: encoding takes longer than
    the rest of a slice."""
    borders = np.linspace(0, answered, min(answered, LATENCY_STEPS) + 1).astype(int)
    values = np.maximum(1, np.rint(mean_ns * _standard(len(borders) - 1, connections)))
    return encoded(counted(values, np.diff(borders)))


@lru_cache(maxsize=200)
def _standard(steps: int, connections: int) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Quantiles at the middles of `steps` equal parts of a gamma distribution of mean 1."""
    shape = connections / SERVICE_CV**2
    quantiles = np.array([gamma_quantile(shape, (n + 0.5) / steps) for n in range(steps)])
    return np.asarray(quantiles / quantiles.mean())
