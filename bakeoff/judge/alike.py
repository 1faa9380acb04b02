"""Whether two runs were measured alike, so that what differs between them is the contenders."""

from collections.abc import Mapping, Sequence

from bakeoff.model.errors import BadUsage
from bakeoff.model.plan import Cores
from bakeoff.model.receipt import Receipt
from bakeoff.model.verdict import Verdict


def refuse_unlike(old: Verdict, new: Verdict, unlike_machines: bool) -> tuple[str, ...]:
    """In what the machines differ, where `unlike_machines` allows that.

    Raises `BadUsage` where the runs were not measured alike: a ratio depends on the load.
    """
    if old.run == new.run and old.seed == new.seed:
        raise BadUsage(f"compare: both are the run {old.run}; it takes two")
    differences = [
        f"{what}: {one} and {other}"
        for what, one, other in (*_loads(old, new), *_workers(old, new))
        if one != other
    ]
    if differences:
        raise BadUsage(
            f"compare: {old.run} and {new.run} were not measured alike, and a ratio depends on "
            f"how it was measured: {'; '.join(differences)}"
        )
    return _unlike_machines(old, new, unlike_machines)


def _loads(old: Verdict, new: Verdict) -> list[tuple[str, object, object]]:
    return [
        (what, getattr(old, key), getattr(new, key))
        for what, key in (
            ("workload", "workload"),
            ("mode", "mode"),
            ("rate", "rate"),
            ("load", "load"),
            ("connections", "connections"),
            ("connection", "connection"),
            ("pipeline", "pipeline"),
        )
    ] + [
        ("one contender up at a time", _yes(old.solo), _yes(new.solo)),
        ("cores", _shape(old.cores), _shape(new.cores)),
    ]


def _workers(old: Verdict, new: Verdict) -> list[tuple[str, object, object]]:
    return [
        (f"workers of {entry.name}", same.workers, entry.workers)
        for entry in new.entries
        if (same := old.entry(entry.name))
    ]


def _yes(so: bool) -> str:
    return "yes" if so else "no"


def _shape(cores: Cores) -> str:
    """How many cores there were for whom; which ones they were is no matter."""
    shared = ", shared" if cores.shared else ""
    return f"{len(cores.server)} for servers, {len(cores.client)} for the generator{shared}"


def _unlike_machines(old: Verdict, new: Verdict, allowed: bool) -> tuple[str, ...]:
    keys = old.machine.unlike(new.machine)
    unlike = tuple(
        f"{key}: {getattr(old.machine, key)} and {getattr(new.machine, key)}" for key in keys
    )
    if unlike and not allowed:
        raise BadUsage(
            f"compare: {old.run} and {new.run} come from unlike machines ({'; '.join(unlike)}); "
            "--unlike-machines compares them all the same"
        )
    return unlike


def same_program(
    reference: str,
    versions: Sequence[str],
    before: Mapping[str, Receipt],
    after: Mapping[str, Receipt],
) -> list[str]:
    """What speaks against the reference being the same program in both runs.

    `versions` are those of the earlier and of the later run; a command has neither a version nor
    a receipt.
    """
    old, new = versions
    if not old or not new:
        return [
            f"nothing says whether {reference}, the reference, is the same program in both runs; "
            "if it changed, its change is in every ratio"
        ]
    sources = [one[reference].source_sha256 for one in (before, after) if reference in one]
    if old != new:
        what = f"is {old} in the earlier run and {new} in the later"
    elif len(set(sources)) > 1:
        what = "has other sources in the later run than in the earlier"
    else:
        return []
    return [f"{reference}, the reference, {what}: that change is in every ratio"]
