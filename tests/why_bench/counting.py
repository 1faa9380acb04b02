"""What counts, written down before the tries.

- Every try that began counts. One that ended without a difference is kept with its reason: nothing
  was named, and its size is wrong.
- Names are the causes in the finding's sentence, four at most, what the threads of a contender that
  is held up wait for, and the findings of unequal work.
  What remains (unexplained, other functions, code without names, other kernel work) is not a name.
  A name is right where it is one of those in `causes.CONSISTS_OF`, and where its time or its number
  is more on the planted side; all others are wrong, but for the functions that call all causes
  (`NEUTRAL`). A try is named right if one name is right.
- The size that is claimed is the sum of the table's lines that have a right name, whether they are
  in the sentence or not; the sum's interval is that of its lines, added by their squares.
- The truth is measured apart: by other processes, after the look, at its rate, without samples.
  Causes that the yardstick can time itself take the CPU time of its thread from before to after
  (`--clock`). The others change what happens elsewhere (segments, wake-ups, cold caches); their
  size is what the whole CPU time per request of further pairs of processes differs by in plain
  blocks, the middle one of three.
- A size is right where claim and truth differ by no more than both intervals, added by squares.
- Of servers other than the yardstick only names count.
"""

from collections.abc import Sequence

from bakeoff.model.base import Contract
from bakeoff.model.finding import Finding
from bakeoff.model.why import COMPILED_AT_RUN_TIME, Why, WhyLine
from bakeoff.report.sentences import sentence
from tests.why_bench.causes import Planted

REMAINDERS = ("other_functions", "others", f"[{COMPILED_AT_RUN_TIME}]")
NEUTRAL = ("Behaviour::answer", "Planted::pass", "Planted::spend", "main.main.func", "py::answer")


class Truth(Contract):
    """What a cause costs a request, µs, and half of the interval of that."""

    us: float
    half_us: float


class Counted(Contract):
    """What a look said of a planted cause."""

    names: tuple[str, ...]
    right: bool
    wrong: tuple[str, ...]
    claimed_us: float | None
    claimed_half_us: float | None
    size_right: bool
    cpu_us: float | None
    cpu_half_us: float | None
    unexplained_us: float | None
    said: str


NOTHING = Counted(
    names=(),
    right=False,
    wrong=(),
    claimed_us=None,
    claimed_half_us=None,
    size_right=False,
    cpu_us=None,
    cpu_half_us=None,
    unexplained_us=None,
    said="",
)


def counted(planted: Planted, side: str, result: Why, truth: Truth | None) -> Counted:
    """What becomes of one try: `side` is the contender with the cause."""
    if not result.pairs:
        return NOTHING
    (pair,) = result.pairs
    sign = 1 if pair.name == side else -1
    names = [(finding.code, True) for finding in result.unequal]
    if held := pair.held_up:
        names += [(name_of(each), held.values["name"] == side) for each in held.because]
    names += [
        (name_of(cause), more_of(cause) * sign > 0)
        for cause in pair.finding.because
        if cause.code != "in_nothing_seen" and name_of(cause) not in REMAINDERS
    ]
    right = [name for name, more in names if more and planted.owns(name)]
    wrong = [
        name
        for name, more in names
        if not (more and planted.owns(name)) and not any(each in name for each in NEUTRAL)
    ]
    own = [line for line in pair.lines if planted.owns(line_name(line, pair.finding.because))]
    claimed_us = sign * sum(line.difference.more for line in own)
    half_us = sum(half(line) ** 2 for line in own) ** 0.5
    left = [line.difference.more for line in pair.lines if line.part == "unexplained"]
    size_right = False
    if truth and own:
        size_right = abs(claimed_us - truth.us) <= (half_us**2 + truth.half_us**2) ** 0.5
    return Counted(
        names=tuple(name for name, _ in names),
        right=bool(right),
        wrong=tuple(wrong),
        claimed_us=claimed_us,
        claimed_half_us=half_us,
        size_right=size_right,
        cpu_us=sign * pair.cpu.more,
        cpu_half_us=(pair.cpu.high - pair.cpu.low) / 2,
        unexplained_us=sign * sum(left),
        said=". ".join(sentence(each) for each in (pair.held_up, pair.finding) if each),
    )


def name_of(cause: Finding) -> str:
    """The function, call or kind of work of a cause. What only a kind has in common with another
    (scheduling, page faults, waking) goes by its code."""
    if cause.code == "in_waking":
        return cause.code
    values = cause.values
    return str(
        values.get("wait")
        or values.get("call")
        or values.get("function")
        or values.get("package")
        or values.get("work")
        or cause.code
    )


def more_of(cause: Finding) -> float:
    """Time or calls more."""
    more = cause.values.get("us_more", cause.values.get("calls_more"))
    assert isinstance(more, int | float)
    return more


def line_name(line: WhyLine, because: Sequence[Finding]) -> str:
    """The name that a cause of this line would have."""
    if any(c.code == "in_waking" and c.values["call"] == line.name for c in because):
        return "in_waking"
    if line.part == "work" and line.name in ("scheduling", "page_faults"):
        return f"in_{line.name}"
    return line.name if line.part in ("function", "package", "call", "work") else ""


def half(line: WhyLine) -> float:
    return (line.difference.high - line.difference.low) / 2
