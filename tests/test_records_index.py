"""The index of the records is that of the records that are there."""

import json
from pathlib import Path

import pytest

from tests.records_index import INDEX, NAMED, ROOT, machine, page, row


def test_the_index_is_current() -> None:
    assert INDEX.read_text() == page(), "run: python -m tests.records_index"


@pytest.mark.parametrize(
    ("name", "record", "cells"),
    [
        (
            "2026-11-26T15-10-18Z-default-race.json",
            {"machine": {"cpu_model": "AMD EPYC", "cpus": 2}},
            ["2026-11-26 15:10", "default race", "–", "2 × AMD EPYC"],
        ),
        (
            "2026-11-22-bench.json",
            {"what": "how often it errs: python -m tests.bench", "machine": {}},
            ["2026-11-22", "how often it errs", "`python -m tests.bench`", "–"],
        ),
        (
            "2026-11-23T00-08-replay.json",
            {"command_line": ["bakeoff", "replay", "an article"]},
            ["2026-11-23 00:08", "replay", "`bakeoff replay 'an article'`", "–"],
        ),
    ],
)
def test_a_row_has_what_name_and_record_say(
    tmp_path: Path, name: str, record: dict[str, object], cells: list[str]
) -> None:
    (tmp_path / name).write_text(json.dumps(record))
    assert list(row(tmp_path / name, {}))[1:] == [*cells, "–"]


def test_the_documents_of_a_record_name_it_alone_or_with_others(tmp_path: Path) -> None:
    path = tmp_path / "2026-11-23T03-23-34Z-protocols-nginx.json"
    path.write_text("{}")
    named = {
        ROOT / "alone.md": {"2026-11-23T03-23-34Z-protocols-nginx"},
        ROOT / "among.md": {"2026-11-23T*-protocols-*"},
        ROOT / "other.md": {"2026-11-23T03-23-34Z-protocols"},
    }
    *_, documents = row(path, named)
    assert documents == "[alone.md](../alone.md), [among.md](../among.md)"


def test_documents_name_records_by_path_by_name_and_by_pattern() -> None:
    text = "`records/2026-11-22-a.json`, 2026-11-23T00-08-b, `records/*brick-close-*`; 2026-11-24."
    assert NAMED.findall(text) == [
        "2026-11-22-a",
        "2026-11-23T00-08-b",
        "*brick-close-*",
    ]


def test_a_benchmark_of_the_engine_says_its_machine_before_and_after() -> None:
    assert machine({"machine": {"before": {"cpu": "AMD EPYC", "cores": 2}}}) == "2 × AMD EPYC"
