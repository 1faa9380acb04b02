"""Where a difference in CPU time per request comes from: the lines and calls that are named.

Not every line that differs is a cause. At one rate the costlier of two servers is busier: it sleeps
and wakes up less often, finds more requests whenever it looks, and its caches are warmer. So the
following differences are effects, and only in the table:

- scheduling and other work without a call, if the costlier one has less of it;
- calls that the costlier one makes less often, if their time can't be told from nothing;
- a call that both make as often, for answers of one length, and that takes the costlier one less
  time. Of calls that look for requests the costlier one may make fewer, too: it finds more at once.

If one of the two is held up by something other than its CPU time, requests gather while it waits:
it is the one that wakes up less often, even if it is not the costlier one. What it then has less of
is an effect, unless it has less of it at the peaks, too.

A call that both make as often takes longer where its thread has slept before: its caches are cold.
Where context switches differ likewise, they are named, and not the call by itself.
"""

from collections.abc import Sequence

from bakeoff.judge.held_up import HeldUp
from bakeoff.model.finding import Finding
from bakeoff.model.ratio import Difference
from bakeoff.model.why import WhyCount, WhyLine
from bakeoff.model.workload import Unit

CAUSES_MAX = 4
NAMED_SHARE = 0.1
"""The share of the whole difference that a line needs to be named."""
CALLS_MIN, CALLS_SHARE_MIN, CALLS_MANY = 0.1, 0.2, 0.5
"""Calls per request that are named though their time can't be told from nothing: this many, and
this share of the other's calls unless they are many."""
LOOKS_MIN = 0.9
"""The same for `_LOOKS`, of which a request may take one more or less by chance."""
_LOOKS = (
    *("epoll_wait", "epoll_pwait", "poll", "ppoll", "select", "pselect6", "io_uring_enter"),
    *("read", "readv", "recvfrom", "recvmsg"),
)
"""Whether they find a request, and how many, depends on how busy the server is."""
OTHERS = "others"


def cause_of(
    names: tuple[str, str],
    cpu: Difference,
    lines: Sequence[WhyLine],
    counts: Sequence[WhyCount],
    unit: Unit = "request",
    held: HeldUp | None = None,
) -> Finding:
    """What a request of the first of `names` costs more than one of the other, and why: the largest
    cause first, and only causes that can be told from nothing. Those that work against a difference
    come last, as such."""
    because = _Causes(cpu, lines, counts, held).because()
    against = [cause for cause in because if cpu.is_told and _more(cause) * cpu.more < 0]
    if against:
        because = [cause for cause in because if cause not in against]
        because.append(Finding.of("in_spite", *against))
    ends = {"us_more": cpu.more, "us_low": cpu.low, "us_high": cpu.high}
    code = "costs_differ" if cpu.is_told else "costs_alike"
    return Finding.of(code, *because, name=names[0], other=names[1], unit=unit, **ends)


