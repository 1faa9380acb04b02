"""Many simulated load generators that share each slice of a race, merged as real ones are.

The server is busy all the time, so what all are answered together is what one alone would be. Where
starts are not the same moment, the window of all is not the same either: those who end later have
the server to themselves at the end, while at the start all are there, in their ramps. So together
they count (max e − mean e) more of a window, e being how far each start is off. Errors of clocks
stay the same from one look at them to the next, and with them this is the same for all servers.
"""

from dataclasses import dataclass, field
from math import expm1
from time import process_time

import numpy as np

from bakeoff.load.clocks import RemoteClock
from bakeoff.load.merging import merged
from bakeoff.model.loaders import LoaderSlice
from bakeoff.model.samples import Slice
from bakeoff.model.simulation import Conditions
from bakeoff.simulate.server import latencies

LATE_MS = 5.0
"""The mean of how late one begins that begins late: a turn of the scheduler."""
STEPS_OF_A_MEAN = 100
"""Means of latency are rounded to so many parts of themselves: encoding takes longest here."""


@dataclass
class Crowd:
    """The generators of one race, whose chances come from `rng`. `lost` are gone for good."""

    given: Conditions
    rng: np.random.Generator
    lost: set[int] = field(default_factory=set)
    merge_s: list[float] = field(default_factory=list)
    """The CPU time of each slice's merging."""
    _looked_ns: int = -(10**18)
    _errors_ns: np.ndarray[tuple[int], np.dtype[np.float64]] = field(
        default_factory=lambda: np.zeros(0)
    )
    _sharing: tuple[int, ...] = ()

    def connect(self) -> None:
        """Share the connections out anew, among those that are left."""
        self._sharing = tuple(n for n in range(self.given.loaders) if n not in self.lost)

    def shared(self, whole: Slice) -> Slice:
        """The slice as all of them measured it together."""
        event, given = whole.event, self.given
        if event.start_ns - self._looked_ns > RemoteClock.EVERY_NS:
            self._looked_ns = event.start_ns
            bound_ns = given.clock_error_us * 1e3
            self._errors_ns = self.rng.uniform(-bound_ns, bound_ns, given.loaders)
        newly = self._losses(event.window_ns / 1e9)
        left = [n for n in self._sharing if n not in self.lost]
        late = self.rng.random(len(left)) < given.late_share
        late_ns = late * self.rng.exponential(LATE_MS * 1e6, len(left))
        off_ns = self._errors_ns[left] + late_ns
        longer = 1 + (off_ns.max() - off_ns.mean()) / event.window_ns
        requests = self.rng.multinomial(
            round(event.requests * longer), np.full(len(left), 1 / len(left))
        )
        connections = np.full(len(self._sharing), given.connections // len(self._sharing))
        connections[: given.connections % len(self._sharing)] += 1
        mean_ns = event.latency_mean_us * 1e3
        step_ns = max(1.0, mean_ns / STEPS_OF_A_MEAN)
        rounded_ns = round(round(mean_ns / step_ns) * step_ns, -3)
        shares = tuple(
            LoaderSlice.model_construct(
                loader=f"loader-{n}",
                connections=int(connections[self._sharing.index(n)]),
                threads=1,
                offset_ns=0,
                clock_error_ns=round(given.clock_error_us * 1e3),
                clock_jumped=False,
                late_ns=int(late),
                stolen=None,
                event=event.model_copy(
                    update={
                        "requests": int(own),
                        "latency_count": int(own),
                        "requests_all": round(event.requests_all * own / max(1, event.requests)),
                        "bytes": round(event.bytes * own / max(1, event.requests)),
                        "in_flight_ns": round(own * mean_ns),
                        "cpu_ns": event.cpu_ns // len(left),
                        "latency": latencies(int(own), int(rounded_ns), given.connections)
                        if own
                        else "",
                    }
                ),
            )
            for n, own, late in zip(left, requests, late_ns, strict=True)
        )
        began_s = process_time()
        together = merged(shares)
        self.merge_s.append(process_time() - began_s)
        lost = {f"loader-{n}": "simulated" for n in newly}
        return whole.model_copy(update={"event": together, "loaders": shares, "lost": lost})

    def _losses(self, seconds: float) -> list[int]:
        """Those that are lost in so much time; one stays in any case."""
        share = -expm1(-self.given.losses_per_hour / self.given.loaders * seconds / 3600)
        gone = [n for n in self._sharing if n not in self.lost and self.rng.random() < share]
        gone = gone[: self.given.loaders - len(self.lost) - 1]
        self.lost |= set(gone)
        return gone


def over_a_network(given: Conditions, **changed: float) -> Conditions:
    """The same with several generators, whose slices are as long as a network asks for: a tenth of
    a second at least, and four mean latencies; between them one is waited for, and a start is
    agreed on."""
    given = given.model_copy(update=changed)
    mean_ms = 1000 * given.connections / given.requests_per_s
    short_ms = max(100, round(4 * mean_ms))
    return given.model_copy(
        update={
            "short_ms": short_ms,
            "long_ms": 5 * short_ms,
            "ramp_ms": max(given.ramp_ms, round(mean_ms)),
            "gap_ms": 5.0 + mean_ms,
        }
    )
