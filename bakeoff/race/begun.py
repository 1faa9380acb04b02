"""What a run has before its first boot: its folder, and every contender built."""

from collections.abc import Mapping
from pathlib import Path

from bakeoff.model.errors import BadUsage, ContenderOut, MissingPiece, NoVerdict, ToolMissing
from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Receipt
from bakeoff.plan import without
from bakeoff.race.folder import RunFolder
from bakeoff.race.stages import Stages, Watch

_BUILT = ("catalogue", "folder")


def begun(path: Path, plan: Plan, receipts: Mapping[str, Receipt], stages: Stages) -> RunFolder:
    """A new folder with all that is known before the first boot."""
    folder = RunFolder.create(path)
    folder.keep_receipts(receipts)
    folder.keep("machine.json", stages.machine())
    folder.keep("plan.json", plan)
    return folder


def build_all(plan: Plan, stages: Stages, watch: Watch) -> tuple[Plan, dict[str, Receipt]]:
    """Build every entry; those that can't be built leave the plan with their reason."""
    receipts: dict[str, Receipt] = {}
    out: dict[str, ContenderOut] = {}
    # A command has no build, a URL isn't ours, and a twin is built with its original.
    ours = [one for one in plan.entries if one.origin in _BUILT and not one.twin_of]
    if ours:
        watch.step("building what isn't built yet")
    wanted = [(one.contender, Path(one.folder)) for one in ours if one.contender and one.folder]
    for entry, found in zip(ours, stages.build(wanted, watch.step), strict=True):
        if isinstance(found, ContenderOut):
            out[entry.name] = found
            watch.out(entry.name, str(found))
        else:
            receipts[entry.name] = found
    try:
        return without(plan, {name: str(error) for name, error in out.items()}), receipts
    except NoVerdict as error:
        if all(isinstance(one, ToolMissing) for one in out.values()):
            raise MissingPiece(str(error)) from None
        raise


def built_again(folder: RunFolder, stages: Stages, watch: Watch) -> tuple[Plan, dict[str, Receipt]]:
    """What a run needs to go on, on the same machine and from the same sources, or `BadUsage`."""
    path = folder.path
    if unlike := folder.machine().unlike(stages.machine()):
        raise BadUsage(
            f"{path}: was begun on another machine ({', '.join(unlike)} differ): "
            "halves of unlike machines make no race"
        )
    rebuilt, receipts = build_all(folder.plan(), stages, watch)
    before = folder.receipts()
    changed = [
        name
        for name, receipt in receipts.items()
        if name in before and receipt.source_sha256 != before[name].source_sha256
    ]
    if changed:
        raise BadUsage(f"{path}: the sources of {', '.join(changed)} are not what they were")
    return rebuilt, receipts
