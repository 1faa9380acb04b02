"""What contenders work in others' turns, and which of them are stopped there for that."""

from collections import Counter

from bakeoff.model.plan import Plan
from bakeoff.model.samples import LEAK_SHARE_MAX

KNOWN_AFTER_S = 1.0
"""A collector may run once in a while: what is seen for a shorter time says little."""


class Leaks:
    """CPU time that each contender used in others' turns of one boot, while nothing stopped it.

    `held` has those that used more than `LEAK_SHARE_MAX` of their cores, with that share: they are
    stopped in others' turns for the rest of the boot.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._cpu_ns: Counter[str] = Counter()
        self._wall_ns: Counter[str] = Counter()
        self.held: dict[str, float] = {}

    def add(self, name: str, cpu_ns: int, wall_ns: int) -> None:
        """Count what it used between two of its turns."""
        if name in self.held:
            return
        self._cpu_ns[name] += cpu_ns
        self._wall_ns[name] += wall_ns
        if self._wall_ns[name] < KNOWN_AFTER_S * 1e9:
            return
        share = self._cpu_ns[name] / (self._wall_ns[name] * self._plan.server_cores_of(name))
        if share > LEAK_SHARE_MAX:
            self.held[name] = share
