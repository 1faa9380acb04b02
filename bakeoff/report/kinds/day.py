"""A day in the life of servers: one page, a line for each phase."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from bakeoff.model.day import Day, DayLine, DayPair, Figure, Outcome, Phase
from bakeoff.report import figures
from bakeoff.report.document import (
    DataRow,
    Document,
    Item,
    List,
    Sign,
    Table,
    Text,
    tabulated,
)
from bakeoff.report.figures import MISSING
from bakeoff.report.kinds.shared import (
    PROTOCOL_NAMES,
    again,
    machine_table,
    pinning,
    said_once,
)
from bakeoff.report.sentences import listed, sentences

_LABELS: Mapping[Phase, str] = {
    "start": "cold start",
    "first": "first 1,000",
    "rest": "at rest",
    "peak": "peak",
    "load_10": "10 % load",
    "load_70": "70 % load",
    "load_100": "100 % load",
    "load_150": "150 % load",
    "load_300": "300 % load",
    "equal": "equal rate",
    "recovery": "recovery",
    "storm": "storm",
    "slow": "slow clients",
    "after": "at the end",
}
_FIGURES: Mapping[Figure, tuple[str, Callable[[float], str]]] = {
    "time_ms": ("time", lambda ms: figures.duration(1e3 * ms)),
    "cpu_ms_per_s": ("CPU", lambda ms: f"{figures.significant(ms, 2)} ms/s"),
    "memory_mib": ("memory", figures.mib),
    "requests_per_s": ("requests/s", figures.rate),
    "p50_us": ("p50", figures.duration),
    "p99_us": ("p99", figures.duration),
    "answered": ("answered", figures.percent),
    "kept": ("kept", figures.percent),
    "cpu_us_per_request": ("CPU/request", figures.duration),
    "energy_uj_per_request": ("energy/request", lambda uj: f"{figures.significant(uj, 3)} µJ"),
    "slowdown": ("p50", lambda ratio: figures.times(ratio)),
    "growth": ("growth", lambda ratio: figures.times(ratio)),
}
"""How a figure is called beside its phase, and how it is written."""
_SIGNS: Mapping[Outcome, Sign] = {"better": "✓", "worse": "✗", "tie": "=", "can't tell": "?"}
_READING = (
    "✓ is better than all others on its line, = is in a tie with the best (the whole interval of "
    "their ratio is within 10 % of 1), ? can't be told from the best. Values are means of the "
    "rounds; each round has new processes, and in each phase all take their turn in random order. "
    "Loads are shares of each one's own peak; what is kept is right answers per second over it."
)
_RATIOS = (
    "Above 1 is better, whatever a line measures. 95 % intervals, made of rounds, hold for all "
    "pairs of a line at once. Of twenty lines, one may be wrong by chance."
)
_ABOUT: Mapping[Phase, str] = {
    "start": "from exec to the first right answer; files are in the page cache",
    "first": "the first 1,000 answers after a cold start",
    "rest": "nothing is asked: CPU time per second, and memory (Pss)",
    "peak": "a closed loop after a warm-up",
    "load_10": "of its own peak, open loop; latencies from the moment a request was due",
    "load_70": "the same",
    "load_100": "the same",
    "load_150": "from {crowd} connections; right answers per second over its own peak",
    "load_300": "the same; who has waited for a second goes away",
    "equal": "half of the lowest peak, for all; CPU time less what it uses at rest",
    "recovery": "how long after the crowd of 300 % has left until the median at 70 % is within 1.5 "
    "times what it was, two slices in a row",
    "storm": "{storm:,} new connections in 0.1 s, each with a request, until the last is over",
    "slow": "the median at 70 % beside {slow} clients that send a head byte by byte, over that "
    "without",
    "after": "memory (Pss) at the end",
}


def document(result: Day) -> Document:
    """The report of a day."""
    main = [line for line in result.lines if line.main]
    names = [entry.name for entry in result.entries]
    return Document(
        title=f"A day in the life of {listed(names)}",
        headline=headline(result),
        context=("a day", result.machine.taken_at),
        facts=_facts(result),
        alarm="" if result.complete else "The day was ended before its time.",
        summary=(
            _values(main, names, "The day"),
            Text(_READING, quiet=True),
            _ratios(main, names),
            Text(_RATIOS, quiet=True),
            List(
                "Beyond capacity",
                tuple(
                    Item(text, "·", entry.name)
                    for entry in result.entries
                    for text in sentences(entry.beyond)
                ),
            ),
            List("What to know", tuple(_notes(result))),
            List("Not measured", tuple(Item(s.reason, "–", s.name) for s in result.skipped)),
        ),
        detail=(
            _about(result),
            _values([line for line in result.lines if not line.main], names, "Further figures"),
            _errors(result),
            machine_table(result.machine),
            again(result.plan.race.command_line, result.plan.run),
        ),
        data=tuple(row for line in result.lines for row in _rows(line)),
    )


def headline(result: Day) -> str:
    """Who is best on how many lines."""
    main = [line for line in result.lines if line.main]
    names = [entry.name for entry in result.entries]
    early = "" if result.complete else " It was ended before its time."
    judged = [line for line in main if line.pairs]
    if not judged:
        few = f"{figures.plural(result.rounds, 'round')} of all phases"
        alone = "nobody to compare with" if len(names) == 1 else "too few for a ratio"
        return f"{few}: {alone}.{early}"
    won = {name: sum(_mark(line, name, names) == "✓" for line in judged) for name in names}
    said = [f"{name} is best on {n}" for name, n in won.items() if n]
    rest = len(judged) - sum(won.values())
    said += [f"{rest} {'is' if rest == 1 else 'are'} a tie or can't be told"] if rest else []
    return f"Of {figures.plural(len(judged), 'line')}, {listed(said)}.{early}"


def _facts(result: Day) -> tuple[str, ...]:
    plan, race = result.plan, result.plan.race
    return (
        f"{figures.plural(result.rounds, 'round')} in {result.lasted_s / 60:.1f} minutes",
        f"windows of {plan.window_ms} ms",
        figures.plural(race.connections, "connection"),
        f"workload {race.workload.name}",
        *([PROTOCOL_NAMES[race.protocol]] if race.protocol != "h1" else []),
        *pinning(race.cores),
    )


def _label(line: DayLine) -> str:
    return f"{_LABELS[line.phase]}, {_FIGURES[line.figure][0]}"


def _values(lines: Sequence[DayLine], names: Sequence[str], title: str) -> Table:
    """Each line's figures, marked."""

    def of(name: str) -> tuple[str, Callable[[DayLine], str]]:
        return name, lambda line: _value(line, name, names)

    return tabulated(title, lines, [("phase", _label), *map(of, names)])


