"""What is known of a run that goes on, as the judging process tells the explorer, line by line."""

from pydantic import NonNegativeFloat, NonNegativeInt

from bakeoff.model.base import Contract


class Wanted(Contract):
    """A question: the run in the folder `path`, judged."""

    path: str


class Bar(Contract):
    """One contender's ratio to the reference by now; an interval may have no end on a side."""

    name: str
    ratio: NonNegativeFloat
    low: NonNegativeFloat | None
    high: NonNegativeFloat | None
    n: NonNegativeInt


class LiveState(Contract):
    """The answer: a run as it stands. `standings` is HTML; `trouble` is why there are none yet.

    `steps` counts blocks, turns or runs of a tool. `cpu_s` is what judging it took, and `shares`
    says that it took that from cores on which the run is measured.
    """

    finding: str = ""
    standings: str = ""
    bars: tuple[Bar, ...] = ()
    trouble: str = ""
    measured_s: NonNegativeFloat = 0
    planned_s: NonNegativeFloat | None = None
    steps: NonNegativeInt = 0
    cpu_s: NonNegativeFloat = 0
    shares: bool = True
