"""One written report for all tests that only read it: drawing takes seconds."""

from pathlib import Path

import pytest

from bakeoff import report
from tests.report import sample


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the sample's report."""
    folder = tmp_path_factory.mktemp("run")
    report.write(folder, sample.plan(), sample.verdict(), sample.records(), sample.receipts())
    return folder