class _Causes:
    """The causes of the difference `cpu` between two."""

    def __init__(
        self,
        cpu: Difference,
        lines: Sequence[WhyLine],
        counts: Sequence[WhyCount],
        held: HeldUp | None,
    ) -> None:
        both = {
            count.what: (count.its, count.other)
            for count in counts
            if count.its is not None and count.other is not None
        }
        self._more = {what: its - other for what, (its, other) in both.items()}
        self._most = {what: max(two) for what, two in both.items()}
        self._cpu, self._lines = cpu, lines
        costlier = (cpu.more > 0) - (cpu.more < 0) if cpu.is_told else 0
        # Whose requests gather: 1 for those of the first, -1 for the other's, 0 for both alike.
        self._busier = held.sign if held else costlier
        self._at_peak = {
            (line.part, line.name): line.difference.more
            for line in (held.at_peak if held else ())
            if line.difference.is_told
        }
        told = {count.what for count in counts if count.difference and count.difference.is_told}
        kinds = told & {"voluntary_switches", "involuntary_switches"}
        switches = sum(self._more[kind] for kind in kinds)
        self._switches = switches if abs(switches) >= CALLS_MIN else 0.0
        self._as_long = "bytes" in self._more and "bytes" not in told

    def because(self) -> list[Finding]:
        lines = self._told()
        because = [self._cause(line) for line in lines]
        return [*because, *self._calls_more(lines)][:CAUSES_MAX]

    def _told(self) -> list[WhyLine]:
        """The lines that are named, the largest first."""
        leaves = [line for line in self._lines if line.part not in ("user", "kernel")]
        # Without stacks only the sums are known.
        if all(line.part == "unexplained" for line in leaves):
            leaves = list(self._lines)
        cpu = self._cpu
        least_us = NAMED_SHARE * (abs(cpu.more) if cpu.is_told else max(-cpu.low, cpu.high))
        told = [
            line
            for line in leaves
            if line.difference.is_told
            and abs(line.difference.more) >= least_us
            and not self._is_effect(line)
        ]
        return sorted(told, key=lambda line: -abs(line.difference.more))

    def _is_effect(self, line: WhyLine) -> bool:
        us = line.difference.more
        if us * self._at_peak.get((line.part, line.name), 0.0) > 0:
            return False
        if line.name == "scheduling" and not self._busier:
            return us * self._switches <= 0
        if line.part == "work" and line.name != "page_faults":
            return us * self._busier < 0
        least = LOOKS_MIN if _call(line) in _LOOKS else CALLS_MIN
        return line.part == "call" and us * self._busier < 0 and self._as_often(line, least)

    def _as_often(self, line: WhyLine, least: float = CALLS_MIN) -> bool:
        """Whether both make a call equally often, within `least`, for equally long answers, as far
        as is known."""
        more = self._more.get(f"call:{_call(line)}")
        return more is not None and abs(more) < least and self._as_long

    def _calls_more(self, told: Sequence[WhyLine]) -> list[Finding]:
        """The calls that one makes more often though their time can't be told from nothing, the
        most first."""
        timed = {_call(line) for line in told if line.part == "call"}
        found = [
            Finding.of("calls_more", call=what.removeprefix("call:"), calls_more=more)
            for what, more in sorted(self._more.items(), key=lambda of: -abs(of[1]))
            if what.startswith("call:") and self._is_worth(what, more)
        ]
        return [cause for cause in found if cause.values["call"] not in timed]

    def _is_worth(self, what: str, more: float) -> bool:
        least = min(CALLS_MANY, max(CALLS_MIN, CALLS_SHARE_MIN * self._most[what]))
        if what.removeprefix("call:") in _LOOKS:
            least = LOOKS_MIN
        return abs(more) >= least and more * self._busier >= 0

    def _cause(self, line: WhyLine) -> Finding:
        us, name = line.difference.more, line.name
        match line.part:
            case "unexplained":
                return Finding.of("in_nothing_seen", us_more=us)
            case "user" | "kernel":
                return Finding.of("in_mode", us_more=us, mode=line.part)
            case "function" if name != OTHERS:
                return Finding.of("in_function", us_more=us, function=name)
            case "function":
                return Finding.of("in_work", us_more=us, work="other_functions")
            case "package":
                return Finding.of("in_package", us_more=us, package=name)
            case "call" if us * self._switches > 0 and self._as_often(line):
                return Finding.of("in_waking", us_more=us, call=name, switches_more=self._switches)
            case "call":
                calls = self._more.get(f"call:{_call(line)}", 0.0)
                more = calls if abs(calls) >= CALLS_MIN else None
                return Finding.of("in_call", us_more=us, call=name, calls_more=more)
        if name == "scheduling":
            return Finding.of("in_scheduling", us_more=us, switches_more=self._switches or None)
        if name == "page_faults":
            return Finding.of("in_page_faults", us_more=us, faults_more=self._more.get(name))
        return Finding.of("in_work", us_more=us, work=name)


def _more(cause: Finding) -> float:
    """What the first of the two has more of: µs, or calls whose time is not known."""
    more = cause.values.get("us_more", cause.values.get("calls_more"))
    assert isinstance(more, float)
    return more


def _call(line: WhyLine) -> str:
    """The system call of a line; what it does may follow behind a colon."""
    return line.name.partition(":")[0]
