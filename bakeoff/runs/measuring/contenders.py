"""Contenders of a plan: built before the first boot, and left out where they can't take part."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bakeoff.build import Wanted
from bakeoff.model.errors import BadUsage, ContenderOut, MissingPiece, NoVerdict, ToolMissing
from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Receipt
from bakeoff.model.samples import PlanChange, Record
from bakeoff.plan import check_enough, without
from bakeoff.runs.stages import Stages, Watch
from bakeoff.runs.store import Store

_BUILT = ("catalogue", "folder")


def build(
    plan: Plan, stages: Stages, watch: Watch
) -> tuple[dict[str, Receipt], dict[str, ContenderOut]]:
    """Build every entry: the receipts by name, and the reasons for entries that can't be built.

    Raises `MissingPiece` where their upstream can't be built.
    """
    _build_upstream(plan, stages, watch)
    # A command has no build, a URL isn't ours, and a twin is built with its original.
    ours = {
        entry.name: Wanted(entry.name, entry.contender, Path(entry.folder))
        for entry in plan.entries
        if entry.origin in _BUILT and not entry.twin_of and entry.contender and entry.folder
    }
    missing: dict[Path, Wanted] = {}
    for each in ours.values():
        if each.folder not in stages.built:
            missing.setdefault(each.folder, each)
    if missing:
        watch.step("building what isn't built yet")
        results = stages.servers.build(list(missing.values()), watch)
        stages.built.update(zip(missing, results, strict=True))
    built = {name: stages.built[each.folder] for name, each in ours.items()}
    return (
        {name: each for name, each in built.items() if isinstance(each, Receipt)},
        {name: each for name, each in built.items() if isinstance(each, ContenderOut)},
    )


def _build_upstream(plan: Plan, stages: Stages, watch: Watch) -> None:
    upstream = plan.upstream
    if upstream is None:
        return
    assert upstream.contender, "an upstream to start"
    assert upstream.folder, "an upstream with a folder"
    folder = Path(upstream.folder)
    if folder not in stages.built:
        (built,) = stages.servers.build([Wanted(upstream.name, upstream.contender, folder)], watch)
        stages.built[folder] = built
    if isinstance(reason := stages.built[folder], ContenderOut):
        raise MissingPiece(f"the upstream of the workload {plan.workload.name}: {reason}")


def build_able(
    plan: Plan, stages: Stages, watch: Watch
) -> tuple[dict[str, Receipt], dict[str, str]]:
    """As `build`, and report the entries that are out.

    Raises `NoVerdict` where too few are left, and `MissingPiece` where all of them lack a tool.
    """
    receipts, out = build(plan, stages, watch)
    reasons = {name: str(error) for name, error in out.items()}
    for name, reason in reasons.items():
        watch.out(name, reason)
    try:
        check_enough(without(plan, reasons))
    except NoVerdict as error:
        if all(isinstance(each, ToolMissing) for each in out.values()):
            raise MissingPiece(str(error)) from None
        raise
    return receipts, reasons


def check_sources(
    path: Path, before: Iterable[Mapping[str, Receipt]], plan: Plan, stages: Stages, watch: Watch
) -> None:
    """Build again, and refuse to go on with the run at `path` where sources have changed.

    `before` are the receipts of what was measured. Raises `BadUsage`.
    """
    now, _ = build(plan, stages, watch)
    changed = {
        name: None
        for receipts in before
        for name, receipt in receipts.items()
        if name in now and receipt.source_sha256 != now[name].source_sha256
    }
    if changed:
        raise BadUsage(
            f"{path}: the sources of {', '.join(changed)} were changed since the run "
            "began: start a new run"
        )


class NotAsPlanned(Exception):
    """A change of the plan that is needed before anything was measured: begin anew with it."""

    def __init__(self, change: PlanChange) -> None:
        self.change = change


def leave_out(out: Mapping[str, str], watch: Watch) -> None:
    """Report the entries that are out, with the reasons. Raises `NotAsPlanned` where there are
    any."""
    for name, reason in out.items():
        watch.out(name, reason)
    if out:
        raise NotAsPlanned(PlanChange(out=dict(out)))


def change_plan(store: Store, plan: Plan, change: PlanChange) -> None:
    """Record a change of the plan. Raises `NoVerdict` where too few contenders are left."""
    check_enough(without(plan, change.out))
    store.append(change)


def changed(plan: Plan, records: Sequence[Record]) -> Plan:
    """The plan with the changes in the log. Raises `NoVerdict` where no contender is left."""
    for record in records:
        if isinstance(record, PlanChange):
            plan = without(plan, record.out)
            for key in ("duration_s", "connections"):
                if value := getattr(record, key):
                    plan = plan.model_copy(update={key: value})
    return plan
