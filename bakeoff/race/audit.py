"""An audit without a race: contenders up together, asked, loaded for a moment, compared."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from bakeoff.model.audit import AuditReport
from bakeoff.model.errors import NoVerdict
from bakeoff.model.plan import Plan, Skipped
from bakeoff.model.samples import Block, Record
from bakeoff.race.begun import build_all
from bakeoff.race.deeds import Deeds
from bakeoff.race.folder import RunFolder
from bakeoff.race.meter import Meter, block_of
from bakeoff.race.stages import Stages, Watch
from bakeoff.race.up import Setting, Up

WARM_UP_MS = 500
LOAD_MS = 1000


def audit(plan: Plan, stages: Stages, watch: Watch) -> AuditReport:
    """What each entry of `plan` does, and where that is unequal; nothing is said of speed.

    Leaves no run folder behind. Raises `BakeoffError`; `NoVerdict` where nobody came up.
    """
    # As for a verdict: whoever doesn't judge doesn't wait for the statistics libraries.
    from bakeoff.judge import unequal, works_of

    plan, _ = build_all(plan, stages, watch)
    with tempfile.TemporaryDirectory(prefix="bakeoff-audit-") as path:
        folder = RunFolder(Path(path))
        servers = stages.servers(folder.path / "scratch")
        try:
            records, out = _seen(plan, Setting(stages, servers, folder, watch))
        finally:
            servers.close()
    works = works_of(plan, records)
    return AuditReport(
        workload=plan.workload.name,
        connections=plan.connections,
        works=works,
        unequal=unequal(plan, works),
        skipped=(*plan.skipped, *out),
    )


def _seen(plan: Plan, setting: Setting) -> tuple[Sequence[Record], list[Skipped]]:
    """One boot with one block, as a race would have recorded it, and who could not take part."""
    names = [entry.name for entry in plan.entries]
    setting.watch.step(f"starting {', '.join(names)}")
    with Up(plan, 0, names, setting) as up:
        out = [Skipped(name=name, reason=reason) for name, reason in up.out.items()]
        if not up.running:
            reasons = "\n".join(f"  {each.name}: {each.reason}" for each in out)
            raise NoVerdict(f"no contender is left:\n{reasons}")
        setting.watch.step("asking each of them")
        up.audit()
        up.connect()
        meter = Meter(up)
        _load(up, meter, WARM_UP_MS, "warming up")
        deeds = Deeds(up)
        block = _load(up, meter, LOAD_MS, "loading")
        end = deeds.end()
        out += [
            Skipped(name=name, reason=f"it died under load: {how}")
            for name, how in meter.died.items()
        ]
        return (up.record(), block, end), out


def _load(up: Up, meter: Meter, duration_ms: int, doing: str) -> Block:
    """One slice for each, one after another."""
    stages, watch = up.setting.stages, up.setting.watch
    watch.step(f"{doing}, {duration_ms / 1000:g} s each")
    slices = []
    for turn, one in enumerate(up.running):
        if one.entry.name not in meter.died:
            watch.measured(turn, len(up.running), f"{doing} {one.entry.name}")
            slices.append(meter.slice(one.entry.name, 0, ramp_ms=0, duration_ms=duration_ms))
    return block_of(slices, 0, 0, "long", stages)
