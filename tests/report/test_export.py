"""What other tools read of a run: each format is read by a parser that is not ours."""

import csv
import json
from pathlib import Path

import jsonschema
import pytest

from bakeoff.history.results import indexed_path
from bakeoff.model.history import IndexedRun
from bakeoff.report.export import FORMATS, bencher, openmetrics, otava
from tests.cli.conftest import bakeoff
from tests.judge.test_ci import decided, priced, verdict
from tests.report import sample

NUMBER = {"type": "number"}
METRIC_FORMAT = {
    "$schema": "http://json-schema.org/draft-07/schema",
    "type": "object",
    "additionalProperties": {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {
            "type": "object",
            "properties": {"value": NUMBER, "lower_value": NUMBER, "upper_value": NUMBER},
            "required": ["value"],
            "additionalProperties": False,
        },
    },
}
"""Bencher's schema of its format, https://bencher.dev/bmf.json, which allows other keys besides."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The result of a race: aiohttp is not valid, nginx is the reference."""
    path = tmp_path / "a race.json"
    path.write_text(sample.verdict().to_json())
    return path


@pytest.fixture
def run(file: Path) -> IndexedRun:
    return indexed_path(file)


def test_bencher_has_a_benchmark_for_each_contender_and_ratios_with_their_bounds(
    run: IndexedRun,
) -> None:
    found = json.loads(bencher(run))
    jsonschema.validate(found, METRIC_FORMAT)
    assert found.keys() == {"nginx", "libuv-http-parser", "go-nethttp", "node-http", "gunicorn"}
    pair = sample.verdict().pair("go-nethttp", "nginx")
    assert pair
    assert found["go-nethttp"]["ratio"] == {
        "value": pair.ratio.ratio,
        "lower_value": pair.ratio.low,
        "upper_value": pair.ratio.high,
    }
    assert "ratio" not in found["nginx"], "a reference is not compared with itself"
    entry = sample.verdict().entry("gunicorn")
    assert entry and found["gunicorn"]["requests_per_s"] == {"value": entry.requests_per_s}


def test_bounds_that_an_interval_lacks_are_left_out(run: IndexedRun) -> None:
    (race,) = run.races
    pairs = tuple(
        pair.model_copy(update={"ratio": pair.ratio.model_copy(update={"high": None})})
        for pair in race.pairs
    )
    limited = run.model_copy(update={"races": (race.model_copy(update={"pairs": pairs}),)})
    ratio = json.loads(bencher(limited))["go-nethttp"]["ratio"]
    # The one bound that is left, from whichever side the pair is seen.
    assert len(ratio) == 2 and "value" in ratio


def test_otava_has_a_row_of_the_same_columns_whoever_was_faster(run: IndexedRun) -> None:
    head, row = csv.reader(otava(run, "ab12").splitlines())
    line = dict(zip(head, row, strict=True))
    assert line["commit"] == "ab12" and line["time"] == run.began_at.isoformat()
    assert float(line["node-http requests_per_s"]) > 0
    assert line["aiohttp ratio"] == line["aiohttp requests_per_s"] == ""
    (race,) = run.races
    turned = race.model_copy(update={"figures": race.figures[::-1]})
    again = otava(run.model_copy(update={"races": (turned,)}), "ab12")
    assert again == otava(run, "ab12")


def test_openmetrics_has_gauges_in_base_units_with_the_time_of_the_run(run: IndexedRun) -> None:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families

    families = {each.name: each for each in text_string_to_metric_families(openmetrics(run))}
    entry = sample.verdict().entry("node-http")
    pair = sample.verdict().pair("node-http", "nginx")
    assert entry and entry.latency_us and entry.latency_us.p99 and entry.memory_mib.loaded and pair
    values = {
        name: point.value
        for name, family in families.items()
        for point in family.samples
        if point.labels.get("contender") == "node-http"
    }
    expected = {
        "bakeoff_ratio": pair.ratio.ratio,
        "bakeoff_low_ratio": pair.ratio.low,
        "bakeoff_high_ratio": pair.ratio.high,
        "bakeoff_requests_per_second": entry.requests_per_s,
        "bakeoff_latency_p99_seconds": entry.latency_us.p99 / 1e6,
        "bakeoff_memory_bytes": entry.memory_mib.loaded * 2**20,
    }
    assert {name: values[name] for name in expected} == pytest.approx(expected)
    for name, family in families.items():
        assert name.endswith(family.unit) and family.documentation
        assert {float(point.timestamp) for point in family.samples} == {run.began_at.timestamp()}
    assert families["bakeoff_run"].type == "info"


def test_names_from_outside_are_only_names(run: IndexedRun) -> None:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families

    harm = 'a"b\\c\nd,e\x1b'
    (race,) = run.races
    named = tuple(each.model_copy(update={"name": harm}) for each in race.figures[:1])
    other = run.model_copy(update={"races": (race.model_copy(update={"figures": named}),)})
    (name,) = json.loads(bencher(other))
    head, _ = csv.reader(otava(other).splitlines())
    assert f"{name} ratio" in head
    labels = {
        point.labels["contender"]
        for family in text_string_to_metric_families(openmetrics(other))
        for point in family.samples
        if "contender" in point.labels
    }
    assert labels == {name}


def test_the_command_prints_each_format_of_a_result(file: Path) -> None:
    for name, write in FORMATS.items():
        done = bakeoff("report", str(file), "--format", name)
        assert done.exit_code == 0
        assert done.stdout == write(indexed_path(file), "")


def test_of_two_revisions_it_names_the_commit(tmp_path: Path) -> None:
    result = decided(priced(verdict("holds")))
    path = tmp_path / "ci.json"
    path.write_text(result.to_json())
    done = bakeoff("report", str(path), "--format", "otava")
    head, row = csv.reader(done.stdout.splitlines())
    line = dict(zip(head, row, strict=True))
    assert line["commit"] == result.head.commit
    pair = result.race.pair("head", "base")
    assert pair and pair.cpu_ratio
    assert float(line["head cpu_ratio"]) == pair.cpu_ratio.ratio