def _value(line: DayLine, name: str, names: Sequence[str]) -> str:
    value = line.value(name).value
    if value is None:
        return "out" if (why := line.value(name).why) and why.code != "not_seen" else MISSING
    written = _FIGURES[line.figure][1](value)
    return f"{_mark(line, name, names)} {written}".strip()


def _mark(line: DayLine, name: str, names: Sequence[str]) -> Sign:
    """✓: better than all others; =, ?: against the best of the line; else nothing."""
    findings = [
        pair.finding for other in names if other != name and (pair := line.pair(name, other))
    ]
    if not findings:
        return ""
    if set(findings) == {"better"}:
        return "✓"
    # Who is behind somebody isn't among the best, whatever can't be told of the others.
    if "worse" in findings:
        return ""
    return "=" if "tie" in findings and "can't tell" not in findings else "?"


def _ratios(lines: Sequence[DayLine], names: Sequence[str]) -> Table:
    """Each line's ratios to the first contender."""
    first, *others = names

    def over(name: str) -> tuple[str, Callable[[DayLine], str]]:
        return name, lambda line: _ratio(line.pair(name, first))

    told = [line for line in lines if line.pairs] if others else []
    return tabulated(f"Ratios to {first}", told, [("phase", _label), *map(over, others)])


def _ratio(pair: DayPair | None) -> str:
    return f"{_SIGNS[pair.finding]} {figures.ratio_of(pair)}" if pair else MISSING


def _notes(result: Day) -> Iterator[Item]:
    own = {entry.name: sentences(entry.warnings) for entry in result.entries}
    yield from (Item(text, "!") for text in said_once(own))
    yield from (Item(text, "·") for text in sentences(result.warnings))


def _about(result: Day) -> Table:
    """What each phase is."""
    plan = result.plan
    numbers = {"crowd": plan.crowd, "storm": plan.storm, "slow": plan.slow_clients}
    phases = [phase for phase in _LABELS if any(line.phase == phase for line in result.lines)]
    return tabulated(
        "The phases",
        phases,
        [
            ("phase", lambda phase: _LABELS[phase]),
            ("what it is", lambda phase: _ABOUT[phase].format(**numbers)),
        ],
        text=("what it is",),
    )


def _errors(result: Day) -> Table:
    """What went wrong in each phase, by kind, over all rounds."""
    rows = [
        (entry.name, phase, errors)
        for entry in result.entries
        for phase, errors in entry.errors.items()
    ]
    return tabulated(
        "Errors, over all rounds",
        rows,
        [
            ("contender", lambda row: row[0]),
            ("phase", lambda row: _LABELS[row[1]]),
            (
                "kinds",
                lambda row: listed(f"{n:,} {kind.replace('_', ' ')}" for kind, n in row[2].items()),
            ),
        ],
        text=("phase", "kinds"),
    )


def _rows(line: DayLine) -> Iterator[DataRow]:
    """A row for each value, and one for each pair."""
    shared = {"phase": line.phase, "figure": line.figure}
    for value in line.values:
        yield {**shared, "contender": value.name, "value": value.value, "n": value.n}
    for pair in line.pairs:
        yield {
            **shared,
            "contender": pair.a,
            "over": pair.b,
            "ratio": pair.ratio,
            "ratio_low_95": pair.low,
            "ratio_high_95": pair.high,
            "n": pair.n,
            "finding": pair.finding,
        }
