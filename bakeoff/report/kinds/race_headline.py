"""The result of a race in one to three sentences."""

from bakeoff.model.entry import VerdictEntry
from bakeoff.model.ratio import Ratio
from bakeoff.model.verdict import Verdict
from bakeoff.report import figures
from bakeoff.report.kinds.race_trust import more, would_be_found
from bakeoff.report.kinds.shared import ended_early
from bakeoff.report.kinds.standings import ranked, unranked
from bakeoff.report.sentences import CALLED, joined, listed, sentences

MOST_TOLD = 5
"""The number of named pairs on which the verdict by server CPU differs; the table of pairs has
all."""


def headline(verdict: Verdict) -> str:
    ended = [_ended(verdict, entry) for entry in verdict.entries if has_ended(entry)]
    beside = (*_in_the_mean(verdict), *_in_requests(verdict), *_by_cpu(verdict))
    said = (*ended, _result(verdict), *beside)
    return " ".join(said) + ended_early(verdict)


def has_ended(entry: VerdictEntry) -> bool:
    return any(reason.code == "died" for reason in entry.reasons)


def until_end(entry: VerdictEntry, reference: str) -> str:
    if entry.until_end is None:
        return ""
    blocks = figures.plural(entry.until_end.n, "block")
    return f"until then {figures.ratio_of(entry.until_end)} of {reference}, n = {blocks}"


def _ended(verdict: Verdict, entry: VerdictEntry) -> str:
    how = (
        joined(entry.reasons[:1], verdict.unit)
        .splitlines()[0]
        .removesuffix("; the end of its log:")
    )
    until = until_end(entry, verdict.reference)
    return f"{entry.name} is out: it {how}{until and f'; {until}'}."


def measured(entry: VerdictEntry, unit: str) -> str:
    answers = figures.plural(entry.requests, "answer")
    return f"{figures.rate(entry.requests_per_s)} {unit}s/s, n = {answers}"


def _in_requests(verdict: Verdict) -> list[str]:
    """The request in which two contenders differ most unusually."""
    found = verdict.by_request[:1] if verdict.valid else ()
    return [_sentence(said) for said in sentences(found)]


def _by_cpu(verdict: Verdict) -> list[str]:
    """The most important pair on which the verdict by server CPU differs, and how many more there
    are."""
    if not verdict.valid or not verdict.by_cpu:
        return []
    said, more = _sentence(sentences(verdict.by_cpu[:1], verdict.unit)[0]), len(verdict.by_cpu) - 1
    others = figures.plural(more, "other pair")
    return [said, f"The two verdicts differ on {others}, too."] if more else [said]


def _sentence(said: str) -> str:
    return f"{said[:1].upper()}{said[1:].rstrip('.')}."


def _in_the_mean(verdict: Verdict) -> list[str]:
    """The first pair on which mean speeds disagree with typical ones."""
    for pair in verdict.pairs if verdict.valid else ():
        mean = pair.mean_ratio
        if mean is None or not mean.excludes(1) or not mean.excludes(pair.ratio.ratio):
            continue
        if pair.finding != ("faster" if mean.ratio > 1 else "slower"):
            ahead = pair if mean.ratio > 1 else pair.turned()
            mean = ahead.mean_ratio or mean
            as_many = _as_many(mean, f"{verdict.unit}s per second as {ahead.b}")
            return [f"In the mean, with all pauses, {ahead.a} answers {as_many}."]
    return []


def _result(verdict: Verdict) -> str:
    entries = ranked(verdict)
    if not entries:
        return "No verdict: no contender gave a valid result."
    if len(entries) == 1 and any(map(has_ended, verdict.entries)):
        return f"{entries[0].name} answered {measured(entries[0], verdict.unit)}."
    leader = entries[0]
    if len(entries) == 1:
        return _alone(verdict, leader)
    if not verdict.valid:
        return " ".join(
            ["No valid verdict.", *map(_sentence, sentences(verdict.warnings[:1], verdict.unit))]
        )
    level = [entry for entry in entries[1:] if not _beats(verdict, leader, entry)]
    behind = [entry for entry in entries[1:] if entry not in level]
    said = [_tie(verdict, leader, level)] if level else []
    if behind:
        said.append(_gap(verdict, leader, behind[0], "the next, " if level else ""))
    if not level and len(behind) > 1:
        said.append(_span(verdict, leader, behind[-1], len(entries)))
    return " ".join(said)


def _alone(verdict: Verdict, leader: VerdictEntry) -> str:
    had = measured(leader, verdict.unit)
    if len(verdict.entries) == 1:
        return f"{leader.name} raced alone ({had}): there is nothing to compare."
    if any(entry.valid for entry in unranked(verdict)):
        return "Can't tell: too little was measured to compare. A longer race will: see --duration."
    return f"Only {leader.name} gave a valid result ({had}): there is nothing to compare."


