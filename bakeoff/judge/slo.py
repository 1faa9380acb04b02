"""One slice of an open loop held against an objective, condition by condition."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log

from bakeoff.judge.answers import MAX_ERROR_SHARE
from bakeoff.judge.latency import MIN_BEYOND, TOP_US, Merged, merge, merge_encoded
from bakeoff.judge.open_loop import ANSWERED_MIN, SEND_LAG_MAX_SHARE, SEND_LAG_MAX_US
from bakeoff.judge.tally import WRONG_ANSWERS
from bakeoff.judge.validity import SATURATED
from bakeoff.model.capacity import Objective
from bakeoff.model.samples import Slice

ANSWERED, ERRORS, GENERATOR = "answered", "errors", "generator"
CLIP = 1.0
"""Scores end here, at e times the limit and at a 1/e of it: what is far off is only far off. So one
slice that the host stalled can't outweigh two that it left alone."""


@dataclass(frozen=True)
class Held:
    """A slice's `scores`: one for each condition, above 0 where it breaks it, from −1 to 1.

    A quantile with fewer than ten requests beyond it has no score. `late`: the generator had no
    more to give, so that what broke may be its fault.
    """

    rate: float
    scores: Mapping[str, float]
    late: bool


def hold(piece: Slice, objective: Objective) -> Held:
    """`piece`, a slice with a rate, against `objective`.

    Quantiles: ln(quantile / limit), of all requests that were due in the window, those never
    answered infinitely late. Answered: by how much of 1 % the answers in the window stay behind
    what was due in it; a queue that grows shows here, since its requests are answered after the
    window. Errors: ln(share / 0.1 %).
    """
    event, latency = piece.event, merge([piece.event])
    assert piece.rate
    due = latency.answered + latency.misses
    answered = event.requests / due if due else 0.0
    scores = {ANSWERED: _clipped((ANSWERED_MIN - answered) / (1 - ANSWERED_MIN))}
    bad = error_share(piece, due)
    scores[ERRORS] = _clipped(log(bad / MAX_ERROR_SHARE)) if bad else -CLIP
    for bound in objective.bounds:
        if due * (1 - bound.p) >= MIN_BEYOND:
            us = latency.quantile_us(bound.p)
            scores[bound.quantile] = _clipped(log((us or TOP_US) / bound.limit_us))
    return Held(piece.rate, scores, _late(piece, latency))


def error_share(piece: Slice, due: int) -> float:
    """Requests of the window that were not answered, or wrongly, per request due in it."""
    event = piece.event
    wrong = sum(event.errors.get(kind, 0) for kind in WRONG_ANSWERS)
    # The engine counts wrong answers over ramp, window and drain: the window has its part.
    in_window = wrong * event.requests / event.requests_all if event.requests_all else wrong
    return (event.misses + in_window) / due if due else 1.0


def _late(piece: Slice, latency: Merged) -> bool:
    """The generator was busy, and sent late.

    Late alone tells nothing: a request that finds every connection busy waits for the server.
    """
    if piece.event.busy < SATURATED:
        return False
    lag_us = merge_encoded([piece.event.send_lag or ""]).quantile_us(0.99)
    usual_us = latency.quantile_us(0.5) or 0.0
    return lag_us is None or lag_us > max(SEND_LAG_MAX_US, SEND_LAG_MAX_SHARE * usual_us)


def _clipped(score: float) -> float:
    return max(-CLIP, min(CLIP, score))
