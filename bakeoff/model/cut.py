"""How a race is divided: warm-up, lengths of slices, draws."""

from statistics import median
from typing import Literal

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from bakeoff.model.base import Contract


class SliceLengths(Contract):
    """The lengths of one contender's turns: the windows of short and long slices, and the ramp."""

    short_ms: PositiveInt
    long_ms: PositiveInt
    ramp_ms: NonNegativeInt


Course = Literal["flat", "warm-up", "slowdown", "unsteady"]
"""How a contender reached its steady state: it was there from the start, it got faster, it got
slower, or it never reached it."""


WARM_UP_SLICE_MS = 250
"""The length of each slice of a warm-up."""

WARM_UP_SLICES_PER_S = 1000 // WARM_UP_SLICE_MS

WARM_UP_S_MIN = 1.5
"""The usual minimum of each warm-up."""


class Warmup(Contract):
    """The warm-up of a boot, and each contender's slice lengths, which follow from the first one.

    `requests_per_s` and `cpu_us_per_request` have one figure per warm-up slice (closed loop; a CPU
    time that can't be seen is None). `steady` says whether a steady state was reached, `courses`
    how, and `steady_from` has the slice with which its last segment begins. `rates` has the rate
    that each is offered from then on in an open loop, requests per second.
    """

    type: Literal["warmup"] = "warmup"
    boot: NonNegativeInt
    lengths: dict[str, SliceLengths]
    requests_per_s: dict[str, tuple[NonNegativeFloat, ...]]
    mean_latency_us: dict[str, NonNegativeFloat]
    steady: dict[str, bool]
    cpu_us_per_request: dict[str, tuple[NonNegativeFloat | None, ...]] = {}
    courses: dict[str, Course] = {}
    steady_from: dict[str, NonNegativeInt] = {}
    rates: dict[str, PositiveFloat] = {}

    def level(self, name: str) -> float | None:
        last = self.requests_per_s.get(name, ())[self.steady_from.get(name, 0) :]
        return median(last) if last else None

    def peak(self, name: str) -> float | None:
        """The median of requests per second in its last second; None: it had no slice."""
        last = self.requests_per_s.get(name, ())[-WARM_UP_SLICES_PER_S:]
        return median(last) if last else None


class Redrawn(Contract):
    """What is drawn anew of one contender, and how many of its processes run.

    `what`: `processes` (each draw has a new process and new connections, except one draw in five,
    which has the first process of the boot: number 0) or `connections` (the running `instances`
    take turns, each draw with new connections). `warm_up_ms` is how long it is loaded in each draw
    before blocks count. `why` is the code of the fact that decided it: `flat` and `warms_quickly`,
    or `solo`, where each round starts it anew (processes); `starts_slowly`, `warms_slowly` (or with
    too much noise to tell), `fixed_port`, `attached`, `asked` with --instances.
    """

    what: Literal["processes", "connections"]
    instances: PositiveInt
    warm_up_ms: NonNegativeInt
    why: str


class DrawRule(Contract):
    """How a race is divided into draws. This is decided once, by the facts of the first boot's
    start and warm-up, never by which contender was ahead. `draw_s` is the length of one draw, over
    all contenders."""

    type: Literal["draw-rule"] = "draw-rule"
    draw_s: PositiveFloat
    redrawn: dict[str, Redrawn]


class Draw(Contract):
    """A draw began, with new connections to every contender, and for some another process.

    `processes` numbers each contender's processes within the boot: blocks of two draws with the
    same boot and number were answered by one process. `out` has those that don't take part in this
    draw, with the reason.
    """

    type: Literal["draw"] = "draw"
    boot: NonNegativeInt
    draw: NonNegativeInt
    processes: dict[str, NonNegativeInt]
    connections_open: dict[str, NonNegativeInt]
    out: dict[str, str] = {}