def _beats(verdict: Verdict, leader: VerdictEntry, other: VerdictEntry) -> bool:
    pair = verdict.pair(leader.name, other.name)
    return pair is not None and pair.finding == "faster"


def _tie(verdict: Verdict, leader: VerdictEntry, level: list[VerdictEntry]) -> str:
    """The contenders that can't be told from the leader, with the difference that such races
    find."""
    pairs = [p for entry in level if (p := verdict.pair(leader.name, entry.name))]
    known = [pair.minimum_detectable_effect for pair in pairs]
    # For a contender that did at least what was measured no difference can be promised.
    seen = max((size for size in known if size), default=None) if all(known) else None
    told = (seen and would_be_found(verdict, seen), more(pairs))
    could = "".join(f"; {part}" for part in told if part) + "."
    neither = all(pair.cpu_finding == "can't tell" for pair in pairs)
    by = f" by {CALLED[verdict.ranked_by]} or server CPU" if pairs and neither else ""
    names = listed([leader.name, *(entry.name for entry in level)])
    differ = f"differ by more than {_margin(verdict)}" if verdict.within else ""
    if len(level) > 1:
        if len(pairs) == len(level) and all(pair.finding == "within" for pair in pairs):
            return f"{names} don't {differ}."
        return (
            f"Can't tell {f'whether {names} {differ}' if differ else f'{names} apart{by}'}{could}"
        )
    start = f"Can't tell {leader.name} from {level[0].name}{by}"
    if differ:
        start = f"Can't tell whether {names} {differ}"
    if not pairs:
        return f"{start}."
    if pairs[0].finding == "within":
        return f"{names} don't {differ}: ratio {figures.ratio_of(pairs[0].ratio)}."
    ratio = pairs[0].ratio
    if ratio.low is None or ratio.high is None:
        bounded = listed(entry.name for entry in (leader, level[0]) if entry.at_least)
        return f"{start}: the load generator was the limit of {bounded}{could}"
    middle, low, high = figures.interval(ratio.ratio, ratio.low, ratio.high)
    same = f", equivalent within {figures.margin(verdict.equivalence_margin)}"
    return f"{start}: ratio {middle} ({low} to {high}){same if pairs[0].equivalent else ''}{could}"


def _gap(verdict: Verdict, leader: VerdictEntry, other: VerdictEntry, which: str) -> str:
    """By how much the leader is ahead of one that is surely behind."""
    pair = verdict.pair(leader.name, other.name)
    if pair is None:
        return f"{leader.name} is ahead of {which}{other.name}."
    if verdict.ranked_by == "p99":
        said = f"{leader.name} answers sooner than {which}{other.name}"
        said += f": {_times(pair.ratio, f'the p99 of {other.name} is', 'as long')}"
    else:
        as_many = _as_many(pair.ratio, f"{verdict.unit}s per second as {which}{other.name}")
        said = f"{leader.name} answers {as_many}"
    if verdict.within:
        return f"{said}: more than {_margin(verdict)} apart."
    if pair.equivalent:
        said += f", less than the {figures.margin(verdict.equivalence_margin)} taken as equivalent"
    if pair.cpu_ratio and pair.cpu_finding == pair.finding:
        p99 = verdict.ranked_by == "p99"
        answers, of = (f"{leader.name} answers ", f"{verdict.unit}s ") if p99 else ("", "")
        said += f", and {answers}{_as_many(pair.cpu_ratio, f'{of}per second of server CPU')}"
    return f"{said}."


def _span(verdict: Verdict, leader: VerdictEntry, last: VerdictEntry, among: int) -> str:
    pair = verdict.pair(leader.name, last.name)
    who = f"{last.name}, the slowest of {among}"
    if pair is None:
        return f"It leads {who}."
    if verdict.ranked_by == "p99":
        return f"{_times(pair.ratio, f'The p99 of {who}, is', 'as long')}."
    return f"It answers {_as_many(pair.ratio, f'as {who}')}."


def _margin(verdict: Verdict) -> str:
    return f"{figures.given(100 * (verdict.within or 0.0))} %"


def _as_many(of: Ratio, what: str) -> str:
    """`1.14 times as many requests per second as nginx (1.12 to 1.15)`."""
    return _times(of, "", f"as many {what}")


def _times(of: Ratio, before: str, after: str) -> str:
    """The ratio of the one that is ahead, in a sentence, its interval at the end."""
    ratio, _, between = figures.ratio_of(of).partition(" (")
    number = ratio.replace("≥ ", "at least ").removesuffix("×")
    return f"{before} {number} times {after}{between and f' ({between}'}".strip()
