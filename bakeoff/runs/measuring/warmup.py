"""Warm-up: loaded but not judged, until steady or until its time is up."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING

from bakeoff.load import REQUEST_TIMEOUT_MS
from bakeoff.model.cut import WARM_UP_SLICE_MS, WARM_UP_SLICES_PER_S, SliceLengths, Warmup
from bakeoff.model.errors import NoVerdict
from bakeoff.model.plan import Plan
from bakeoff.model.samples import Slice
from bakeoff.plan import long_ms_min, longest_slice_ms, open_lengths, slice_lengths, warm_up_slices
from bakeoff.report.figures import plural
from bakeoff.runs.measuring.contenders import leave_out
from bakeoff.runs.measuring.meter import Meter
from bakeoff.runs.measuring.session import Session

if TYPE_CHECKING:
    from bakeoff.judge.warm_up import Settled

CALLED_REQUESTS, COMPILED_REQUESTS = 20_000, 150_000
"""Just-in-time compilers count calls, not seconds: HotSpot's last compiler takes a method after
15,000 calls and loops (Tier4CompileThreshold, `java -XX:+PrintFlagsFinal`), and then takes time. So
where one got faster, its level is the last one after ten times as many requests, or after `LASTING`
slices with the fewer ones."""

LASTING = 12
"""Slices (3 s): Spring Boot stayed for 2 s at twice its last cost."""

PLAINLY_FLAT = 0.05
"""A course with more noise in its slices could hide a rise."""

HARDLY_BUSY = 0.03
"""The share of a core: if a contender's requests wait for most of their time, such as for a
database, further compilation can't make it faster by more."""

LEAST_RATE = 1.0
"""The rate for a contender that answered nothing: it is judged on not answering this either."""


SLICES_MIN = 4
"""However long the clock says that they took: all that is known of a contender rests on them."""

SILENT_SLICES = 2
"""A contender whose last slices have no right answer is out: it would have none while it is
measured."""
HELD_UP_SLICES = 2
HELD_UP_NS = 1_000_000_000
TIMED_OUT = {"timeout", "connect_timeout"}
"""A contender whose last slices before the race ended with unanswered requests is out."""


@dataclass
class Course:
    """One contender's warm-up slices so far, and the number that it needs."""

    least: int
    most: int
    slices: list[Slice] = field(default_factory=list)

    def _has_had(self, slices: int) -> bool:
        """Whether it has had this many slices, or their time: a drain may take longer than they."""
        took_ns = sum(each.event.drained_ns - each.event.start_ns for each in self.slices)
        in_time = took_ns < slices * WARM_UP_SLICE_MS * 1e6
        return len(self.slices) >= (slices if in_time else min(slices, SLICES_MIN))

    def add(self, measured: Slice) -> None:
        """Add another slice; earlier conclusions are forgotten."""
        self.slices.append(measured)
        self.__dict__.pop("settled", None)

    @property
    def rates(self) -> tuple[float, ...]:
        return tuple(each.event.requests_per_s for each in self.slices)

    @property
    def cpu_us(self) -> tuple[float | None, ...]:
        """CPU per request, slice by slice; None where it wasn't seen or nothing was answered."""
        return tuple(each.server_cpu_us_per_request for each in self.slices)

    @cached_property
    def settled(self) -> "Settled":
        from bakeoff.judge.warm_up import LAST_SLICES, settled

        # A slice with so little CPU time has a few milliseconds, whose noise looks like a course.
        cpu_us = () if self._is_hardly_busy else self.cpu_us
        return settled(self.rates, cpu_us, min(LAST_SLICES, self.least))

    @property
    def _is_hardly_busy(self) -> bool:
        """Whether its server had a core for at most a few percent of the time in each slice."""
        busy = zip(self.rates, self.cpu_us, strict=True)
        return all(cpu_us and rate * cpu_us <= HARDLY_BUSY * 1e6 for rate, cpu_us in busy)

    @property
    def done(self) -> bool:
        """Whether it has had enough: it is steady, or its time is up.

        A contender that has answered few requests since it last changed may yet be compiled
        further. But a program that compiles gets faster within its first hundreds of calls, so one
        that was plainly flat from its first slice on won't get faster. Nor will one by much that
        waits for most of its time: at 50 ms an answer, 20,000 of them would take 16 s.
        """
        if _is_held_up(self.slices):
            return True
        if self._has_had(self.most):
            return True
        if not self._has_had(self.least):
            return False
        flat = self.settled.course == "flat"
        plain = flat and self.settled.noise <= PLAINLY_FLAT
        enough = CALLED_REQUESTS if flat or self._has_lasted else COMPILED_REQUESTS
        requests = self._requests_at_last
        return self.settled.steady and (plain or self._is_hardly_busy or requests >= enough)

    @property
    def steady(self) -> bool:
        """Whether it ends at its last level. One that got faster may yet have another one where its
        bound cut it off."""
        had_all = self._has_lasted or self._requests_at_last >= COMPILED_REQUESTS
        got_faster = self.settled.course == "warm-up" and not self._is_hardly_busy
        return self.settled.steady and (had_all or not got_faster)

    @property
    def _has_lasted(self) -> bool:
        return len(self.slices) - self.settled.start >= LASTING

    @property
    def _requests_at_last(self) -> int:
        return sum(each.event.requests_all for each in self.slices[self.settled.start :])

    def last(self, of: Callable[[Slice], float]) -> float:
        """The median over the last stretch or, if it isn't steady, over the last second."""
        start = self.settled.start
        if not self.settled.steady:
            start = len(self.slices) - WARM_UP_SLICES_PER_S
        return median(map(of, self.slices[max(0, start) :])) if self.slices else 0.0


