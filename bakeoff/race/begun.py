"""What a run has before its first boot: its folder, and every contender built."""

from collections.abc import Mapping
from pathlib import Path

from bakeoff.model.base import Contract
from bakeoff.model.errors import BadUsage, ContenderOut, MissingPiece, NoVerdict, ToolMissing
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Receipt
from bakeoff.plan import without
from bakeoff.race.folder import RunFolder, cannot_be_made, point_latest_at, write_whole
from bakeoff.race.stages import Stages, Watch

_BUILT = ("catalogue", "folder")


def begun(path: Path, plan: Plan, receipts: Mapping[str, Receipt], stages: Stages) -> RunFolder:
    """A new folder with all that is known before the first boot."""
    folder = RunFolder.create(path)
    folder.keep_receipts(receipts)
    folder.keep("machine.json", stages.machine())
    folder.keep("plan.json", plan)
    return folder


def begun_in_parts(path: Path, kept: Mapping[str, Contract]) -> None:
    """The new folder of a run that is several races, with what is `kept` in it by file name.

    `latest` leads to it. Raises `BadUsage`.
    """
    try:
        path.mkdir(parents=True)
        for name, contract in kept.items():
            write_whole(path / name, contract.to_json())
    except OSError as error:
        raise cannot_be_made(path, error) from None
    point_latest_at(path)


def check_machine(path: Path, begun_on: Machine, now: Machine, why: str) -> None:
    """Refuse to go on with the run at `path` on another machine. Raises `BadUsage`."""
    if unlike := begun_on.unlike(now):
        raise BadUsage(f"{path}: was begun on another machine ({', '.join(unlike)} differ): {why}")


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
    why = "halves of unlike machines make no race"
    check_machine(path, folder.machine(), stages.machine(), why)
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
