"""The valid and the outdated parts of a cell: outdated are contenders whose build, machine or
method has changed, and those that were never raced."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from bakeoff.board.cells import Cell
from bakeoff.board.raced import Raced, Today
from bakeoff.model.board import Change
from bakeoff.model.errors import ContenderOut

if TYPE_CHECKING:
    from bakeoff.board.tying import OneRace


@dataclass(frozen=True)
class State:
    """A cell and its races, the newest first: those that are comparable with races of today or, if
    there are none, with the newest one; then `aged` names the changes since."""

    cell: Cell
    today: Today
    races: tuple[Raced, ...]
    aged: tuple[Change, ...] = ()

    @classmethod
    def of(cls, cell: Cell, races: Sequence[Raced], today: Today) -> "State":
        own = [race for race in races if race.is_of(cell) and {*race.names} & {*cell.names}]
        unlike = {race.name: race.unlike(cell, today) for race in own}
        alike = tuple(race for race in own if not unlike[race.name])
        if alike or not own:
            return cls(cell, today, alike)
        newest = own[0]
        same = (
            race
            for race in own
            if race.method == newest.method
            and race.run.planned.workload == newest.run.planned.workload
            and race.run.planned.cores == newest.run.planned.cores
            and not race.verdict.machine.unlike(newest.verdict.machine)
        )
        return cls(cell, today, tuple(same), unlike[newest.name])

    @cached_property
    def unbuilt(self) -> Mapping[str, str]:
        """The contenders that can't be built today, with reasons."""
        built = self.today.built
        return {
            name: _in_a_line(str(why))
            for name in self.cell.names
            if isinstance(why := built.get(name), ContenderOut)
        }

    @cached_property
    def links(self) -> tuple[str, ...]:
        return self.cell.links(tuple(self.unbuilt))

    def race_of(self, name: str) -> Raced | None:
        """The newest race in which it was; one that its time limit cut short before it was compared
        only where there is no other."""
        own = [race for race in self.races if name in race.names]
        whole = (race for race in own if race.is_complete or name in race.compared)
        return next(whole, own[0] if own else None)

    def changed(self, name: str) -> tuple[Change, ...]:
        """The changes since a contender was raced; empty: there are none, or it never was."""
        race = self.race_of(name)
        if race is None or name in self.unbuilt:
            return ()
        if own := (*self.aged, *race.changed(name, self.today.built)):
            return own
        # A race that no unchanged link ties to the others stands by itself.
        linked = any(
            link in race.names and not race.changed(link, self.today.built) for link in self.links
        )
        return () if linked or len(self.races) == 1 else ("link",)

    @property
    def waiting(self) -> tuple[str, ...]:
        """The contenders that are due. A cell of one contender has nothing to compare."""
        able = [name for name in self.cell.names if name not in self.unbuilt]
        if len(able) < 2:
            return ()
        return tuple(
            name
            for name in able
            if not ((race := self.race_of(name)) and race.is_complete) or self.changed(name)
        )

    def one_races(self) -> "dict[str, OneRace]":
        """The races by their names, as sources of ratios: without contenders that are no longer in
        the cell, or that were out of their newest race."""
        from bakeoff.board.tying import OneRace

        able = {
            name
            for name in self.cell.names
            if (race := self.race_of(name)) and name in race.compared
        }
        found = {}
        for race in self.races:
            builds = {
                name: (receipt.version, receipt.source_sha256)
                for name, receipt in race.receipts.items()
                if name in race.compared & able
            }
            pairs = [pair for pair in race.verdict.pairs if {pair.a, pair.b} <= builds.keys()]
            found[race.name] = OneRace(pairs, builds)
        return found


def groups(state: State, begun: Collection[str] = ()) -> tuple[tuple[str, ...], ...]:
    """The contenders of each race: all that wait, in races that share the links. Those of races
    that have `begun` wait no more."""
    waiting = [name for name in state.waiting if name not in begun]
    links, most = state.links, state.cell.races.contenders
    if not waiting:
        return ()
    together = tuple(name for name in state.cell.names if name in {*waiting, *links})
    if len(together) <= most:
        return (together,)
    others = [name for name in together if name not in links]
    count = -(-len(others) // (most - len(links)))
    return tuple((*links, *others[at::count]) for at in range(count))


def _in_a_line(why: str) -> str:
    """Why it can't be built, with the first error of its log instead of the log's end."""
    first, *log = why.partition("; the end of its log")[0].splitlines()
    error = next((line.strip() for line in log if "error" in line.lower()), "")
    return f"{first}: {error}" if error else first
