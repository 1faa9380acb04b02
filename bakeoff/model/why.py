"""The causes of the difference between servers: plan.json of the phase, and why.json."""

from collections.abc import Mapping
from typing import Annotated, Literal, NamedTuple, get_args

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat

from bakeoff.model.base import Contract, IfGiven
from bakeoff.model.finding import Finding
from bakeoff.model.history import Program
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Plan
from bakeoff.model.ratio import Difference
from bakeoff.model.workload import GivenUnit, Unit

Layer = Literal["stacks", "kernel", "calls", "counters", "waits"]
"""`stacks`: user time by function. `kernel`: kernel time by purpose. `calls`: system calls by name
and number. `counters`: hardware counters of the cores. `waits`: the threads' waits."""

LAYERS: tuple[Layer, ...] = get_args(Layer)

Wait = Literal[
    "running", "ready", "requests", "thread", "timer", "disk", "socket", "other", "unseen"
]
"""The activity or the wait of a thread. `ready`: for a core. `requests`: in epoll, io_uring, poll
or accept. `thread`: in a futex, for a lock or for another thread's work. `socket`: in a read or
write of a socket, of a client or an upstream. `unseen`: it is hidden from us."""

BLOCKED: tuple[Wait, ...] = ("thread", "socket", "disk", "timer")
"""The waits that keep a thread from work that it has."""

COMPILED_AT_RUN_TIME = "compiled at run time"
"""The name of code without names, since the program that compiled it wrote none down."""
COUNTERS = ("instructions", "cycles", "cache-misses", "branch-misses")

Part = Literal["user", "kernel", "function", "package", "call", "work", "unexplained"]
"""`user` and `kernel` are sums. `function` is user time in one function, `package` in a
package's functions without lines of their own, `call` kernel time of one system call, and `work`
kernel time of other work, for which no system call is charged."""


class WhyPlan(Contract):
    """plan.json of a look for causes: the contenders and the load of `race`, and the `known` facts
    on their programs, by name, which are not determined again."""

    schema_: Literal["bakeoff.why-plan/1"] = Field("bakeoff.why-plan/1", alias="schema")
    run: str
    race: Plan
    known: dict[str, Program] = {}


class WhyLine(Contract):
    """CPU time per request, µs, of a contender (`its_us`), and of the one that it is compared with
    (`other_us`).

    The lines of a table, except `user` and `kernel`, which are sums of others, add up to the whole.
    """

    part: Part
    name: str
    its_us: float
    other_us: float
    difference: Difference


class WhyCount(Contract):
    """How often something happens per request, or how much of it there is (`bytes`, `delay_us`).

    `call:NAME` are calls of that system call, `counter:NAME` the value of a hardware counter, null
    where this machine has none. Without a `difference` it was counted once, exactly.
    """

    what: str
    its: NonNegativeFloat | None
    other: NonNegativeFloat | None
    difference: Difference | None = None


class WhyWait(Contract):
    """The share of their time that threads at work spend in one way."""

    wait: Wait
    its: NonNegativeFloat
    other: NonNegativeFloat
    difference: Difference


class WhyPair(Contract):
    """A contender compared with another. `cpu` is the measured difference of CPU time per request,
    µs, to which the lines add up, and `finding` has its causes. `held_up`: something other than its
    CPU time limits one of the two."""

    name: str
    other: str
    its_us: NonNegativeFloat
    other_us: NonNegativeFloat
    cpu: Difference
    lines: tuple[WhyLine, ...]
    counts: tuple[WhyCount, ...]
    waits: tuple[WhyWait, ...] = ()
    finding: Finding
    held_up: IfGiven[Finding] = None


class Why(Contract):
    """why.json: the causes of the difference in CPU time per request, of each contender against the
    reference, at one rate for all; `at_peak`: each in a closed loop, at its own peak, which is in
    `peaks_per_s`.

    `profiling` is, for each contender, CPU time per request while stacks were sampled over that of
    the same load without. `unequal` has the contenders' unequal work, which comes first. `unseen`
    has what stacks lack. `missing` says why a layer is not available here. `given_up`: the phase
    ended early.
    """

    schema_: Literal["bakeoff.why/1"] = Field("bakeoff.why/1", alias="schema")
    run: str
    workload: str
    unit: GivenUnit = "request"
    reference: str
    command_line: tuple[str, ...]
    complete: bool
    rate_per_s: PositiveFloat | None
    blocks: NonNegativeInt
    lasted_s: NonNegativeFloat
    pairs: tuple[WhyPair, ...]
    at_peak: tuple[WhyPair, ...] = ()
    peaks_per_s: Mapping[str, PositiveFloat] = {}
    unequal: tuple[Finding, ...] = ()
    profiling: Mapping[str, PositiveFloat] = {}
    unseen: tuple[Finding, ...] = ()
    missing: Mapping[Layer, Finding] = {}
    given_up: Annotated[str, Field(exclude_if=lambda given: not given)] = ""
    machine: Machine

    def pair(self, name: str) -> WhyPair | None:
        return next((pair for pair in self.pairs if pair.name == name), None)


class Flame(NamedTuple):
    """A function in its stack, with the functions that it called (`inner`): CPU time per request,
    µs, of both.

    `is_told`: the difference is more than chance explains with this many samples.
    """

    name: str
    its_us: float
    other_us: float
    is_told: bool
    inner: "tuple[Flame, ...]" = ()

    @property
    def us(self) -> float:
        return self.its_us + self.other_us


class Flames(NamedTuple):
    """The stacks of a contender and of the one that it is compared with, as one tree."""

    name: str
    other: str
    root: Flame
    unit: Unit = "request"
