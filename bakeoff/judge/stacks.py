"""The work of a thread, by its stack: its line in the table, and the stacks of two contenders as
one tree, whose parts are those lines.

Below `user` are stacks of the programs' functions. Below `kernel` are the table's lines of kernel
time, and below each the kernel's functions, without the program's functions that made the call:
different programs have none in common, and their system calls coincide.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from bakeoff.model.finding import Finding
from bakeoff.model.samples import Record, WhyStacks
from bakeoff.model.why import COMPILED_AT_RUN_TIME, Flame, Flames, Part, Why, WhyPair

SAMPLES_MIN = 50
UNNAMED_MIN, ALONE_MIN = 0.1, 0.2
"""From these shares of a contender's samples of user time on, a finding names them: those without a
function's name, and those whose stack has no caller's."""


class Key(NamedTuple):
    """Which line of the table a stack belongs to."""

    part: Part
    name: str


_OF_KERNEL = "_[k]"
_PROFILER = ("perf_", "__perf_", "ctx_sched", "visit_groups", "merge_sched_in", "event_sched")
_FAULTS = ("asm_exc_page_fault", "exc_page_fault", "do_user_addr_fault", "do_page_fault")
_FAULTS_ARM = ("do_mem_abort", "el0_da", "el0_ia")
_SCHEDULING = (
    *("schedule", "__schedule", "preempt_schedule", "finish_task_switch", "try_to_wake_up"),
    *("ttwu_", "__wake_up", "wake_up_"),
)
_INTERRUPTS = ("asm_sysvec", "asm_common_interrupt", "el0_irq", "el1_irq", "el0t_64_irq", "el1h_64")
_ENTRIES = ("do_syscall_64", "x64_sys_call", "el0_svc_common", "invoke_syscall", "do_fast_syscall")
_PREFIX = re.compile(r"^(?:__(?:x64|arm64|se|do)_sys_|__sys_|ksys_|do_sys_|sys_|__do_|do_)")
_SUFFIX = re.compile(r"\.(?:isra|constprop|part|cold)(?:\.\d+)?")
_RING_WORK = re.compile(
    r"io_(?:send|sendmsg|send_zc|recv|recvmsg|read|write|accept|connect|timeout|poll_add|close)"
)


def is_in_kernel(stack: str) -> bool:
    """Whether the function at work is one of the kernel's."""
    return stack.endswith(_OF_KERNEL)


def kernel_frames(stack: str) -> list[str]:
    """The kernel's functions, the outermost first."""
    return [
        frame.removesuffix(_OF_KERNEL) for frame in stack.split(";") if frame.endswith(_OF_KERNEL)
    ]


def key_of(stack: str) -> Key | None:
    """The line of a stack, as in `WhyStacks`; None: the profiler's own work."""
    if not is_in_kernel(stack):
        return Key("function", stack.rpartition(";")[2])
    own = [_SUFFIX.sub("", frame) for frame in kernel_frames(stack)]
    if any(each.startswith(_PROFILER) for each in own):
        return None
    if any(each.startswith((*_FAULTS, *_FAULTS_ARM)) for each in own):
        return Key("work", "page_faults")
    if any(each.startswith(_SCHEDULING) for each in own):
        return Key("work", "scheduling")
    if any(each.startswith(_INTERRUPTS) for each in own):
        return Key("work", "interrupts")
    entered = [at for at, each in enumerate(own) if each.startswith(_ENTRIES)]
    if not entered:
        return Key("work", "other" if own[0][:1] != "[" else "unnamed")
    within = own[entered[-1] + 1 :]
    if not within or within[0].startswith(("exit_to_user", "syscall_", "entry_", "__get_user")):
        return Key("work", "entering")
    call = _PREFIX.sub("", within[0])
    ring = next((each for each in within if _RING_WORK.fullmatch(each)), "")
    return Key("call", f"{call}: {ring}" if ring and call == "io_uring_enter" else call)


_PACKAGES = tuple(
    map(
        re.compile,
        (
            # A script's function, behind which is its file: one of Node's, of a package, its own.
            r"\S* (node:[\w/]+)",
            r"\S* ((?:@[\w.-]+/)?[\w.-]+)(?:/\S*)?\.[cm]?js",
            r"(Builtins)_\w+",
            # A Java package has dots, and behind it is a class; Go's has none behind a slash.
            r"([a-z_]\w*(?:\.[a-z_]\w*)*)\.[A-Z].*",
            r"((?:[\w.~-]+/)*[\w~-]+)\..+",
            # A library's namespace in C++, a crate in Rust.
            r"\W*(?:[\w-]+ )*(\w+)::.+",
        ),
    )
)


