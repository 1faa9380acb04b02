"""What a verdict says in plain English. Every sentence of the report is made here."""

from collections.abc import Iterable, Mapping

from bakeoff.model.gate import GateResult
from bakeoff.model.plan import Cores, RankedBy
from bakeoff.model.verdict import Verdict, VerdictEntry
from bakeoff.report import figures


def ranked(verdict: Verdict) -> list[VerdictEntry]:
    """The entries that stand in the race, fastest first. The twin is none: see `noise_floor`."""
    standing = [entry for entry in verdict.entries if entry.valid and entry.ratio is not None]
    return sorted(standing, key=lambda entry: -(entry.ratio or 0))


def unranked(verdict: Verdict) -> list[VerdictEntry]:
    """The entries that have no place, in the order of the verdict."""
    return [entry for entry in verdict.entries if not entry.valid or entry.ratio is None]


def headline(verdict: Verdict) -> str:
    """The verdict in one to three sentences."""
    sentences = [_finding(verdict)]
    if not verdict.complete:
        blocks = figures.plural(verdict.blocks, "block")
        sentences.append(f"The run ended early: this is what its first {blocks} say.")
    return " ".join(sentences)


def _finding(verdict: Verdict) -> str:
    entries = ranked(verdict)
    if not entries:
        return "No verdict: no contender gave a valid result."
    leader = entries[0]
    if len(entries) == 1:
        return _alone(verdict, leader)
    if not verdict.valid:
        return " ".join(["No valid verdict.", *(_sentence(each) for each in verdict.warnings[:1])])
    level = [entry for entry in entries[1:] if not _beats(verdict, leader, entry)]
    behind = [entry for entry in entries[1:] if entry not in level]
    said = [tie(verdict, leader, level)] if level else []
    if behind:
        said.append(gap(verdict, leader, behind[0], "the next, " if level else ""))
    if not level and len(behind) > 1:
        said.append(_span(verdict, leader, behind[-1], len(entries)))
    return " ".join(said)


def _alone(verdict: Verdict, leader: VerdictEntry) -> str:
    """There is no ratio but the reference's own 1."""
    if len(verdict.entries) == 1:
        return f"{leader.name} raced alone ({measured(leader)}): there is nothing to compare."
    if any(entry.valid for entry in unranked(verdict)):
        return "Can't tell: too little was measured to compare. A longer race will: see --duration."
    return (
        f"Only {leader.name} gave a valid result ({measured(leader)}): there is nothing to compare."
    )


def _beats(verdict: Verdict, leader: VerdictEntry, other: VerdictEntry) -> bool:
    pair = verdict.pair(leader.name, other.name)
    return pair is not None and pair.finding == "faster"


def tie(verdict: Verdict, leader: VerdictEntry, level: list[VerdictEntry]) -> str:
    """Those that can't be told from the leader, with what could have been seen."""
    pairs = [p for each in level if (p := verdict.pair(leader.name, each.name))]
    seen = max((pair.minimum_detectable_effect for pair in pairs), default=None)
    could = f"; a difference of {figures.percent(seen)} would have been seen." if seen else "."
    if len(level) > 1:
        names = listed([leader.name, *(entry.name for entry in level)])
        return f"Can't tell {names} apart{could}"
    start = f"Can't tell {leader.name} from {level[0].name}"
    if not pairs:
        return f"{start}."
    middle, low, high = figures.interval(pairs[0].ratio, pairs[0].low, pairs[0].high)
    same = f", equivalent within {figures.margin(verdict.equivalence_margin)}"
    return f"{start}: ratio {middle} ({low} to {high}){same if pairs[0].equivalent else ''}{could}"


def gap(verdict: Verdict, leader: VerdictEntry, other: VerdictEntry, which: str) -> str:
    """By how much the leader is ahead of one that is surely behind."""
    pair = verdict.pair(leader.name, other.name)
    if pair is None:
        return f"{leader.name} {_ahead(verdict)} {which}{other.name}."
    small = f", less than the {figures.margin(verdict.equivalence_margin)} taken as equivalent"
    return (
        f"{leader.name} {_ahead(verdict)} {which}{other.name}{_by(verdict, which)}"
        f" {figures.ratio_times(pair.ratio, pair.low, pair.high)}"
        f"{small if pair.equivalent else ''}."
    )