def warm_up(
    meter: Meter,
    session: Session,
    earlier: Sequence[Warmup],
    given: Mapping[str, SliceLengths],
    budget_s: float,
    say: Callable[[str], object] = lambda _text: None,
) -> Warmup:
    """Load every contender in turn until each is steady, within the bounds of `warm_up_slices`.

    `budget_s` is the time that a boot of this race measures, `earlier` has the warm-ups of its
    earlier boots. Slice lengths, and in an open loop the rates, follow from the final speed of
    each, except for `given` lengths. `say` gets before each turn how many are steady. Raises
    `NoVerdict`, and in the first boot `NotAsPlanned` where some ended, answered nothing, or would
    hold up the others.
    """
    meter.doing = "while it was warmed up"
    plan, names = session.plan, [each.entry.name for each in session.running]
    share_s = budget_s / len(names)
    courses = {
        name: Course(*warm_up_slices(share_s, known, plan.warm_up_s))
        for name in names
        for known in [plan.entry(name).twin_of in names or _always_flat(session, name, earlier)]
    }
    while waiting := [n for n, each in courses.items() if n not in meter.died and not each.done]:
        say(f"warming up, {len(courses) - len(waiting)} of {len(courses)} steady")
        for name in waiting:
            session.context.check_time(f"warming up {name}")
            courses[name].add(meter.warm_up(name))
    meter.doing = ""
    if not earlier:
        slices = {name: each.slices for name, each in courses.items()}
        leave_out_held_up(slices, session, "it was warmed up")
        last = {name: each[-SILENT_SLICES:] for name, each in slices.items()}
        silent = {
            name: why
            for name, slices_ in last.items()
            if (why := failures(slices_)) and any(slice_.event.errors for slice_ in slices_)
        }
        silent = {name: f"at the end of its warm-up it {why}" for name, why in silent.items()}
        leave_out(silent | meter.died, session.context.watch)
    if not any(_answered(each.slices) for each in courses.values()):
        reasons = "; ".join(f"{name} {failures(each.slices)}" for name, each in courses.items())
        raise NoVerdict(f"no contender answered while it was warmed up: {reasons}")
    latencies_us = {
        name: each.last(lambda measured: measured.event.latency_mean_us)
        for name, each in courses.items()
    }
    originals = {name: plan.entry(name).twin_of or name for name in names}
    rates: dict[str, float] = {}
    if plan.mode == "closed":
        own = {
            name: slice_lengths(
                each.last(lambda measured: measured.event.requests_per_s),
                latencies_us[name],
                plan.slice_ms_min,
                longest_slice_ms(plan),
                long_ms_min(plan),
            )
            for name, each in courses.items()
        }
        lengths = {name: given.get(name) or own[name] for name in names}
        # A twin's slices are its original's: the noise floor must differ only by noise.
        lengths = {name: lengths.get(originals[name], lengths[name]) for name in names}
    else:
        own_rates = {name: _offered(plan, each) for name, each in courses.items()}
        rates = {name: own_rates.get(originals[name], own_rates[name]) for name in names}
        lengths = {
            name: given.get(name)
            or open_lengths(rates[name], latencies_us[name], long_ms_min(plan))
            for name in names
        }
    for name, each in courses.items():
        session.keep(name, flat=each.settled.course == "flat")
    return Warmup(
        boot=session.boot,
        lengths=lengths,
        rates=rates,
        requests_per_s={name: each.rates for name, each in courses.items()},
        mean_latency_us=latencies_us,
        steady={name: each.steady for name, each in courses.items()},
        cpu_us_per_request={name: each.cpu_us for name, each in courses.items()},
        courses={name: each.settled.course for name, each in courses.items()},
        steady_from={name: each.settled.start for name, each in courses.items()},
    )


