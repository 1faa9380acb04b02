"""Base against head: whether the change is slower, by how much, and the evidence."""

from collections.abc import Sequence

from bakeoff.model.ci import BASE, HEAD, Ci, CiOutcome, Revision
from bakeoff.model.gate import GateResult
from bakeoff.model.pairs import Pair
from bakeoff.model.why import Why
from bakeoff.report import document as doc
from bakeoff.report import figures
from bakeoff.report.charts import race_charts
from bakeoff.report.kinds import race as races
from bakeoff.report.kinds import race_trust, shared, standings, why
from bakeoff.report.kinds.race_method import facts
from bakeoff.report.kinds.rooms import rooms
from bakeoff.report.kinds.shared import gates
from bakeoff.report.sentences import joined, sentences

_TONES: dict[str, doc.Tone] = {
    "slower": "bad",
    "not slower": "good",
    "can't tell": "unknown",
    "not raced": "bad",
}


def document(result: Ci, causes: Why | None = None) -> doc.Document:
    race = result.race
    parts = [doc.Item("samples, verdict and report", "·", "race", "race/report.html")]
    if causes:
        parts.append(doc.Item("all that is known of causes", "·", "why", "why/report.html"))
    return doc.Document(
        title=f"Is {result.head.name} slower than {result.base.name}?",
        headline=headline(result),
        tone=_TONES[result.outcome],
        context=(result.contender, result.machine.taken_at),
        facts=facts(race),
        alarm="" if result.complete else "The run ended before it was complete.",
        summary=(
            doc.Charts(lambda: race_charts(race)[:1]),
            standings.standings(race),
            doc.List("Request by request", doc.items("≠", sentences(race.by_request)), wide=True),
            rooms(race),
            gates(race.gates, race.ranked_by),
            *([why.brief(causes)] if causes else []),
            race_trust.section(race),
            doc.facts_table(
                "Revisions", ((BASE, _revision(result.base)), (HEAD, _revision(result.head)))
            ),
        ),
        detail=(
            standings.requests(race),
            doc.List("Parts", tuple(parts)),
            shared.machine_table(result.machine),
            shared.again(result.command_line, f"Run {result.run}, seed {result.seed}"),
        ),
        data=races.data(race),
    )


def comment(result: Ci) -> str:
    """A comment in Markdown, for a result from an untrusted source.

    It contains only figures, commits and bakeoff's own words: no name, no reason, no text of a
    gate.
    """
    race = result.race
    pair = race.pair(HEAD, BASE)
    ratio, by_cpu = (pair.ratio, pair.cpu_ratio) if pair else (None, None)
    of_rooms = pair.event_ratios.last if pair and pair.event_ratios else None
    last = figures.ratio_of(of_rooms) if of_rooms else ""
    ranked = {"requests_per_s": "requests per second", "p99": "p99 latency, where more is better"}
    lines = [
        f"**bakeoff: {result.outcome}**{'' if result.complete else ', the run ended early'}",
        "",
        "| head over base | ratio (95 % interval) |",
        "|---|---:|",
        f"| {ranked[race.ranked_by]} | {figures.ratio_of(ratio)} |",
        f"| requests per second of server CPU | {figures.ratio_of(by_cpu)} |",
        *([f"| time until the last listener, where more is better | {last} |"] if last else []),
        "",
    ]
    for gate in race.gates:
        rule = f"{gate.gate.sign} {figures.given(gate.gate.factor)}"
        by = " by server CPU" if gate.by else ""
        lines.append(f"- the gate `{rule}`{by}: {gate.outcome}")
    measured = f"{figures.plural(race.blocks, 'block')} in {figures.time_to_wait(race.measured_s)}"
    said = [f"{'; '.join([measured, *_finds(result.outcome, pair)])}."]
    if pair and (scope := race_trust.next_race(race.model_copy(update={"pairs": (pair,)}))):
        said.append(scope)
    said.append(f"Base is {result.base.commit[:10]}, head is {result.head.commit[:10]}.")
    lines += ["", " ".join(said)]
    return "\n".join(lines) + "\n"


def headline(result: Ci) -> str:
    said = _said(result)
    return said if result.complete else f"{said} The run ended early."


def _said(result: Ci) -> str:
    race = result.race
    pair = race.pair(HEAD, BASE)
    if result.outcome == "not raced":
        return f"Not raced: {joined(result.reasons)}."
    if pair is None:
        return "Can't tell: too little was measured to compare base and head."
    does = _does(pair)
    if result.outcome == "slower":
        failed = next(gate for gate in race.gates if gate.outcome == "fails")
        finding = pair.cpu_finding if failed.by else pair.finding
        said = "Slower" if finding == "slower" else f"The gate {shared.gate_text(failed)} fails"
        return f"{said}: head does {does}."
    if result.outcome == "not slower":
        return f"{_not_slower(race.gates, pair, race.within)}: it does {does}."
    effect = pair.minimum_detectable_effect
    told = [race_trust.would_be_found(race, effect)] if effect is not None else []
    told += [race_trust.more([pair]), joined(result.reasons)]
    missing = "".join(f"; {part}" for part in told if part)
    return f"Can't tell whether head is slower: it does {does}{missing}."


def _finds(outcome: CiOutcome, pair: Pair | None) -> list[str]:
    """What such a race finds, and how much more of it would tell, in words without a name."""
    if pair is None or pair.minimum_detectable_effect is None or outcome == "slower":
        return []
    more = race_trust.more([pair]) if outcome == "can't tell" else ""
    return [race_trust.found_in_most(pair.minimum_detectable_effect), *([more] if more else [])]


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
    return f"{figures.ratio_of(pair.ratio).replace('≥', 'at least')} of base{by_cpu}"


def _revision(revision: Revision) -> str:
    return f"{revision.full_name}: {revision.subject}"
