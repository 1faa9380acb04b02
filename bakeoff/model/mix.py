"""The requests of a mix: what each entry had of one, and how two compare in it."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from bakeoff.model.base import Contract
from bakeoff.model.load import Latency


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

    The 95 % interval is simultaneous over all requests and pairs. `gap` is that ratio over the
    median of those of all requests, with an interval of the same kind: how much otherwise the two
    differ in this one.
    """

    a: str
    b: str
    ratio: PositiveFloat
    low: PositiveFloat
    high: PositiveFloat
    n: PositiveInt
    finding: Literal["faster", "slower", "can't tell"]
    gap: PositiveFloat
    gap_low: PositiveFloat
    gap_high: PositiveFloat

    @property
    def differs_from_most(self) -> bool:
        """Whether the two differ otherwise than in most requests, by more than chance."""
        return self.gap_low > 1 or self.gap_high < 1


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
