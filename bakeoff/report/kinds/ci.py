"""Base against head: is the change slower, by how much, and what that rests on."""

from collections.abc import Sequence

from bakeoff.model.ci import BASE, HEAD, Ci, Revision
from bakeoff.model.gate import GateResult
from bakeoff.model.pairs import Pair
from bakeoff.model.verdict import Verdict
from bakeoff.report import figures
from bakeoff.report.document import (
    Chart,
    Charts,
    DataRow,
    Document,
    Item,
    List,
    Section,
    Text,
    Tone,
    facts_table,
    items,
)
from bakeoff.report.kinds import race as races
from bakeoff.report.kinds import standings
from bakeoff.report.kinds.holding import held_to
from bakeoff.report.kinds.race_method import facts
from bakeoff.report.kinds.race_trust import detectable, next_race, noise_floor
from bakeoff.report.kinds.shared import again, gate_text, gates, machine_table, warnings
from bakeoff.report.sentences import joined, sentences

_TONES: dict[str, Tone] = {
    "slower": "bad",
    "not slower": "good",
    "can't tell": "unknown",
    "not raced": "bad",
}
_PAIR_NOTE = (
    "An alarm is measured again in fresh processes, and raised where both races agree. Its figure"
    " is the second's: the first was chosen for being extreme."
)


def document(result: Ci) -> Document:
    """The report of two revisions; each race has a report of its own beside it."""
    last = result.again or result.race

    def forest() -> Sequence[Chart | None]:
        from bakeoff.report.charts import race_charts

        return race_charts(last)[:1]

    parts = ["race", *(["again"] if result.again else [])]
    return Document(
        title=f"Is {result.head.name} slower than {result.base.name}?",
        headline=headline(result),
        tone=_TONES[result.outcome],
        context=(result.contender, result.machine.taken_at),
        facts=facts(last),
        alarm="" if result.complete else "The run ended before it was complete.",
        summary=(
            Charts(forest),
            standings.standings(last),
            List("Request by request", items("≠", sentences(last.by_request))),
            gates(result.gates, last.ranked_by),
            List("Both races", _both(result), note=_PAIR_NOTE),
            Section(
                "How far to trust it",
                (
                    Text(f"{noise_floor(last)} {detectable(last)}", "Noise floor"),
                    *([Text(said, "Next race")] if (said := next_race(last)) else []),
                    List(
                        "Answers that vary",
                        items("=", held_to(last.entries, mix=bool(last.requests))),
                    ),
                    List("Warnings", items("!", warnings(last))),
                ),
            ),
            facts_table(
                "Revisions", ((BASE, _revision(result.base)), (HEAD, _revision(result.head)))
            ),
        ),
        detail=(
            standings.requests(last),
            List(
                "Races",
                tuple(
                    Item("its samples, verdict and report", "·", part, f"{part}/report.html")
                    for part in parts
                ),
            ),
            machine_table(result.machine),
            again(result.command_line, f"Run {result.run}, seed {result.seed}"),
        ),
        data=data(result),
    )


def headline(result: Ci) -> str:
    """Slower, not slower by more than so much, can't tell, or why there is no answer."""
    last = result.again or result.race
    said = _said(result, last)
    return said if result.complete else f"{said} The run ended early."


def _said(result: Ci, last: Verdict) -> str:
    pair = last.pair(HEAD, BASE)
    if result.outcome == "not raced":
        return f"Not raced: {joined(result.reasons)}."
    if pair is None:
        return "Can't tell: too little was measured to compare base and head."
    does = _does(pair)
    if result.outcome == "slower":
        failed = next(gate for gate in result.gates if gate.outcome == "fails")
        finding = pair.cpu_finding if failed.by else pair.finding
        said = "Slower" if finding == "slower" else f"The gate {gate_text(failed)} fails"
        return f"{said}: head does {does}{_confirmed(result)}."
    if result.outcome == "not slower":
        return f"{_not_slower(result.gates, pair, last.within)}: it does {does}."
    why = f"; {joined(result.reasons)}" if result.reasons else ""
    seen = figures.percent(pair.minimum_detectable_effect)
    return (
        f"Can't tell whether head is slower: it does {does}; a difference of {seen} had "
        f"an 80 % chance to be seen{why}."
    )


def _not_slower(gates: Sequence[GateResult], pair: Pair, within: float | None) -> str:
    """`Not slower than base by more than 2 %`, by the margin or the strictest gate."""
    lost = within or 1 - max((gate.gate.factor for gate in gates), default=1.0)
    ahead = "Faster" if pair.finding == "faster" else "Not slower"
    if pair.finding == "faster" or lost <= 0:
        return f"{ahead}: every gate holds"
    return f"{ahead} than base by more than {figures.given(round(lost * 100, 6))} %"


def _does(pair: Pair) -> str:
    """`0.95× (0.94 to 0.96) of base, by server CPU 0.95× (0.94 to 0.96)`."""
    by_cpu = f", by server CPU {figures.ratio_of(pair.cpu_ratio)}" if pair.cpu_ratio else ""
    return f"{figures.ratio_of(pair).replace('≥', 'at least')} of base{by_cpu}"


def _confirmed(result: Ci) -> str:
    return ", in both of two races" if result.again else ""


def _both(result: Ci) -> tuple[Item, ...]:
    """The ratio of each race, where there were two."""
    if result.again is None:
        return ()
    said = []
    for label, verdict in (("the first race", result.race), ("the second", result.again)):
        pair = verdict.pair(HEAD, BASE)
        text = f"head does {_does(pair)}" if pair else "no ratio"
        said.append(Item(text, "·", label))
    return tuple(said)


def _revision(revision: Revision) -> str:
    return f"{revision.full_name}: {revision.subject}"


def data(result: Ci) -> tuple[DataRow, ...]:
    """A row per entry of each race."""
    return tuple(
        {"race": name, **row}
        for name, verdict in (("race", result.race), ("again", result.again))
        if verdict
        for row in races.data(verdict)
    )