def package_of(function: str) -> str | None:
    """The package, library or script that a function belongs to, if its name shows that."""
    return next((found[1] for each in _PACKAGES if (found := each.fullmatch(function))), None)


def unseen(records: Iterable[Record]) -> tuple[Finding, ...]:
    """What the user stacks of each contender lack: functions' names, callers."""
    seen: dict[str, Counter[str]] = {}
    for record in records:
        if isinstance(record, WhyStacks):
            counted = seen.setdefault(record.entry, Counter())
            for stack, times in record.stacks.items():
                if not is_in_kernel(stack):
                    counted[stack] += sum(times)
    return tuple(finding for name, stacks in seen.items() for finding in _unseen(name, stacks))


def _unseen(name: str, stacks: Counter[str]) -> Iterable[Finding]:
    unnamed: Counter[str] = Counter()
    alone = 0
    for stack, times in stacks.items():
        *callers, function = stack.split(";")
        if function.startswith("["):
            unnamed[function.strip("[]")] += times
        alone += 0 if callers else times
    if (samples := stacks.total()) < SAMPLES_MIN:
        return
    if (share := unnamed.total() / samples) > UNNAMED_MIN:
        file = unnamed.most_common(1)[0][0]
        if file == COMPILED_AT_RUN_TIME:
            yield Finding.of("compiled_unnamed", name=name, share=share)
        else:
            yield Finding.of("functions_unnamed", name=name, share=share, file=file)
    if (share := alone / samples) > ALONE_MIN:
        yield Finding.of("callers_unknown", name=name, share=share)


ERRORS = 2.0
"""Standard errors of counts within which chance stays 19 times of 20."""

Place = tuple[str, ...]


def flames(records: Iterable[Record], result: Why) -> tuple[Flames, ...]:
    """A tree for each pair of the result whose stacks were sampled; its sums are the result's."""
    counted: dict[str, Counter[Place]] = {}
    for record in records:
        if isinstance(record, WhyStacks) and not record.at_peak:
            for stack, counts in record.stacks.items():
                if place := _place(stack):
                    counted.setdefault(record.entry, Counter())[place] += sum(counts)
    return tuple(
        Flames(
            pair.name,
            pair.other,
            _root(pair, [counted[pair.name], counted[pair.other]]),
            result.unit,
        )
        for pair in result.pairs
        if pair.name in counted and pair.other in counted
    )


def _place(stack: str) -> Place | None:
    """Where a stack belongs below the root; None: it is the profiler's own."""
    key = key_of(stack)
    if not key:
        return None
    if key.part == "function":
        return ("user", *stack.split(";"))
    return ("kernel", key.name, *kernel_frames(stack))


@dataclass
class _Node:
    samples: list[int] = field(default_factory=lambda: [0, 0])
    inner: "dict[str, _Node]" = field(default_factory=dict)

    def flame(self, name: str, us: Sequence[float]) -> Flame:
        """`us`: the time that a sample of each contender stands for."""
        its_us, other_us = (n * each for n, each in zip(self.samples, us, strict=True))
        error = sum(n * each**2 for n, each in zip(self.samples, us, strict=True)) ** 0.5
        inner = (node.flame(name, us) for name, node in self.inner.items())
        return Flame(
            name,
            its_us,
            other_us,
            abs(its_us - other_us) > ERRORS * error,
            tuple(sorted(inner, key=lambda flame: -flame.us)),
        )


def _root(pair: WhyPair, counted: Sequence[Mapping[Place, int]]) -> Flame:
    whole = _Node()
    for of, places in enumerate(counted):
        for place, times in places.items():
            node = whole
            for name in place:
                node = node.inner.setdefault(name, _Node())
                node.samples[of] += times
    parts = []
    for line in pair.lines:
        if line.part in ("user", "kernel"):
            node, both_us = whole.inner.get(line.part, _Node()), (line.its_us, line.other_us)
            us = [sum_us / (n or 1) for sum_us, n in zip(both_us, node.samples, strict=True)]
            inner = node.flame(line.part, us).inner
            parts.append(Flame(line.part, *both_us, line.difference.is_told, inner))
    its_us, other_us = sum(part.its_us for part in parts), sum(part.other_us for part in parts)
    return Flame("all", its_us, other_us, pair.cpu.is_told, tuple(parts))
