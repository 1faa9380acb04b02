"""Who starts when, and whose slice comes when: random, and the same for the same seed."""

import random
from collections.abc import Iterable, Sequence

from bakeoff.model.plan import Plan


def start_order(plan: Plan, boot: int) -> list[str]:
    """The entries in the order in which boot `boot` starts them.

    Drawn anew for each boot: of two copies of one program, the one started second can be the
    faster one (METHODOLOGY.md, boots).
    """
    return _shuffled((entry.name for entry in plan.entries), plan.seed, "start", boot)


def block_order(plan: Plan, boot: int, block: int, up: Sequence[str]) -> list[str]:
    """The entries that are `up`, in the order of their slices in this block."""
    return _shuffled(up, plan.seed, "block", boot, block)


def arrival_seed(plan: Plan, boot: int, block: int) -> int:
    """The seed of a block's arrivals in an open loop, the same for all contenders."""
    return random.Random(f"{plan.seed}/arrivals/{boot}/{block}").getrandbits(64)


def _shuffled(names: Iterable[str], *key: object) -> list[str]:
    order = list(names)
    random.Random("/".join(map(str, key))).shuffle(order)
    return order
