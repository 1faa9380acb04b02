"""Every sample's report, written once for all tests that only read it."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from bakeoff.report import render
from tests.report.documents import DOCUMENTS


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a sample's report."""

    @cache
    def folder(name: str) -> Path:
        return render.write(tmp_path_factory.mktemp(name), DOCUMENTS[name]()).parent

    return folder
