"""Answers that were wrong, too many, or missing: a sentence each."""

from bakeoff.judge.history import History
from bakeoff.judge.tally import WRONG_ANSWERS, Tally
from bakeoff.model.engine import BadExchange
from bakeoff.model.plan import Plan

MAX_ERROR_SHARE = 0.001
UNASKED = "nobody asked for"
"""In the engine's words on bytes that come after an answer."""


def reasons(plan: Plan, name: str, seen: History, spent: Tally) -> list[str]:
    """Why its figures can't stand."""
    found = [_wrong_answers(spent), _twice(name, seen), _missing(plan, name, seen, spent)]
    return [reason for reason in found if reason]


def _wrong_answers(spent: Tally) -> str:
    if not spent.wrong_answers:
        return ""
    first = f"; the first: {spent.first_bad.detail}" if spent.first_bad else ""
    return f"{spent.wrong_answers:,} of {spent.attempts:,} answers were wrong{first}"


def _twice(name: str, seen: History) -> str:
    """Its answer counts; what came after it would have been taken for the next one."""
    bad = next((each for each in _bad(name, seen) if UNASKED in each.detail), None)
    return f"it answered twice: {bad.detail}" if bad else ""


def _missing(plan: Plan, name: str, seen: History, spent: Tally) -> str:
    if spent.unanswered <= MAX_ERROR_SHARE * spent.attempts:
        return ""
    return f"{_unanswered(plan, name, seen, spent)}; 0.1 % is the limit"


def few_missing(plan: Plan, name: str, seen: History, spent: Tally) -> str:
    """The warning, where answers are missing that are too few for a reason."""
    if not 0 < spent.unanswered <= MAX_ERROR_SHARE * spent.attempts:
        return ""
    return _unanswered(plan, name, seen, spent)


def _unanswered(plan: Plan, name: str, seen: History, spent: Tally) -> str:
    kinds = ", ".join(
        f"{count:,} {kind.replace('_', ' ')}"
        for kind, count in spent.error_kinds.items()
        if kind not in WRONG_ANSWERS
    )
    broken_off = any(each.kind == "timeout" and each.response_base64 for each in _bad(name, seen))
    return (
        f"{spent.unanswered:,} of {spent.attempts:,} requests got no answer "
        f"({spent.unanswered / spent.attempts:.2%}; {kinds})"
        + ("; an answer stopped in the middle" if broken_off else "")
        + _full_queue(plan, seen, spent)
    )


def _full_queue(plan: Plan, seen: History, spent: Tally) -> str:
    """Who waits too long for a connection of its own, while the kernel drops some."""
    late = {"timeout", "connect_timeout"} & set(spent.error_kinds)
    if plan.connection != "close" or not late or not (seen.tcp and seen.tcp.listen_drops):
        return ""
    return (
        f"; its listen queue was full (the kernel dropped {seen.tcp.listen_drops:,} connections, "
        "over all servers of this machine)"
    )


def _bad(name: str, seen: History) -> list[BadExchange]:
    """The first bad exchange of each of its slices."""
    return [piece.event.first_bad for _, piece in seen.slices(name) if piece.event.first_bad]
