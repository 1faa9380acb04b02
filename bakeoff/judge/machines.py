"""Do the machines differ that contenders are rotated over? The twin says so, on the other one.

In each boot all contenders are on one machine, so no ratio of two of them has a machine in it. The
reference is on that one and its twin on the next, in the same blocks: which of the two copies was
asked does not matter here, but where it ran.
"""

from dataclasses import replace

from bakeoff.judge.compare import compare
from bakeoff.judge.entries import Participants
from bakeoff.judge.history import History
from bakeoff.model.plan import Plan
from bakeoff.model.verdict import MachineRatio


def machine_ratios(
    plan: Plan, history: History, participants: Participants
) -> tuple[MachineRatio, ...]:
    """The reference on one machine over itself on another, in a family of their own; none where
    there is one machine, or where either copy has no figure."""
    if plan.cluster is None or plan.machines == 1:
        return ()
    for twin, original in participants.twins.items():
        if participants.unsettled(twin) or participants.unsettled(original):
            continue
        by_place = _by_place(plan, history, frozenset((twin, original)))
        hosts = [each.address for each in plan.cluster.servers]
        pairs = compare(by_place, hosts, plan.ranked_by)
        return tuple(
            MachineRatio(
                contender=original,
                machine=machine,
                over=over,
                **(pair.short or pair).interval(machine).model_dump(),
            )
            for place, over in enumerate(hosts)
            for machine in hosts[place + 1 :]
            if (pair := pairs.get(frozenset((machine, over))))
        )
    return ()


def _by_place(plan: Plan, history: History, copies: frozenset[str]) -> History:
    """The blocks of two copies, each called as the machine that it was on."""
    return replace(
        history,
        blocks=tuple(
            block.model_copy(
                update={
                    "slices": tuple(
                        each.model_copy(update={"entry": plan.host_of(each.entry, block.boot)})
                        for each in block.slices
                        if each.entry in copies
                    )
                }
            )
            for block in history.blocks
        ),
        draws=tuple(
            draw.model_copy(
                update={
                    "processes": {
                        plan.host_of(name, draw.boot): number
                        for name, number in draw.processes.items()
                        if name in copies
                    }
                }
            )
            for draw in history.draws
        ),
    )