def _ahead(verdict: Verdict) -> str:
    return "is faster than" if verdict.ranked_by == "requests_per_s" else "answers sooner than"


def question(verdict: Verdict) -> str:
    """What the race asks of its contenders."""
    return "is faster" if verdict.ranked_by == "requests_per_s" else "answers sooner"


def _by(verdict: Verdict, which: str) -> str:
    comma = "," if which else ""
    return f"{comma} by" if verdict.ranked_by == "requests_per_s" else ", its p99 is shorter by"


def _span(verdict: Verdict, leader: VerdictEntry, last: VerdictEntry, among: int) -> str:
    pair = verdict.pair(leader.name, last.name)
    by = f" by {figures.ratio_times(pair.ratio, pair.low, pair.high)}" if pair else ""
    return f"It leads {last.name}, the slowest of {among},{by}."


def mode(verdict: Verdict) -> str:
    """How it was measured, in one line."""
    parts = [
        loop(verdict),
        figures.plural(verdict.connections, "connection"),
        verdict.connection if verdict.connection == "keep-alive" else "a connection per request",
        *([f"{verdict.pipeline} requests ahead on each"] if verdict.pipeline > 1 else []),
        cores(verdict.cores),
        figures.plural(verdict.boots, "boot"),
        figures.plural(verdict.blocks, "block"),
    ]
    parts.append(f"slices of {slice_lengths(verdict)}")
    if verdict.solo:
        parts.append("one contender up at a time")
    return ", ".join(parts)


def loop(verdict: Verdict) -> str:
    """Closed, or open with what each contender was offered."""
    if verdict.mode == "closed":
        return "closed loop"
    if verdict.rate:
        offered = f"{figures.rate(verdict.rate)} requests/s to each"
    else:
        offered = f"{figures.percent(verdict.load)} of each one's own peak"
    arrivals = {"poisson": "Poisson arrivals", "uniform": "evenly spaced"}[verdict.arrivals]
    return f"open loop with {offered} ({arrivals})"


def precision(verdict: Verdict) -> str:
    """What became of the precision that was asked for; empty where none was."""
    found = verdict.precision
    if found is None:
        return ""
    asked, took = f"±{figures.percent(found.asked)}", figures.duration(verdict.measured_s * 1e6)
    if found.reached is None:
        return f"Precision: {asked} was asked for; there are no neighbours to tell apart."
    reached = f"±{figures.percent(found.reached)}"
    if found.met:
        return (
            f"Precision: {reached} between neighbours after {took} ({asked} was asked for). As the "
            "race ended by the width of its intervals, their 95 % are approximate."
        )
    more = (
        f" About {figures.duration(found.more_s * 1e6)} more would probably have done."
        if found.more_s
        else ""
    )
    return f"Precision: {asked} between neighbours was not reached in {took}: {reached}.{more}"


def slice_lengths(verdict: Verdict) -> str:
    """How long the short slices were: the same for all, or from the shortest to the longest."""
    lengths_ms = [entry.slice_ms for entry in verdict.entries if entry.slice_ms]
    if not lengths_ms:
        return figures.MISSING
    shortest, longest = min(lengths_ms), max(lengths_ms)
    return f"{shortest} ms" if shortest == longest else f"{shortest} to {longest} ms"


def cores(pinned: Cores) -> str:
    """Which processors did what."""
    client = f"generator on {_core_list(pinned.client)}"
    if pinned.shared:
        client += " (shared)"
    if len(pinned.server) == 1:
        return f"one server core {pinned.server[0]}, {client}"
    return f"servers on {_core_list(pinned.server)}, {client}"


def _core_list(numbers: tuple[int, ...]) -> str:
    if not numbers:
        return "any core"
    return f"core{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def noise_floor(verdict: Verdict) -> str:
    """What two copies of one program differ by here."""
    floor = verdict.noise_floor
    if floor is None:
        return "No noise floor to hold ratios against: no twin was raced, or not for long enough."
    middle, low, high = figures.interval(floor.ratio, floor.low, floor.high)
    said = (
        f"{floor.name}, a second copy of {verdict.reference}, came out at {middle}×"
        f" ({low} to {high}), n = {figures.plural(floor.n, 'block')}"
        f" over {figures.plural(floor.boots, 'boot')}."
    )
    if floor.low <= 1 <= floor.high:
        return said
    apart = figures.percent(max(abs(floor.low - 1), abs(floor.high - 1)))
    return f"{said} Two copies of one program differ: trust no gap under {apart}."


