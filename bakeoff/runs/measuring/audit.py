"""An audit without a race: contenders run together, are sent requests, loaded for a moment,
compared."""

from collections.abc import Sequence

from bakeoff.keeper.scratch import scratch_folder
from bakeoff.model.audit import AuditReport
from bakeoff.model.errors import NoVerdict
from bakeoff.model.plan import Plan, Skipped
from bakeoff.model.samples import Block, Record
from bakeoff.plan import without
from bakeoff.runs.measuring.contenders import build_able
from bakeoff.runs.measuring.context import Context, measuring
from bakeoff.runs.measuring.meter import Meter, block_of
from bakeoff.runs.measuring.observation import Observation
from bakeoff.runs.measuring.session import Session
from bakeoff.runs.measuring.warmup import failures
from bakeoff.runs.stages import Stages, Watch
from bakeoff.runs.store import Store

WARM_UP_MS = 500
LOAD_MS = 1000


def audit(plan: Plan, stages: Stages, watch: Watch) -> AuditReport:
    """What each entry of `plan` does, and where that is unequal, without any figure of speed.

    Leaves no run folder behind. Raises `BakeoffError`; `NoVerdict` where no contender started.
    """
    # As for a verdict: statistics libraries take a second to import.
    from bakeoff.judge import unequal, works_of

    plan = without(plan, build_able(plan, stages, watch)[1])
    with scratch_folder("audit") as path, measuring(Store(path), stages, watch) as context:
        records, out = _measured(plan, context)
    works = works_of(plan, records)
    return AuditReport(
        workload=plan.workload.name,
        connections=plan.connections,
        works=works,
        unequal=unequal(plan, works),
        skipped=(*plan.skipped, *out),
    )


def _measured(plan: Plan, context: Context) -> tuple[Sequence[Record], list[Skipped]]:
    """One boot with one block, as a race would have recorded it, and the entries that could not
    take part."""
    names = [entry.name for entry in plan.entries]
    context.watch.step(f"starting and asking {', '.join(names)}")
    with Session(plan, 0, names, context, audits="all") as session:
        out = [Skipped(name=name, reason=reason) for name, reason in session.out.items()]
        if not session.running:
            reasons = "\n".join(f"  {each.name}: {each.reason}" for each in out)
            raise NoVerdict(f"no contender can take part:\n{reasons}")
        session.connect()
        meter = Meter(session)
        _load(session, meter, WARM_UP_MS, "warming up")
        observation = Observation(session)
        with observation.blocks():
            block = _load(session, meter, LOAD_MS, "loading")
        end = observation.end()
        failed = {each.entry: why for each in block.slices if (why := failures([each]))}
        ended = {name: f"it died under load: {how}" for name, how in meter.died.items()}
        out += [Skipped(name=name, reason=reason) for name, reason in (failed | ended).items()]
        return (session.record(), block, end), out


def _load(session: Session, meter: Meter, duration_ms: int, doing: str) -> Block:
    watch = session.context.watch
    watch.step(f"{doing}, {duration_ms / 1000:g} s each")
    slices = []
    for turn, running in enumerate(session.running):
        name = running.entry.name
        if name not in meter.died:
            watch.measured(turn, len(session.running), f"{doing} {name}")
            slices.append(meter.slice(name, 0, ramp_ms=0, duration_ms=duration_ms))
    return block_of(slices, 0, 0, "long", session.context.stages)
