"""Does the rotation's picture agree with the one of each contender alone on the machine?"""

from bakeoff.judge.change import change
from bakeoff.judge.standings import figures
from bakeoff.model.verdict import Interval, Verdict, VerdictEntry


def confirmed(verdict: Verdict, solo: Verdict | None) -> Verdict:
    """The verdict with each entry's `solo` ratio beside it, and a warning where the two differ.

    `solo` is the verdict of the same entries, one up at a time; None: there is none. The two are
    independent measurements of one ratio, so they disagree where the interval of their quotient
    leaves out 1.
    """
    if solo is None:
        return _warned(verdict, "not confirmed: the solo part was not measured")
    found = verdict.model_copy(
        update={"entries": tuple(_confirmed(entry, verdict, solo) for entry in verdict.entries)}
    )
    if not solo.complete:
        return _warned(found, "the solo part that was to confirm the race ended early")
    return found


def _confirmed(entry: VerdictEntry, verdict: Verdict, solo: Verdict) -> VerdictEntry:
    reference = verdict.reference
    in_turns = verdict.pair(entry.name, reference)
    if in_turns is None:
        return entry
    alone = solo.pair(entry.name, reference)
    if alone is None:
        fault = solo.trouble(entry.name) or solo.trouble(reference)
        why = f"not confirmed: solo, {fault or f'too few rounds have both it and {reference}'}"
        return entry.model_copy(update={"warnings": (*entry.warnings, why)})
    interval = Interval(
        ratio=alone.ratio, low=alone.low, high=alone.high, n=alone.n, boots=max(1, solo.boots)
    )
    agrees = change(in_turns, alone).finding == "can't tell"
    warnings = entry.warnings
    if not agrees:
        warnings += (
            f"in turns and solo it is not the same: against {reference}, in turns the ratio is "
            f"{figures(in_turns)}, with one contender up at a time {figures(alone)}, which is "
            "more than chance; the solo figure is the steady picture",
        )
    found = {"solo": interval, "solo_agrees": agrees, "warnings": warnings}
    return entry.model_copy(update=found)


def _warned(verdict: Verdict, warning: str) -> Verdict:
    return verdict.model_copy(update={"warnings": (*verdict.warnings, warning)})
