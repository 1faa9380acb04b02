"""How far a race can be trusted."""

from collections.abc import Sequence

from bakeoff.model.history import EARLIER_MIN
from bakeoff.model.pairs import Pair
from bakeoff.model.verdict import Verdict
from bakeoff.report import figures
from bakeoff.report.document import List, Section, Text, items
from bakeoff.report.kinds.race_method import loop
from bakeoff.report.kinds.shared import varying, warned, warnings
from bakeoff.report.sentences import joined, sentences, who

HELPFUL = 0.2
"""A larger difference is visible without a race."""
WIDENS = ("few_processes", "few_boots", "core_restless", "host_steal")
"""Findings that explain why an interval is wide."""


def section(verdict: Verdict) -> Section:
    return Section(
        "How far to trust it",
        (
            Text(f"{noise_floor(verdict)} {detectable(verdict)}", "Noise floor"),
            Text(next_race(verdict), "Next race", wide=True),
            Text(machines(verdict), "Machines"),
            Text(precision(verdict), "Precision"),
            Text(ending(verdict), "Its end"),
            Text(confirmation(verdict), "Confirmation"),
            Text(latency_caution(verdict), quiet=True, wide=True),
            varying(verdict.entries, mix=bool(verdict.requests), wide=True),
            warned(warnings(verdict)),
            List("Unequal work", items("≠", sentences(verdict.fairness, verdict.unit)), wide=True),
        ),
    )


def noise_floor(verdict: Verdict) -> str:
    floor = verdict.noise_floor
    if floor is None and verdict.machines:
        return "No noise floor to hold ratios against: the twin was on another machine."
    if floor is None:
        return (
            "No noise floor to hold ratios against: no twin was raced, not for long enough, or the"
            " load generator was its limit."
        )
    said = (
        f"{floor.name}, a second copy of {verdict.reference}, came out at"
        f" {figures.ratio_of(floor)}, n = {figures.plural(floor.n, 'block')}"
        f" over {figures.plural(floor.boots or 0, 'boot')}."
    )
    if all(warning.code != "twin_differs" for warning in verdict.warnings):
        return said
    doubt = figures.percent(figures.doubt(floor.low, floor.high))
    return (
        f"{said} Two copies of one program differ: a difference smaller than {doubt} is in doubt."
    )


def detectable(verdict: Verdict) -> str:
    if not verdict.pairs:
        return "What difference such a race finds is not known: there are too few blocks."
    if all(pair.finding != "can't tell" for pair in verdict.pairs):
        apart = all(pair.finding != "within" for pair in verdict.pairs)
        return f"Every pair was {'told apart' if apart else 'decided'}."
    tied = [pair for pair in verdict.pairs if pair.finding == "can't tell"]
    if all(pair.minimum_detectable_effect is None for pair in tied):
        return "Of all that can't be told apart, the load generator was the limit of one at least."
    effect = verdict.minimum_detectable_effect
    return f"Between those that can't be told apart, {would_be_found(verdict, effect)}."


def would_be_found(verdict: Verdict, effect: float | None) -> str:
    """The difference that such races find; if it is too large to help, the obstacle."""
    found = found_in_most(effect)
    if effect is None or effect <= HELPFUL:
        return found
    widened = [warning for warning in verdict.warnings if warning.code in WIDENS][:1]
    why = (
        joined(widened)
        or "its draws are too few for how much they differ, and a longer race (-d) has more"
    )
    return f"{found}: {why}"


def found_in_most(effect: float | None) -> str:
    """The difference that such races find, unless it is too large to help; without names."""
    if effect is None or effect <= HELPFUL:
        size = figures.percent(effect)
        return f"a difference of {size} would have been found in four of five such races"
    return f"no difference under {HELPFUL * 100:.0f} % would have been found"


def next_race(verdict: Verdict) -> str:
    """The scope of the intervals, and, with a history, the expectation of another race; empty
    without intervals.

    Of several pairs the top one is named.
    """
    if all(pair.error is None for pair in verdict.pairs):
        return ""
    holds = f"{'The interval holds' if len(verdict.pairs) == 1 else 'Intervals hold'} for this hour"
    if verdict.earlier_races is None:
        return f"{holds} of this machine: another day's race may give another ratio."
    first = next((pair for pair in verdict.pairs if pair.next_race), None)
    if first is None or first.next_race is None:
        return (
            f"{holds} of this machine. A prediction for another day takes {EARLIER_MIN} earlier"
            " races of the same builds, of this pair or of others in this setting; the history has"
            f" {figures.plural(verdict.earlier_races, 'race')} in this setting."
        )
    pair = first.turned() if first.ratio.ratio < 1 else first
    assert pair.next_race
    basis = {"pair": "of the pair", "family": "of all pairs in this setting"}[pair.next_race.basis]
    return (
        f"{holds} of this machine: a race of the same length on another day is expected to give"
        f" {pair.a} / {pair.b} {figures.expected(pair.next_race)} (95 %, from"
        f" {figures.plural(pair.next_race.n, 'earlier race')} {basis})."
    )


