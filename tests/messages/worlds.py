"""Situations in which runs are measured: the fast world of tests/runs, and runs that are there."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bakeoff import satellites
from bakeoff.runs import stages
from tests.e2e.conftest import Place
from tests.messages.case import Scene, Situation
from tests.runs.world import World

SPEEDS = {
    **dict.fromkeys(("a", *(f"a#{n}" for n in range(2, 7)), "base", "head"), 30000.0),
    "b": 20_000.0,
    "c": 10_000.0,
    "nginx": 40_000.0,
    "gin": 20_000.0,
}
"""Requests per second of the servers in the world, by name."""
A, B, C = "'a=sleep 1'", "'b=sleep 2'", "'c=sleep 3'"
"""Contenders whose servers are in the world: nothing is started."""
_KEPT = tempfile.TemporaryDirectory(prefix="messages-runs-")


def world(**fields: Any) -> Situation:
    def situation(scene: Scene) -> None:
        one = World(**{"requests_per_s": SPEEDS, **fields})
        scene.patch.setattr(satellites, "real_stages", one.stages)

    return situation


def both(*several: Situation) -> Situation:
    def situation(scene: Scene) -> None:
        for each in several:
            each(scene)

    return situation


def later(at_slice: int, **fields: object) -> Callable[[World, int], None]:
    """From a slice on the world has these fields."""

    def on_slice(one: World, count: int) -> None:
        if count == at_slice:
            for name, value in fields.items():
                setattr(one, name, value)

    return on_slice


def ran(*words: str, to: str = "runs", killed: str = "") -> Situation:
    """`bakeoff` with these words was there before, in the world, where the server that is
    `killed` was that while it was measured; its runs are in `to`."""

    def situation(scene: Scene) -> None:
        world()(scene)
        shutil.copytree(_ran(words, killed), scene.folder / to, symlinks=True)

    return situation


@cache
def _ran(words: tuple[str, ...], killed: str) -> Path:
    """The folder of runs that these words leave: made once, and copied."""
    place = Path(tempfile.mkdtemp(dir=_KEPT.name))
    with pytest.MonkeyPatch.context() as patch:
        dead = {killed: "was killed by signal SIGKILL"}
        one = World(requests_per_s=SPEEDS, on_slice=later(60, dead=dead))
        patch.setattr(satellites, "real_stages", one.stages)
        ended = Place(place).bakeoff_here(*words)
    assert (place / "runs" / "latest").exists(), ended.err
    return place / "runs"


@dataclass(frozen=True)
class _Without:
    finder: Any
    modules: tuple[str, ...]

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name.partition(".")[0] in self.modules:
            return None
        return self.finder.find_spec(name, path, target)


_NEEDS_MORE = ("bakeoff.explore", "bakeoff.start.certificate")
"""Ours that import what may not be installed; they are imported again."""


def away(*modules: str) -> Situation:
    def situation(scene: Scene) -> None:
        for name in [*sys.modules]:
            if name.partition(".")[0] in modules or name.startswith(_NEEDS_MORE):
                scene.patch.delitem(sys.modules, name)
        for name in _NEEDS_MORE:
            # An import anew rebinds the name in the package, which has to come back too.
            package, _, module = name.rpartition(".")
            scene.patch.delattr(sys.modules[package], module, raising=False)
        finders = [_Without(finder, modules) for finder in sys.meta_path]
        scene.patch.setattr(sys, "meta_path", finders)

    return situation


def real(scene: Scene) -> None:
    """What is raced, is raced here: all contenders are out before there is any load."""
    scene.patch.setattr(satellites, "real_stages", _REAL)
    scene.patch.setattr(os, "sched_getaffinity", _CORES)
    scene.patch.setattr(stages, "SETTLE_S", 0)


_REAL, _CORES = satellites.real_stages, os.sched_getaffinity
