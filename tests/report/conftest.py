"""Every sample's report, written once for all tests that only read it.

In its documents a finding is its code and its values, so that no test of them knows a sentence.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from bakeoff.model.findings import CODES
from bakeoff.model.findings.row import Row
from bakeoff.report import render, sentences
from tests.report.documents import DOCUMENTS


def neutral(code: str, row: Row) -> Row:
    """A row that names the code, and its values in their order. Words of others stay."""
    if row.sentence in ("{text}", "{how}"):
        return row
    names = "".join(f" {{{name}}}" for name in row.values)
    because = "[: {because}]" if "{because}" in row.sentence else ""
    return Row(f"{code}{names}{because}", f"{code} of {{names:who}}", row.advice and "advice")


@pytest.fixture(autouse=True)
def by_codes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Findings are said by their codes, but where their sentences are what is tested."""
    if request.path.name != "test_sentences.py":
        rows = {code: neutral(code, row) for code, row in CODES.items()}
        monkeypatch.setattr(sentences, "CODES", rows)


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    @cache
    def folder(name: str) -> Path:
        return render.write(tmp_path_factory.mktemp(name), DOCUMENTS[name]()).parent

    return folder
