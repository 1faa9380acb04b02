"""The requests of a mix: what each entry had of one, and how two compare in it."""

from typing import Annotated, Literal, Self

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from bakeoff.model.base import Contract
from bakeoff.model.load import Latency
from bakeoff.model.ratio import Interval, Told


class RequestEntry(Contract):
    """What one entry had of one request of a mix.

    `latency_us` is that of all connections together, at full load in a closed loop; `alone_us` the
    mean with one request under way at a time, where that was measured.
    """

    name: str
    requests: NonNegativeInt
    requests_per_s: NonNegativeFloat
    latency_us: Latency | None
    latency_n: NonNegativeInt
    alone_us: NonNegativeFloat | None = None
    error_kinds: dict[str, PositiveInt] = {}


class RequestPair(Contract):
    """Two entries compared by one request: b's latency over a's, more being better for a.

    Both are geometric means, which a few answers that the machine held up hardly change.

    The intervals are simultaneous over all requests and pairs. `gap` is that ratio over the
    median of those of all requests: how much otherwise the two differ in this one.
    """

    a: str
    b: str
    ratio: Interval
    finding: Literal["faster", "slower", "can't tell"]
    gap: Interval

    @property
    def differs_from_most(self) -> bool:
        """Whether the two differ otherwise than in most requests, by more than chance."""
        return self.gap.excludes(1)

    def turned(self) -> Self:
        """`b` over `a`."""
        opposite: dict[Told, Told] = {"faster": "slower", "slower": "faster"}
        return self.model_copy(
            update={
                "a": self.b,
                "b": self.a,
                "ratio": self.ratio.inverted(),
                "finding": opposite.get(self.finding, self.finding),
                "gap": self.gap.inverted(),
            }
        )


class MixedRequest(Contract):
    """One request of a mix: the `share` of it, the status that is right, and what came of it.

    `singly`: pairs are compared with one request under way at a time; else under the race's load.
    """

    name: str
    share: Annotated[float, Field(gt=0, le=1)]
    expects: PositiveInt
    singly: bool
    entries: tuple[RequestEntry, ...]
    pairs: tuple[RequestPair, ...] = ()
