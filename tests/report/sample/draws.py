"""A measurement of draws made up: a noisy server, a calm one, a URL, one with too few rounds."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bakeoff.model.draws import ContenderDraws, Draws, LevelSpread
from bakeoff.model.plan import Skipped
from bakeoff.plan.draws import DrawsOptions, plan_draws
from tests.judge.facts import MACHINE
from tests.plan import places


def spread(level: Any, sd: float, n: int) -> LevelSpread:
    return LevelSpread(level=level, sd=sd, low=sd / 2, high=sd * 2.5, n=n, degrees=n - 1)


def measured(name: str, process: float | None, **changed: Any) -> ContenderDraws:
    levels = [spread("block", 0.02, 360), spread("connections", 0.008, 18)]
    levels += [] if process is None else [spread("process", process, 6)]
    usual = {
        "name": name,
        "title": name,
        "processes": 6,
        "sets": 3,
        "boots": 1,
        "rounds": 20,
        "slice_ms": 20,
        "requests_per_s": 50_000.0,
        "generator_busy": 0.6,
        "spreads": levels,
        "one_draw_error": 0.008 + (process or 0.0),
        "twenty_draws_error": (0.008 + (process or 0.0)) / 4,
    }
    return ContenderDraws.model_validate({**usual, **changed})


def draws(**changed: Any) -> Draws:
    with TemporaryDirectory() as root:
        folder = places.catalogue(Path(root), "ada", "bob")
        asked = DrawsOptions(seed=1)
        made = plan_draws(("ada", "bob"), asked, places.environment(folder, Path(root)))
    few = {"rounds": 3, "spreads": (), "one_draw_error": None, "twenty_draws_error": None}
    usual: dict[str, Any] = {
        "plan": made,
        "complete": True,
        "contenders": (
            measured("ada", 0.012),
            measured("bob", 0.003, generator_busy=0.97),
            measured("http://127.0.0.1:1/", None),
            measured("cy", None, **few),
        ),
        "skipped": (Skipped(name="dan", reason="needs go"),),
        "machine": MACHINE,
    }
    return Draws.model_validate({**usual, **changed})
