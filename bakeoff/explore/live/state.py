"""What is known of a run that goes on, as the judging process tells the explorer, line by line."""

from pydantic import NonNegativeFloat, NonNegativeInt

from bakeoff.model.base import Contract


class Wanted(Contract):
    """A question: the run in the folder `path`, judged."""

    path: str


class LiveState(Contract):
    """The answer: a run as it stands. `standings` is HTML; `trouble` is why there are none yet.

    `half_width` is that of the widest interval to a race's reference, as a share; None where one
    has no end. `steps` counts blocks, turns or runs of a tool. `cpu_s` is what judging it took, and
    `shares` says that it took that from cores on which the run is measured.
    """

    finding: str = ""
    standings: str = ""
    half_width: NonNegativeFloat | None = None
    trouble: str = ""
    measured_s: NonNegativeFloat = 0
    planned_s: NonNegativeFloat | None = None
    steps: NonNegativeInt = 0
    cpu_s: NonNegativeFloat = 0
    shares: bool = True
