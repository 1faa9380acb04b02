"""The stacks of two contenders as one tree, whose parts are those of the table.

Below `user` are stacks of the programs' functions. Below `kernel` are the table's lines of kernel
time, and below each the kernel's functions, without the program's that made the call: different
programs have no function in common there, and their system calls lie on each other.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bakeoff.judge.stacks import kernel_frames, key_of
from bakeoff.model.samples import Record, WhyStacks
from bakeoff.model.why import Flame, Flames, Why, WhyPair

ERRORS = 2.0
"""Standard errors of counts that chance stays within, 19 times of 20."""

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
        Flames(pair.name, pair.other, _root(pair, [counted[pair.name], counted[pair.other]]))
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
        """`us`: what a sample of each stands for."""
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
