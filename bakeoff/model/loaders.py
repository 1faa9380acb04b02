"""A slice of several load generators, which are one to the rest."""

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt

from bakeoff.model.base import Contract
from bakeoff.model.engine import SliceEvent


class LoaderSlice(Contract):
    """One load generator's share of a slice: `event`, in the time of its own clock.

    It had `connections` to the target in all, on `threads` threads. Its clock showed `offset_ns`
    more than the driver's, within `clock_error_ns`; `clock_jumped`: it was found to have jumped
    just before. By its own clock it began `late_ns` after the given moment. `stolen` is the share
    of its cores' time that its host took since its share of the slice before; None: it can't be
    known.
    """

    loader: str
    connections: PositiveInt
    threads: PositiveInt
    offset_ns: int
    clock_error_ns: NonNegativeInt
    clock_jumped: bool = False
    late_ns: NonNegativeInt = 0
    stolen: NonNegativeFloat | None = None
    event: SliceEvent

    @property
    def start_ns(self) -> int:
        """When its window began, by the driver's clock."""
        return self.event.start_ns - self.offset_ns

    @property
    def drained_ns(self) -> int:
        """The end of its last request, by the driver's clock."""
        return self.event.drained_ns - self.offset_ns


class SliceOfSeveral(SliceEvent):
    """The measurements of several load generators together, by the driver's clock, and each of the
    `loaders`' share. `lost` has, by name and with the reason, those that were lost in this slice or
    since the one before; their measurements in it are missing."""

    loaders: tuple[LoaderSlice, ...]
    lost: dict[str, str] = {}

    @property
    def whole(self) -> SliceEvent:
        """The sum alone."""
        return SliceEvent.model_construct(
            **{key: getattr(self, key) for key in SliceEvent.model_fields}
        )
