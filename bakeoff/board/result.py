"""The board as a value: each cell with its rows, pairs and races, from the finished races."""

from collections.abc import Iterator, Mapping, Sequence

from bakeoff import __version__
from bakeoff.board.cells import Cell
from bakeoff.board.due import State
from bakeoff.board.raced import Raced, Today
from bakeoff.board.tying import checks, pairs_of
from bakeoff.judge.standings import places
from bakeoff.model.board import (
    Board,
    BoardCell,
    BoardContender,
    BoardPair,
    BoardRace,
    BoardRow,
    EarlierRace,
    Measure,
    Standing,
)
from bakeoff.model.entry import VerdictEntry
from bakeoff.model.history import began_at
from bakeoff.model.pairs import Pair
from bakeoff.model.ratio import Ratio
from bakeoff.plan import ResolvedContender


def board(cells: Sequence[Cell], races: Sequence[Raced], today: Today) -> Board:
    states = [State.of(cell, races, today) for cell in cells]
    shown = {race.name: race for state in states for race in state.races}
    newest = max(shown.values(), key=lambda race: began_at(race.verdict.machine), default=None)
    everybody = {each.name: each for cell in cells for each in cell.contenders}
    return Board(
        bakeoff=__version__,
        method=today.method,
        machine=newest.verdict.machine if newest else None,
        contenders=tuple(_contender(each, states, races) for each in everybody.values()),
        cells=tuple(map(_cell, states)),
    )


def _contender(
    contender: ResolvedContender, states: Sequence[State], races: Sequence[Raced]
) -> BoardContender:
    declared = contender.contender
    assert declared
    raced = [race for state in states if (race := state.race_of(contender.name))]
    receipt = next((r for race in raced if (r := race.receipts.get(contender.name))), None)
    entries = (race.verdict.entry(contender.name) for race in raced)
    return BoardContender(
        name=contender.name,
        title=declared.title,
        language=declared.language,
        kind=declared.kind,
        homepage=declared.homepage,
        note=declared.note,
        version=receipt.version if receipt else "",
        source=receipt.source_sha256 if receipt else "",
        tools=receipt.tools if receipt else {},
        commands=receipt.commands if receipt else (),
        work=next((entry.work for entry in entries if entry and entry.work), None),
        earlier=tuple(_earlier(contender.name, states, races)),
    )


def _earlier(name: str, states: Sequence[State], races: Sequence[Raced]) -> Iterator[EarlierRace]:
    """Comparable races of one build of a link are not history."""
    for race in races:
        state = next((state for state in states if race.is_of(state.cell)), None)
        entry, receipt = race.verdict.entry(name), race.receipts.get(name)
        if not (state and entry and entry.requests_per_s and receipt):
            continue
        now = state.race_of(name)
        if now and race in state.races and not now.changed(name, {name: receipt}):
            continue
        yield EarlierRace(
            cell=state.cell.name,
            run=race.name,
            began_at=began_at(race.verdict.machine),
            version=receipt.version,
            requests_per_s=entry.requests_per_s,
            cpu_us_per_request=entry.cpu_us_per_request.server,
        )


def _cell(state: State) -> BoardCell:
    cell = state.cell
    one_races = state.one_races()
    pairs = pairs_of(list(one_races.values()), state.links)
    rows = tuple(_rows(state, _standings(state, pairs)))
    changed = tuple(dict.fromkeys(change for row in rows for change in row.changed))
    old = bool(changed) and bool(state.races)
    return BoardCell(
        name=cell.name,
        workload=cell.workload.name,
        title=cell.workload.title,
        protocol=cell.protocol,
        connections=cell.workload.defaults.connections,
        state="old" if old else "current" if state.races else "empty",
        changed=changed,
        rows=rows,
        pairs=pairs,
        races=tuple(map(_race, state.races)),
        checks=checks(one_races, state.links),
        waiting=state.waiting,
    )


def _race(race: Raced) -> BoardRace:
    verdict = race.verdict
    return BoardRace(
        run=race.name,
        began_at=began_at(verdict.machine),
        contenders=race.names,
        noise_floor=verdict.noise_floor,
        measured_s=verdict.measured_s,
        disturbed_blocks=verdict.disturbed_blocks,
        blocks=verdict.blocks,
        warnings=verdict.warnings,
        fairness=verdict.fairness,
        cut_short=not race.is_complete,
    )