def leave_out_held_up(slices: Mapping[str, Sequence[Slice]], session: Session, doing: str) -> None:
    """Raise `NotAsPlanned` where requests time out: each slice would take as long as that.

    `slices` has those of each contender so far, by name; `doing` says what they were for.
    """
    held_up = {name: each for name, each in slices.items() if _is_held_up(each)}
    dropped = session.tracking_drops if held_up else 0
    out = {
        name: _reason(each, session.plan.connections, doing, dropped)
        for name, each in held_up.items()
    }
    leave_out(out, session.context.watch)


def _answered(slices: Sequence[Slice]) -> bool:
    return any(each.event.latency_count for each in slices)


def failures(slices: Sequence[Slice]) -> str:
    """The errors of a contender without any right answer; empty: it has right answers."""
    if _answered(slices):
        return ""
    kinds: Counter[str] = sum((Counter(each.event.errors) for each in slices), Counter())
    said = ", ".join(f"{kind.replace('_', ' ')} {n:,} times" for kind, n in kinds.items())
    first = next((each.event.first_bad for each in slices if each.event.first_bad), None)
    detail = f"; the first: {first.detail}" if first else ""
    return f"answered no request rightly{said and f' ({said})'}{detail}"


def _is_held_up(slices: Sequence[Slice]) -> bool:
    """Whether the last two slices ended with requests that timed out."""
    return len(slices) >= HELD_UP_SLICES and all(
        TIMED_OUT & set(each.event.errors)
        and each.event.drained_ns - each.event.end_ns > HELD_UP_NS
        for each in slices[-HELD_UP_SLICES:]
    )


def _reason(slices: Sequence[Slice], connections: int, doing: str, dropped: int) -> str:
    missing = sum(each.event.misses for each in slices)
    due = sum(each.event.due for each in slices)
    if not due:
        return (
            f"no answer came on {plural(connections, 'connection')} within "
            f"{REQUEST_TIMEOUT_MS / 1000:g} s while {doing}: see its log"
        )
    advice = "use fewer (-c), or see its log" if connections > 1 else "see its log"
    if dropped:
        advice = (
            f"connection tracking (nf_conntrack) dropped {plural(dropped, 'packet')} meanwhile; "
            "raise net.netfilter.nf_conntrack_max, or don't track loopback"
        )
    return (
        f"{missing:,} of {due:,} requests had no answer within {REQUEST_TIMEOUT_MS / 1000:g} s "
        f"while {doing} with {plural(connections, 'connection')}: {advice}"
    )


def _offered(plan: Plan, course: Course) -> float:
    """Requests per second: the plan's, or its share of the entry's throughput after its warm-up.
    Of messages to rooms, those that are sent."""
    if plan.rate:
        return plan.rate
    assert plan.load
    ended_with = course.rates[course.settled.start :]
    peak = median(ended_with) / plan.workload.listeners if ended_with else 0.0
    return max(LEAST_RATE, plan.load * peak)


def _always_flat(session: Session, name: str, earlier: Sequence[Warmup]) -> bool:
    """Whether it needed no warm-up in any boot so far or, in the first boot, in the last run."""
    courses = [warmup.courses[name] for warmup in earlier if name in warmup.courses]
    return (
        all(each == "flat" for each in courses) if courses else session.program(name).flat is True
    )
