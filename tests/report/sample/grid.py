"""A judged grid: three numbers of connections by two depths of pipeline, one cell skipped."""

from bakeoff.judge import changes_of_places, judge, leaders
from bakeoff.model.grid import Axis, Cell, ChangeOfPlaces, Grid, Settings
from bakeoff.model.plan import Skipped
from bakeoff.model.verdict import Verdict
from tests.judge.races import Race
from tests.report.sample.race import machine

REASON = "doesn't pipeline (contender.toml: pipelines = false)"
AXES = (Axis(name="connections", values=(1, 64, 512)), Axis(name="pipeline", values=(1, 16)))
RATIOS = {
    (1, 1): {"nginx": 1.0, "hyper": 0.8, "node-http": 0.3},
    (64, 1): {"nginx": 1.0, "hyper": 0.9, "node-http": 0.3},
    (512, 1): {"nginx": 1.0, "hyper": 1.2, "node-http": 0.3},
    (1, 16): {"nginx": 1.0, "hyper": 0.9},
    (64, 16): {"nginx": 1.0, "hyper": 1.0},
}


def grid(complete: bool = True) -> Grid:
    """The whole of it; what is not `complete` ended before its last cell."""
    reason = "the grid ended before it was measured"
    if complete:
        reason = "no contender is left: nginx: 3 of 512 requests that were sent ahead were answered"
    cells = [_cell(*place) for place in RATIOS]
    cells.append(Cell(name="c512-p16", settings=_settings(512, 16), skipped=reason))
    return of(cells, complete=complete)


def of(
    cells: list[Cell], changes: tuple[ChangeOfPlaces, ...] | None = None, complete: bool = True
) -> Grid:
    """The grid of `cells`; its changes of places are those that their verdicts have."""
    verdicts = {cell.name: cell.verdict for cell in cells if cell.verdict}
    return Grid(
        run="20261121T204316Z-nginx-vs-2-others",
        command_line=("bakeoff", "race", "nginx", "hyper", "-c", "1,64,512", "--pipeline", "1,16"),
        axes=AXES,
        reference="nginx",
        complete=complete,
        cells=tuple(cells),
        changes=changes_of_places(verdicts) if changes is None else changes,
        seed=7,
        machine=machine(),
    )


def _cell(connections: int, pipeline: int) -> Cell:
    verdict = _verdict(connections, pipeline)
    return Cell(
        name=f"c{connections}-p{pipeline}",
        settings=_settings(connections, pipeline),
        verdict=verdict,
        leaders=leaders(verdict),
    )


def _settings(connections: int, pipeline: int) -> Settings:
    return Settings(connections=connections, workers=1, pipeline=pipeline, connection="keep-alive")


def _verdict(connections: int, pipeline: int) -> Verdict:
    race = Race(RATIOS[connections, pipeline], twin="nginx", boots=2, seed=connections + pipeline)
    found = judge(race.plan(), race.receipts(), race.records(), machine(), True)
    skipped = (Skipped(name="node-http", reason=REASON),) if pipeline > 1 else ()
    set_at = {"connections": connections, "pipeline": pipeline, "skipped": skipped}
    return found.model_copy(update=set_at)
