"""Gates: conditions for a change to pass, and their results."""

from typing import Literal

from pydantic import PositiveFloat

from bakeoff.model.base import Contract, IfGiven
from bakeoff.model.finding import Finding
from bakeoff.model.ratio import Ratio

Sign = Literal[">=", ">", "<=", "<"]
CantTell = Literal["pass", "fail"]
Outcome = Literal["holds", "fails", "can't tell", "doesn't decide"]


class Gate(Contract):
    """`left` is at least (`>=`, `>`) or at most `factor` times as good as `right`.

    “As good” refers to the figure that ranks the race. `right` is None if two runs are compared:
    `left` is then compared with itself in the earlier run. `text` is the gate as given.
    """

    text: str
    left: str
    sign: Sign
    factor: PositiveFloat
    right: str | None


class GateResult(Contract):
    """A gate, decided from the interval of the `ratio` of its two sides; the two figures of a
    co-primary gate share the 5 %, and each has a result of its own.

    It `holds` if the whole interval is on the right side of the factor, and `fails` if the whole
    interval is on the wrong one, or if an entry's figures don't count: then `reasons` say why, and
    there is no ratio. `passes` is its effect on the exit status; `cant_tell` is the policy for
    gates that can't be decided. `by` is the compared figure; None: the one that ranks the race. A
    ratio by server CPU `doesn't decide` if the two make different calls, for `reasons`.
    """

    gate: Gate
    by: IfGiven[Literal["requests_per_cpu_s"]] = None
    outcome: Outcome
    passes: bool
    cant_tell: CantTell
    ratio: Ratio | None = None
    reasons: tuple[Finding, ...] = ()
