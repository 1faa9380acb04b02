"""A replay: every comparison of an article measured here, and what became of its claims."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bakeoff.model.errors import BadUsage
from bakeoff.model.replay import Replay, ReplayPlan
from bakeoff.plan import Catalogue, adapt
from bakeoff.race.begun import begun_in_parts
from bakeoff.race.comparison import Ground, Part, measured
from bakeoff.race.folder import write_whole
from bakeoff.race.stages import Stages, Watch

PLAN_FILE = "replay-plan.json"


@dataclass(frozen=True)
class Replayed:
    """A replay that was judged; `interrupted` where it was ended before its time."""

    replay: Replay
    folder: Path
    report: Path
    interrupted: bool


def replay(
    asked: ReplayPlan,
    parent: Path,
    catalogue: Catalogue,
    available: Sequence[int],
    stages: Stages,
    watch: Watch,
) -> Replayed:
    """Replay an article in a new folder of `parent`. `available` are the cores we may use.

    What can't be measured is skipped with its reason. Raises `BadUsage`.
    """
    path = parent / asked.run
    begun_in_parts(path, {PLAN_FILE: asked})
    return resume_replay(path, catalogue, available, stages, watch)


def resume_replay(
    path: Path,
    catalogue: Catalogue,
    available: Sequence[int],
    stages: Stages,
    watch: Watch,
) -> Replayed:
    """Measure what is missing of a replay, and judge all of it. Raises `BakeoffError`."""
    asked = ReplayPlan.read_json(path / PLAN_FILE)
    parts: dict[str, Part] = {}
    interrupted = False
    for comparison in asked.article.comparisons:
        watch.step(f"{asked.article.name}: {comparison.title}")
        adapted = adapt(asked, comparison, catalogue, available)
        ground = Ground(asked, comparison, adapted, path / comparison.name, stages, watch)
        try:
            part = measured(ground)
        except KeyboardInterrupt:
            interrupted = True
            break
        parts[comparison.name] = part
        if part.interrupted:
            interrupted = True
            break
    if not any(part.evidence for part in parts.values()) and interrupted:
        raise KeyboardInterrupt
    watch.step("judging, and drawing the report")
    found = _judged(asked, parts, stages, complete=not interrupted)
    write_whole(path / "replay.json", found.to_json())
    return Replayed(found, path, stages.write_replay(path, found), interrupted)


def is_replay(path: Path) -> bool:
    """Whether a run's folder is that of a replay."""
    return (path / PLAN_FILE).exists()


def report_replay(path: Path, stages: Stages) -> Replayed:
    """Write the report of a replay again. Raises `BadUsage` where it was never judged."""
    kept = path / "replay.json"
    if not kept.exists():
        raise BadUsage(f"{path}: was cut off before it was judged; go on: bakeoff resume {path}")
    found = Replay.read_json(kept)
    return Replayed(found, path, stages.write_replay(path, found), interrupted=False)


def _judged(asked: ReplayPlan, parts: dict[str, Part], stages: Stages, *, complete: bool) -> Replay:
    from bakeoff.judge import decide

    evidence = {name: part.evidence for name, part in parts.items() if part.evidence}
    missing = {name: part.result.skipped for name, part in parts.items() if not part.evidence}
    return Replay(
        run=asked.run,
        command_line=asked.command_line,
        article=asked.article,
        scale=asked.scale,
        driver=asked.driver,
        complete=complete,
        comparisons=tuple(part.result for part in parts.values()),
        claims=decide(asked.article, evidence, missing),
        machine=stages.machine(),
    )
