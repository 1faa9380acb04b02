"""Which race comes next: every stop leaves about as many of each kind as there should be."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.judge_bench.live import Live, Part

STARTS_S = 15.0
"""What a race takes besides measuring, as long as none of its kind was seen."""
GIVES_UP_AFTER = 2


@dataclass(frozen=True)
class Kind:
    """Races of one kind: `subject` is a program or an effect, `share` how often it has its turn."""

    part: Part
    subject: str
    duration_s: float
    share: float = 1.0


@dataclass
class Agenda:
    """The kinds, the most races of each, and how often each has failed in this call."""

    kinds: Sequence[Kind]
    races: Mapping[Part, int]
    chance: random.Random

    def __post_init__(self) -> None:
        self._failed = dict.fromkeys(self.kinds, 0)

    def next(self, done: Sequence[Live], left_s: float) -> Kind | None:
        """The kind that is furthest behind, drawn among equals; None: none is left that fits."""
        counts = {kind: len(self.of(done, kind)) for kind in self.kinds}
        open_ = [
            kind
            for kind in self.kinds
            if counts[kind] < self.races[kind.part]
            and self._failed[kind] < GIVES_UP_AFTER
            and self.takes_s(done, kind) <= left_s
        ]
        if not open_:
            return None
        least = min(counts[kind] / kind.share for kind in open_)
        return self.chance.choice([k for k in open_ if counts[k] / k.share == least])

    def failed(self, kind: Kind) -> None:
        """A race of this kind gave no verdict: after the second it is left out."""
        self._failed[kind] += 1

    @staticmethod
    def of(done: Sequence[Live], kind: Kind) -> list[Live]:
        """The races of one kind."""
        return [
            each
            for each in done
            if (each.part, each.subject, each.duration_s)
            == (kind.part, kind.subject, kind.duration_s)
        ]

    def takes_s(self, done: Sequence[Live], kind: Kind) -> float:
        """What one race takes, as the longest of its kind did."""
        took = [each.took_s for each in self.of(done, kind)]
        return max(took, default=kind.duration_s + STARTS_S)
