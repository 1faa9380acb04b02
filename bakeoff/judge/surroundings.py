"""Warnings about the race as a whole: the machine, the boots, the reference."""

from collections.abc import Sequence

from bakeoff.judge.disturbed import STEAL_SHARE_MAX
from bakeoff.judge.history import History
from bakeoff.judge.warmth import cut_short_s
from bakeoff.model.plan import Plan
from bakeoff.model.verdict import NoiseFloor, VerdictEntry

MAX_STEAL_SHARE = 0.01


def race_warnings(plan: Plan, seen: History, complete: bool, steal: float | None) -> list[str]:
    """What the whole race suffers from."""
    found = [
        _shared(plan),
        _crowded(plan),
        _incomplete(complete),
        _boots(plan, seen),
        _warm_up(seen),
        _steal(steal),
        _queues(seen),
    ]
    return [warning for warning in found if warning]


def _shared(plan: Plan) -> str:
    if not plan.cores.shared:
        return ""
    return (
        "servers and load generator share cores: a server that takes more CPU slows its own load, "
        "and which side was the limit can't be told"
    )


def _crowded(plan: Plan) -> str:
    cores = len(plan.cores.server)
    if plan.workers <= cores:
        return ""
    had = "one server core" if cores == 1 else f"{cores} server cores"
    return f"{plan.workers} workers were asked for on {had}: they take turns"


def _incomplete(complete: bool) -> str:
    if complete:
        return ""
    return "the race was cut short: this is the verdict on what was measured until then"


def _boots(plan: Plan, seen: History) -> str:
    boots = len(seen.boots)
    if boots < plan.boots:
        return f"only {boots} of {plan.boots} boots were measured"
    if boots == 1 and not plan.solo:
        return (
            "one boot: how far two starts of these programs differ was not measured; the "
            "intervals allow for what is usual (a standard deviation of about 0.4 %)"
        )
    return ""


def _warm_up(seen: History) -> str:
    longest_s = cut_short_s(seen)
    if longest_s is None:
        return ""
    return (
        f"nobody was warmed up for more than {longest_s:.3g} s: a program that compiles while it "
        "runs may not have come up to speed"
    )


def _steal(share: float | None) -> str:
    if share is None or share <= MAX_STEAL_SHARE:
        return ""
    return f"the host took {share:.1%} of the cores' time away (steal)"


def _queues(seen: History) -> str:
    """The kernel counts them for all servers together, so nobody is named."""
    overflows = seen.tcp.listen_overflows if seen.tcp else 0
    if not overflows:
        return ""
    return (
        f"{overflows:,} connections met a full listen queue (counted over all servers of this "
        "machine): a client waits 1 s or more until it asks again"
    )


def left_out(disturbed: int, blocks: int, rows: Sequence[VerdictEntry]) -> list[str]:
    """Blocks that the host disturbed, and what the ratios would be with them."""
    if not disturbed:
        return []
    ratios = "; ".join(
        f"{row.name} {every.ratio:.3g} ({every.low:.3g} to {every.high:.3g})"
        for row in rows
        if (every := row.all_blocks)
    )
    return [
        f"{disturbed:,} of {blocks:,} blocks are left out: the host took over "
        f"{STEAL_SHARE_MAX:.0%} of the cores' time in them, or in nearly all of their boot"
        + (f"; with them the ratios are: {ratios}" if ratios else "")
    ]


def unequal_sources(sources: dict[str, str]) -> list[str]:
    """CPU figures that were read in unlike ways; `sources` per entry, empty where unknown."""
    kinds = sorted({source for source in sources.values() if source})
    if len(kinds) < 2:
        return []
    each = ", ".join(f"{name}: {source}" for name, source in sorted(sources.items()) if source)
    return [f"CPU time was not read in the same way for all, so compare it with care ({each})"]


def noisy_floor(floor: NoiseFloor | None, reference: str) -> list[str]:
    """A twin that differs from its original: so much is not the program's doing."""
    if floor is None or floor.low <= 1 <= floor.high:
        return []
    return [
        f"two copies of {reference} differ: ratio {floor.ratio:.4f} ({floor.low:.4f} to "
        f"{floor.high:.4f}); a difference smaller than {abs(floor.ratio - 1):.2%} is in doubt"
    ]


def new_reference(planned: str, chosen: str, why: str) -> list[str]:
    """The planned reference could not be one."""
    if planned == chosen:
        return []
    return [f"{planned} was to be the reference and could not be ({why}); {chosen} is instead"]
