"""What is known of a run that goes on, as the judging process tells the explorer, line by line."""

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat

from bakeoff.model.base import Contract
from bakeoff.model.ratio import Ratio


class Stood(Contract):
    """A contender's ratio to the reference, as it was judged after `measured_s` of measuring."""

    name: str
    measured_s: PositiveFloat
    ratio: Ratio


class Wanted(Contract):
    """A question: the run in the folder `path`, judged. `past` is how it stood, for its picture."""

    path: str
    past: tuple[Stood, ...] = ()


class LiveState(Contract):
    """The answer: a run as it stands. `standings` is HTML; `trouble` is why there are none yet,
    or why they are not newer. `now` has a race's ratios, for the `past` of later questions.

    `half_width` is that of the widest interval to a race's reference, as a share; None where one
    has no end. `steps` counts blocks, turns or runs of a tool. `cpu_s` is what judging it took, and
    `shares` says that it took that from cores on which the run is measured.
    """

    finding: str = ""
    standings: str = ""
    now: tuple[Stood, ...] = ()
    half_width: NonNegativeFloat | None = None
    trouble: str = ""
    measured_s: NonNegativeFloat = 0
    planned_s: NonNegativeFloat | None = None
    steps: NonNegativeInt = 0
    cpu_s: NonNegativeFloat = 0
    shares: bool = True
