"""What the intervals of a race rest on: processes and boots, and when they are too few."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from bakeoff.judge.about_race import grounds
from bakeoff.judge.history import History
from tests.judge.races import codes


def said(boots: int, draws: int, processes: int) -> list[str]:
    """The findings of a race in which one contender had so many processes."""
    history: Any = SimpleNamespace(
        boots=range(boots), draws=range(draws), processes=lambda _name: processes
    )
    return codes(tuple(grounds(cast("History", history), ["a"])))


@pytest.mark.parametrize(
    ("boots", "draws", "processes", "found"),
    [
        (1, 0, 1, ["one_boot"]),
        (1, 20, 1, ["one_process"]),
        (1, 20, 3, ["few_processes"]),
        (1, 20, 8, []),
        (2, 20, 2, ["one_process"]),
        (2, 20, 4, ["few_processes"]),
        (2, 20, 16, []),
        (3, 3, 3, ["few_boots"]),
        (8, 8, 8, []),
    ],
    ids=str,
)
def test_too_few_processes_or_boots_alone_are_told(
    boots: int, draws: int, processes: int, found: list[str]
) -> None:
    assert said(boots, draws, processes) == found
