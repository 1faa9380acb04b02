"""Replays' reports, written once: drawing takes seconds."""

from pathlib import Path

import pytest

from bakeoff import report
from tests.report.replay import sample
from tests.report.test_browser import browser

__all__ = ["browser"]


@pytest.fixture(scope="session")
def cut_off(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the report of a replay that was cut off."""
    folder = tmp_path_factory.mktemp("cut-off")
    report.write_replay(folder, sample.cut_off())
    return folder


@pytest.fixture(scope="session")
def brick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the report of a replay with many rows and a gap."""
    folder = tmp_path_factory.mktemp("brick")
    report.write_replay(folder, sample.brick())
    return folder
