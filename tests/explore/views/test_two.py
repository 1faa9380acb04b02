"""Two runs side by side."""

from pathlib import Path

from bakeoff import history
from bakeoff.explore import address as to
from bakeoff.explore.views.two import two
from bakeoff.history.place import sqlite_url
from bakeoff.history.results import indexed
from bakeoff.plan import Environment
from bakeoff.report.render.markdown import markdown
from tests.judge.facts import MACHINE
from tests.plan.places import catalogue
from tests.runs.conftest import Measure
from tests.runs.world import World

SPEEDS = {"fast": 100_000.0, "slow": 50_000.0}


def test_runs_of_one_line_are_compared_though_the_kernel_was_another(tmp_path: Path) -> None:
    here = Environment(
        catalogue(tmp_path / "a catalogue", *SPEEDS), Path("/"), (0, 1), "t", ("bakeoff", "race")
    )
    newer = MACHINE.model_copy(update={"kernel": "Linux 99"})
    runs = [
        indexed(Measure(here, tmp_path / "runs").race(world, *SPEEDS, seed=seed, duration=4.0))
        for seed, world in enumerate((World(dict(SPEEDS)), World(SPEEDS, on_machine=newer)))
    ]
    index = history.open_index(sqlite_url(tmp_path / "history.sqlite"))
    index.add(*runs)
    page = two(index, to.two(*(run.id for run in runs)))
    assert "Linux 99" in markdown(page.document)
    index.close()