def more(pairs: Sequence[Pair]) -> str:
    """How much more measuring would decide the undecided ones of `pairs`; empty: all are decided,
    or no known time would decide them."""
    left = [pair for pair in pairs if not pair.decided]
    times_s = [pair.more_s for pair in left if pair.more_s is not None]
    if not left or len(times_s) < len(left):
        return ""
    return f"{figures.about(max(times_s))} of further measuring would tell"


def ending(verdict: Verdict) -> str:
    """The scope of the intervals of a race that had no fixed time, or was not measured for it;
    empty for any other race."""
    if verdict.stopping == "planned":
        return ""
    took = figures.duration(verdict.measured_s * 1e6)
    if verdict.decided is not None:
        said = f"The race was {'' if verdict.decided else 'not '}decided in {took} of measuring."
    elif verdict.precision:
        said = f"The race was to reach a precision, and measured for {took}."
    elif verdict.complete:
        said = f"{took} of measuring so far."
    else:
        said = f"The race ended after {took} of measuring, before its time."
    too_far = " A ratio that ended a race is a little too far from 1." if verdict.decided else ""
    return (
        f"{said} Its intervals hold whenever a race ends, and are wider for that than those of a"
        f" fixed time.{too_far}"
    )


def machines(verdict: Verdict) -> str:
    """Whether the contenders' ratios agree between the machines of a race; empty: there is only
    one."""
    if not verdict.machines:
        return ""
    said = [
        f"on {own.machine} over {own.over} it came out at {figures.ratio_of(own)}, "
        f"n = {figures.plural(own.n, 'block')} over {figures.plural(own.boots or 0, 'boot')}"
        for own in verdict.machines
    ]
    differ = any(warning.code == "machines_differ" for warning in verdict.warnings)
    answer = "They differ" if differ else "Can't tell"
    return (
        f"Do the machines differ? {answer}. {verdict.machines[0].contender} ran on two of them at "
        f"a time: {'; '.join(said)}."
    )


def precision(verdict: Verdict) -> str:
    """Whether the requested precision was reached; empty: none was requested."""
    result = verdict.precision
    if result is None:
        return ""
    asked, took = f"±{figures.percent(result.asked)}", figures.duration(verdict.measured_s * 1e6)
    if result.reached is None:
        return f"{asked} was requested; there are no neighbours to tell apart."
    reached = f"±{figures.percent(result.reached)}"
    if result.met:
        return (
            f"{reached} between neighbours after {took} ({asked} was requested). The race ended"
            " when its intervals were narrow enough."
        )
    if result.more_s is None:
        enough = (
            " More time would not have been enough: there are too few processes, or ratios so far"
            " from 1 differ by more than that from race to race."
        )
    else:
        more = figures.duration(result.more_s * 1e6)
        enough = f" About {more} more would probably have been enough."
    return f"{asked} between neighbours was not reached in {took}: {reached}.{enough}"


def confirmation(verdict: Verdict) -> str:
    """The agreement of the solo part with each ratio; empty: there is no solo part."""
    said = [
        f"{entry.name} {figures.ratio_of(entry.solo)}, n = {figures.plural(entry.solo.n, 'round')},"
        f" {'agrees' if entry.solo_agrees else 'does not agree'}"
        for entry in verdict.entries
        if entry.solo
    ]
    if not said:
        return ""
    return f"With one contender up at a time, against {verdict.reference}: {'; '.join(said)}."


def latency_caution(verdict: Verdict) -> str:
    names = [entry.name for entry in verdict.entries if entry.at_least]
    limited = f" That of {who(names)} is the load generator's too." if names else ""
    if verdict.mode == "open":
        return f"Latency runs from when a request was due, in an {loop(verdict)}.{limited}"
    return (
        "Latency is that of long slices, at each contender's own full load (closed loop):"
        f" between contenders of different throughput it is no comparison.{limited}"
    )
