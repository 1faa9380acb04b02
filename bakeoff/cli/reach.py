"""What races can't reach in their time, said before they begin."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bakeoff.cli.output import say
from bakeoff.model.plan import Plan
from bakeoff.plan import BLOCK_ERROR, out_of_reach
from bakeoff.report import figures

if TYPE_CHECKING:
    from bakeoff.runs import Stages


def say_reach(plans: Sequence[Plan], stages: "Stages") -> None:
    """Say which option of races of equal length asks for more than equals will probably reach, and
    what would be enough: that of the race which needs the longest."""
    if not any(plan.precision or plan.within or plan.gates for plan in plans):
        return
    known = stages.history.block_error(stages.meters.machine())
    missed = [far for plan in plans if (far := out_of_reach(plan, known or BLOCK_ERROR))]
    if not missed:
        return
    far = max(missed, key=lambda each: each.needed_s)
    source = "earlier races on this machine" if known else "bakeoff's own records"
    each = "" if len(plans) == 1 else " a cell"
    say(
        f"{far.option}: by {source}, {far.duration_s:.3g} s of measuring{each} reach about "
        f"±{figures.percent(far.reached)} for equals; {figures.about(far.needed_s)}{each} would be "
        "enough"
    )