def confirmation(verdict: Verdict) -> str:
    """What the solo part says of each ratio; empty: there is none."""
    said = []
    for entry in verdict.entries:
        if entry.solo:
            middle, low, high = figures.interval(entry.solo.ratio, entry.solo.low, entry.solo.high)
            agrees = "agrees" if entry.solo_agrees else "does not agree"
            rounds = figures.plural(entry.solo.n, "round")
            said.append(f"{entry.name} {middle}× ({low} to {high}), n = {rounds}, {agrees}")
    if not said:
        return ""
    return f"With one contender up at a time, against {verdict.reference}: {'; '.join(said)}."


def detectable(verdict: Verdict) -> str:
    """How large a difference between those that can't be told apart would have been seen."""
    if not verdict.pairs:
        return "What difference could have been seen is not known: there are too few blocks."
    if all(pair.finding != "can't tell" for pair in verdict.pairs):
        return "Every pair was told apart."
    return (
        "Between those that can't be told apart, a difference of "
        f"{figures.percent(verdict.minimum_detectable_effect)} had an 80 % chance to be seen."
    )


def warnings(verdict: Verdict) -> list[str]:
    """All warnings: of the race, then of the entries, which are named; each is said once."""
    return [*verdict.warnings, *said_once({each.name: each.warnings for each in verdict.entries})]


def said_once(warnings: Mapping[str, Iterable[str]]) -> list[str]:
    """The warnings of several, by name, each with the names of all whose it is."""
    whose: dict[str, list[str]] = {}
    for name, own in warnings.items():
        for warning in own:
            whose.setdefault(warning, []).append(name)
    return [
        f"{listed(names)}{', each' if len(names) > 1 else ''}: {warning}"
        for warning, names in whose.items()
    ]


def reasons(entry: VerdictEntry) -> str:
    """Why an entry has no place."""
    return "; ".join(entry.reasons) or "too few blocks for a ratio"


def measured(entry: VerdictEntry) -> str:
    """An entry's throughput with what it rests on: an invalid one has no paired blocks."""
    answers = figures.plural(entry.requests, "answer")
    return f"{figures.rate(entry.requests_per_s)} requests/s, n = {answers}"


GATE_MARKS = {"holds": "✓", "fails": "✗", "can't tell": "?"}


def gates(verdict: Verdict) -> list[str]:
    """What became of each gate."""
    by = verdict.ranked_by
    return [f"{GATE_MARKS[each.outcome]} {gate(each, by)}" for each in verdict.gates]


_RATIO_OF = {"requests_per_s": "the ratio", "p99": "by p99, where more is better, the ratio"}


def gate(result: GateResult, ranked_by: RankedBy) -> str:
    """One gate: what became of it, why, and where nobody can tell, what was made of that."""
    said = f"{result.gate.text}: {result.outcome}"
    if result.ratio is not None and result.low is not None and result.high is not None:
        middle, low, high = figures.interval(result.ratio, result.low, result.high)
        blocks = figures.plural(result.n, "block")
        said += f", {_RATIO_OF[ranked_by]} is {middle} ({low} to {high}), n = {blocks}"
    else:
        said += f", {result.reason}"
    if result.outcome != "can't tell":
        return said
    return f"{said}; it {'passes' if result.passes else 'fails'} by --cant-tell {result.cant_tell}"


def latency_caution(verdict: Verdict) -> str:
    """What latencies of this race mean."""
    if verdict.mode == "open":
        return f"Latency runs from when a request was due, in an {loop(verdict)}."
    return (
        "Latency is that of long slices, at each contender's own full load (closed loop):"
        " between contenders of different throughput it is no comparison."
    )


def listed(names: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def printable(text: str) -> str:
    """Text from outside without control characters, which could steer a terminal."""
    return "".join(c if c.isprintable() else " " if c in "\r\n\t" else "�" for c in text)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
