"""A few runs of known servers in an index, and who asks the explorer for them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bakeoff import history
from bakeoff.explore import address as to
from bakeoff.explore.site import export
from bakeoff.history.index import Index
from bakeoff.history.place import sqlite_url
from bakeoff.history.results import indexed
from bakeoff.model.history import IndexedRun
from bakeoff.plan import Environment
from bakeoff.runs import AnyRun
from tests.explore.visitor import Visitor
from tests.plan.places import catalogue
from tests.runs.conftest import Measure
from tests.runs.world import World

SPEEDS = {"fast": 100_000.0, "middle": 80_000.0, "slow": 50_000.0}


@dataclass(frozen=True)
class Shelves:
    """An index with a race of three, and one of the same three later."""

    index: Index
    race: AnyRun
    runs: tuple[IndexedRun, ...]

    @property
    def id(self) -> str:
        return self.runs[0].id

    @property
    def page(self) -> str:
        return to.live(to.run(self.id))


@pytest.fixture(scope="session")
def shelves(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelves]:
    """What tests only read; a test that changes something makes its own."""
    folder = tmp_path_factory.mktemp("explored here")
    servers = catalogue(folder / "a catalogue", *SPEEDS)
    here = Environment(servers, Path("/"), (0, 1), "t", ("bakeoff", "race"))
    measure = Measure(here, folder / "runs")
    races = [measure.race(World(dict(SPEEDS)), *SPEEDS, seed=seed) for seed in (1, 2)]
    runs = tuple(indexed(race) for race in races)
    index = history.open_index(sqlite_url(folder / "history.sqlite"))
    index.add(*runs)
    yield Shelves(index, races[0], runs)
    index.close()


@pytest.fixture(scope="session")
def visitor(shelves: Shelves) -> Visitor:
    return Visitor.let_in(shelves.index)


@pytest.fixture(scope="session")
def site(shelves: Shelves, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported") / "a site"
    _, faults = export(shelves.index, folder, World({}))
    assert faults == []
    return folder


@pytest.fixture
def no_index(tmp_path: Path) -> Iterator[Index]:
    index = history.open_index(sqlite_url(tmp_path / "history.sqlite"))
    yield index
    index.close()