def _rows(state: State, standings: Mapping[str, Mapping[Measure, Standing]]) -> Iterator[BoardRow]:
    """The fastest first; then those that are out. A contender that only waits has no row."""

    def place(name: str) -> tuple[bool, float]:
        by = standings.get(name, {}).get("throughput")
        return by is None, -(by.ratio.ratio if by and by.ratio else 0.0)

    for name in sorted(state.cell.names, key=place):
        race, reason = state.race_of(name), state.unbuilt.get(name, "")
        if reason:
            yield BoardRow(name=name, out=reason)
        elif race:
            entry, receipt = race.verdict.entry(name), race.receipts.get(name)
            by = standings.get(name, {})
            yield BoardRow(
                name=name,
                race=race.name,
                version=receipt.version if receipt else "",
                source=receipt.source_sha256 if receipt else "",
                changed=state.changed(name),
                out="" if by or entry else race.out_of(name),
                reasons=entry.reasons if entry and not by else (),
                latency_p99_us=entry.latency_us.p99 if entry and entry.latency_us else None,
                by=dict(by),
            )


def _value(entry: VerdictEntry, measure: Measure) -> float | None:
    match measure:
        case "throughput":
            return entry.requests_per_s
        case "cpu":
            return entry.cpu_us_per_request.server
        case "first_byte":
            return entry.first_byte_us.p50 if entry.first_byte_us else None
        case "memory":
            return entry.memory_mib.loaded


def _ratio(pair: BoardPair, measure: Measure) -> Ratio | None:
    by = {"throughput": pair.ratio, "cpu": pair.cpu_ratio, "first_byte": pair.first_byte_ratio}
    return by.get(measure)


def _standings(state: State, pairs: Sequence[BoardPair]) -> dict[str, dict[Measure, Standing]]:
    """Each valid contender, by each measure that it has."""
    found: dict[str, dict[Measure, Standing]] = {}
    measures: tuple[Measure, ...] = ("throughput", "cpu", "first_byte", "memory")
    for measure in measures:
        values = {}
        for name in state.cell.names:
            race = state.race_of(name)
            entry = race.verdict.entry(name) if race and name not in state.unbuilt else None
            value = _value(entry, measure) if entry and entry.valid else None
            if value is not None:
                values[name] = value
        of = [_compared(pair, ratio) for pair in pairs if (ratio := _ratio(pair, measure))]
        for name, standing in _by(values, of, comparable=measure != "memory").items():
            found.setdefault(name, {})[measure] = standing
    return found


def _compared(pair: BoardPair, ratio: Ratio) -> Pair:
    return Pair(
        a=pair.a,
        b=pair.b,
        ratio=ratio,
        finding=ratio.told(),
        equivalent=False,
        minimum_detectable_effect=None,
    )


def _by(
    values: Mapping[str, float], pairs: Sequence[Pair], *, comparable: bool
) -> dict[str, Standing]:
    """The standing of each by one measure, from its ratios."""
    compared = {name for pair in pairs for name in (pair.a, pair.b)} & values.keys()
    if not comparable or not compared:
        return {name: Standing(value=value) for name, value in values.items()}
    to = {(pair.a, pair.b): pair for pair in pairs}
    to |= {(pair.b, pair.a): pair.turned() for pair in pairs}
    # The one that met the most: all have a ratio to that one.
    base = max(compared, key=lambda name: sum(name in pair for pair in to))

    def ahead(name: str) -> float:
        met = to.get((name, base))
        return 1.0 if name == base else met.ratio.ratio if met else 0.0

    names = sorted(compared, key=lambda name: (-ahead(name), name))
    best = names[0]
    standing = places(names, pairs)
    found = {}
    for name in [*names, *(values.keys() - compared)]:
        met = to.get((name, best))
        rank, letters = standing.get(name, (None, ""))
        own = Ratio(ratio=1.0, low=1.0, high=1.0, n=1) if name == best else met and met.ratio
        found[name] = Standing(value=values[name], ratio=own, rank=rank, letters=letters)
    return found
