"""Who took part, whose figures stand, and against whom they are held."""

from collections.abc import Mapping
from dataclasses import dataclass

from bakeoff.judge.history import History
from bakeoff.judge.open_loop import Offered, offered_to
from bakeoff.judge.tally import Tally, tally
from bakeoff.judge.validity import reasons
from bakeoff.judge.work import work
from bakeoff.model.audit import Work
from bakeoff.model.plan import Plan, Skipped


@dataclass(frozen=True)
class Field:
    """The entries of a race by what became of them, each group in plan order.

    `reasons` has why an entry that took part is not valid, empty where it is. Twins are apart:
    they have no place in the standings. `spent` sums over the blocks that are judged, `whole`
    over all: an error counts wherever it happened, and `works` are seen over all too. `offered` is
    None in a closed loop.
    """

    spent: Mapping[str, Tally]
    whole: Mapping[str, Tally]
    offered: Mapping[str, Offered | None]
    reasons: Mapping[str, tuple[str, ...]]
    twins: Mapping[str, str]
    works: Mapping[str, Work]
    skipped: tuple[Skipped, ...]
    reference: str

    @property
    def valid(self) -> list[str]:
        """Entries whose figures stand."""
        return [name for name, why in self.reasons.items() if not why and name not in self.twins]

    @property
    def invalid(self) -> list[str]:
        """Entries that were measured and have figures that can't stand."""
        return [name for name, why in self.reasons.items() if why and name not in self.twins]

    def trouble(self, name: str) -> str:
        """Why `name` is not valid or not there; empty: it is."""
        if name in self.reasons:
            return "; ".join(self.reasons[name])
        return next((each.reason for each in self.skipped if each.name == name), "")


def assembled(plan: Plan, seen: History, all_seen: History) -> Field:
    """Sorts the planned entries; `seen` has the blocks that are judged, `all_seen` every block.

    The first valid one in plan order stands in for a reference that is not valid or never was up.
    """
    spent = {entry.name: tally(seen.turns(entry.name)) for entry in plan.entries}
    whole = spent
    if seen is not all_seen:
        whole = {entry.name: tally(all_seen.turns(entry.name)) for entry in plan.entries}
    twins = {entry.name: entry.twin_of for entry in plan.entries if entry.twin_of}
    up = [name for name in spent if seen.started(name) or spent[name].slices]
    offered = {name: offered_to(plan, seen, name) for name in up}
    why = {name: reasons(plan, name, seen, spent[name], whole[name], offered[name]) for name in up}
    able = [name for name in up if not why[name] and name not in twins]
    never_up = [name for name in spent if name not in up]
    return Field(
        spent=spent,
        whole=whole,
        offered=offered,
        reasons=why,
        twins=twins,
        works={name: found for name in up if (found := work(plan, all_seen, name))},
        skipped=tuple(Skipped(name=name, reason=_absence(seen, name)) for name in never_up),
        reference=able[0] if able and plan.reference not in able else plan.reference,
    )


def _absence(seen: History, name: str) -> str:
    return next(iter(seen.out(name).values()), "it was never started: the race ended before that")
