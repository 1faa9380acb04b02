"""A day in the life of servers: one page, a line for each phase."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from bakeoff.model.day import Day, DayLine, Phase
from bakeoff.report import document as doc
from bakeoff.report import figures
from bakeoff.report.kinds import lines, shared
from bakeoff.report.kinds.shared import varying
from bakeoff.report.sentences import in_unit, listed, sentences

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
_FIGURES: Mapping[str, tuple[str, Callable[[float], str]]] = {
    **lines.COSTS,
    "time_ms": ("time", lambda ms: figures.duration(1e3 * ms)),
    "cpu_ms_per_s": ("CPU", lambda ms: f"{figures.significant(ms, 2)} ms/s"),
    "requests_per_s": ("requests/s", figures.rate),
    "p50_us": ("p50", figures.duration),
    "p99_us": ("p99", figures.duration),
    "first_byte_us": ("first byte", figures.duration),
    "answered": ("answered", figures.percent),
    "kept": ("kept", figures.percent),
    "slowdown": ("p50", lambda ratio: figures.times(ratio)),
    "growth": ("growth", lambda ratio: figures.times(ratio)),
}
"""The name of a figure beside its phase, and its form."""
_READING = (
    f"{lines.MARKS} Values are means of the rounds; each round has new processes, and in each "
    "phase all take their turn in random order. Loads are shares of each one's own peak; what is "
    "kept is right answers per second over it."
)
_RATIOS = (
    f"{lines.RATIOS} Intervals are made of rounds. Of twenty lines, one may be wrong by chance."
)
_ABOUT: Mapping[Phase, str] = {
    "start": "from exec to the first right answer; files are in the page cache",
    "first": "the first 1,000 answers after a cold start",
    "rest": "no requests: CPU time per second, and memory (Pss)",
    "peak": "a closed loop after a warm-up",
    "load_10": "of its own peak, open loop; latencies from the moment a request was due",
    "load_70": "the same",
    "load_100": "the same",
    "load_150": "from {crowd} connections; right answers per second over its own peak",
    "load_300": "the same; a client that has waited for a second disconnects",
    "equal": "half of the lowest peak, for all; CPU time less what it uses at rest",
    "recovery": "how long after the crowd of 300 % has left until the median at 70 % is within 1.5 "
    "times what it was, two slices in a row",
    "storm": "{storm:,} new connections in 0.1 s, each with a request, until the last is over",
    "slow": "the median at 70 % beside {slow} clients that send a head byte by byte, over that "
    "without",
    "after": "memory (Pss) at the end",
}


def document(result: Day) -> doc.Document:
    main = [line for line in result.lines if line.main]
    names = [entry.name for entry in result.entries]
    unit, label = result.plan.race.workload.unit, _labeller(result)
    return doc.Document(
        title=f"A day in the life of {listed(names)}",
        headline=headline(result),
        context=("a day", result.machine.taken_at),
        facts=_facts(result),
        alarm="" if result.complete else "The day was ended before its time.",
        summary=(
            lines.values_of(main, names, "The day", "phase", label, _written),
            doc.Text(_READING, quiet=True),
            lines.ratios_of(main, names, "phase", label),
            doc.Text(_RATIOS, quiet=True),
            doc.List(
                "Beyond capacity",
                tuple(
                    doc.Item(text, "·", entry.name)
                    for entry in result.entries
                    for text in sentences(entry.beyond, unit)
                ),
            ),
            varying(result.entries, mix=result.plan.race.workload.is_mix),
            doc.List("What to know", tuple(_notes(result))),
            shared.skipped(result.skipped),
        ),
        detail=(
            _about(result),
            _further(result, names),
            _errors(result),
            shared.machine_table(result.machine),
            shared.again(result.plan.race.command_line, result.plan.run),
        ),
        data=tuple(
            row
            for line in result.lines
            for row in lines.rows_of(line, {"phase": line.phase, "figure": line.figure})
        ),
    )


def headline(result: Day) -> str:
    main = [line for line in result.lines if line.main]
    names = [entry.name for entry in result.entries]
    early = "" if result.complete else " It was ended before its time."
    judged = [line for line in main if line.pairs]
    if not judged:
        few = f"{figures.plural(result.rounds, 'round')} of all phases"
        alone = "nothing to compare with" if len(names) == 1 else "too few for a ratio"
        return f"{few}: {alone}.{early}"
    won = {name: sum(lines.mark(line, name, names) == "✓" for line in judged) for name in names}
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
        *([shared.PROTOCOL_NAMES[race.protocol]] if race.protocol != "h1" else []),
        *shared.pinning(race.cores),
    )


def _labeller(result: Day) -> Callable[[DayLine], str]:
    unit = result.plan.race.workload.unit
    return lambda line: f"{_LABELS[line.phase]}, {in_unit(_FIGURES[line.figure][0], unit)}"


def _written(line: DayLine, value: float) -> str:
    return _FIGURES[line.figure][1](value)


def _further(result: Day, names: Sequence[str]) -> doc.Table:
    others = [line for line in result.lines if not line.main]
    return lines.values_of(others, names, "Further figures", "phase", _labeller(result), _written)


def _notes(result: Day) -> Iterator[doc.Item]:
    unit = result.plan.race.workload.unit
    own = {entry.name: sentences(entry.warnings, unit) for entry in result.entries}
    yield from (doc.Item(text, "!") for text in shared.said_once(own))
    yield from (doc.Item(text, "·") for text in sentences(result.warnings, unit))


def _about(result: Day) -> doc.Table:
    plan, unit = result.plan, result.plan.race.workload.unit
    numbers = {"crowd": plan.crowd, "storm": plan.storm, "slow": plan.slow_clients}
    phases = [phase for phase in _LABELS if any(line.phase == phase for line in result.lines)]
    return doc.tabulated(
        "The phases",
        phases,
        [
            ("phase", lambda phase: _LABELS[phase]),
            ("what it is", lambda phase: in_unit(_ABOUT[phase], unit).format(**numbers)),
        ],
        text=("what it is",),
    )


def _errors(result: Day) -> doc.Table:
    rows = [
        (entry.name, phase, errors)
        for entry in result.entries
        for phase, errors in entry.errors.items()
    ]
    return doc.tabulated(
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
