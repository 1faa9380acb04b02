"""A race from Python, in a world of known speeds."""

import json
import math
from pathlib import Path
from typing import Any

import pandas
import polars
import pytest

import bakeoff
from bakeoff.report import render
from tests.cli import conftest as cli
from tests.ratios import known
from tests.runs.world import World

Columns = dict[str, list[Any]]


def raced(*contenders: str, **options: Any) -> bakeoff.Run:
    options = {"duration": 6, "seed": 1, "cpus": "server=0,client=0", **options}
    return bakeoff.race(*(contenders or ("fast", "slow")), **options)


@pytest.fixture(params=["pandas", "polars"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """One of the two libraries of data frames, as if the other were not installed."""
    monkeypatch.setattr(render, "LIBRARIES", (request.param,))
    return str(request.param)


def columns(frame: Any) -> Columns:
    if isinstance(frame, polars.DataFrame):
        return frame.to_dict(as_series=False)
    assert isinstance(frame, pandas.DataFrame)
    return {str(name): list(frame[name]) for name in frame}


def test_a_race_returns_a_typed_verdict_and_leaves_its_folder(world: World) -> None:
    run = raced("fast", "slow", out="my runs")
    assert (run.kind, run.interrupted, run.succeeded) == ("race", False, True)
    assert run.verdict.reference == "fast"
    assert run.verdict.pairs[0].ratio.ratio == pytest.approx(2, rel=0.1)
    assert run.path.parent.name == "my runs"
    assert run.report_path.is_file()
    assert not world.up, "every server has ended"


def test_it_is_the_race_that_the_command_line_would_run(world: World, tmp_path: Path) -> None:
    run = raced("fast", "slow", connections=8, load="50%", twin=False, gates=["slow > 1% * fast"])
    command, *arguments = run.plan.command_line
    assert (command, arguments[:3]) == ("bakeoff", ["race", "fast", "slow"])
    done = cli.bakeoff(*arguments, "--out", "again")
    assert done.exit_code == 0, done.output
    again = bakeoff.open_run(tmp_path / "again" / "latest")
    differs = {"run", "command_line"}
    assert again.plan.model_dump(exclude=differs) == run.plan.model_dump(exclude=differs)


def test_blocks_are_a_tidy_frame_of_every_slice(world: World, library: str) -> None:
    run = raced()
    frame = run.blocks()
    assert type(frame).__module__.startswith(library)
    blocks = columns(frame)
    assert set(blocks["contender"]) == {"fast", "slow", "fast (twin)"}
    assert len(blocks["contender"]) == measured_slices(run)
    assert set(blocks["turn"]) == {0, 1, 2}
    assert set(blocks["boot"]) == {0}
    fast = [
        r for r, c in zip(blocks["requests_per_s"], blocks["contender"], strict=True) if c == "fast"
    ]
    assert sum(fast) / len(fast) == pytest.approx(100_000, rel=0.05)


def measured_slices(run: bakeoff.Run) -> int:
    lines = (run.path / "samples.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    return sum(len(record["slices"]) for record in records if record["type"] == "block")


def test_entries_are_a_frame_of_the_verdict(world: World, library: str) -> None:
    run = raced()
    entries = columns(run.entries())
    verdict = {entry.name: entry for entry in run.verdict.entries}
    assert entries["contender"] == list(verdict)
    ratios = [known(entry.ratio).ratio for entry in verdict.values()]
    assert entries["ratio"] == pytest.approx(ratios)


def test_latencies_are_those_of_the_verdict(world: World) -> None:
    run = raced()
    latencies = run.latencies("slow")
    entry = run.verdict.entry("slow")
    assert entry and entry.latency_us
    assert latencies.percentile(99) == entry.latency_us.p99
    assert latencies.percentile(99.9) == entry.latency_us.p99_9
    assert latencies.mean == pytest.approx(entry.latency_us.mean)
    assert latencies.count + latencies.unanswered == entry.latency_n


def test_slower_and_faster_are_decided_by_the_whole_interval(world: World) -> None:
    run = raced("fast", "slow", "middle")
    assert run.slower("slow") and run.slower("slow", by="40 %") and not run.slower("slow", by="60%")
    assert run.faster("fast", than="middle", by=0.1) and not run.faster("slow", than="middle")
    pair = run.pair("slow")
    assert (pair.a, pair.b) == ("slow", "fast")
    low, high = pair.ratio.ends
    assert low < 0.5 < high
    assert run.gate("slow >= 0.4 * fast").outcome == "holds"


def test_where_nobody_can_tell_neither_is_slower_nor_faster(world: World) -> None:
    world.requests_per_s["slow"] = world.requests_per_s["fast"]
    run = raced()
    assert not run.slower("slow") and not run.faster("slow")
    assert run.gate("slow >= fast").outcome == "can't tell"


def test_a_contender_is_asked_for_as_it_was_given(world: World, tmp_path: Path) -> None:
    run = raced(str(tmp_path / "contenders" / "fast"), "./contenders/slow")
    assert run.slower("./contenders/slow")
    assert run.faster(str(tmp_path / "contenders" / "fast"), than="./contenders/slow")


def test_it_shows_itself_as_markdown_and_in_a_notebook(world: World) -> None:
    run = raced()
    assert "fast" in run.to_markdown() and "| slow" in run.to_markdown()
    html = run._repr_html_()
    assert "<svg" in html and "<table" in html and "<script" not in html
    assert str(run.path) in repr(run)


def test_several_values_make_a_grid_whose_parts_are_races(world: World) -> None:
    grid = raced("fast", "slow", connections=[1, 64])
    assert (grid.kind, list(grid.parts)) == ("grid", ["c1", "c64"])
    assert grid.parts["c64"].verdict.connections == 64
    assert set(columns(grid.blocks())["part"]) == {"c1", "c64"}
    assert len(columns(grid.entries())["contender"]) >= 4
    for ask in (lambda: grid.verdict, lambda: grid.slower("slow"), lambda: grid.latencies("slow")):
        with pytest.raises(bakeoff.BadUsage, match=r" grid.* run\.parts: c1, c64"):
            ask()


def test_two_runs_are_compared(world: World, tmp_path: Path) -> None:
    before = raced(out="before")
    world.requests_per_s["slow"] = 40_000.0
    after = raced(out="after", seed=2)
    comparison = bakeoff.compare(before, after.path, gates=["slow >= 98%"])
    assert {change.name: change.finding for change in comparison.result.changes} == {
        "fast": None,
        "slow": "slower",
    }
    assert not comparison.passes
    assert "slow became slower" in comparison.to_markdown()
    assert "<table" in comparison._repr_html_()
    assert set(columns(comparison.changes())["contender"]) >= {"slow"}
    alone = bakeoff.compare(before.path / "verdict.json", after)
    assert alone.result.changes == comparison.result.changes


def test_a_search_for_capacities(world: World) -> None:
    run = bakeoff.capacity("fast", "slow", slo="p99=10ms", duration=40, seed=1)
    assert run.kind == "capacity"
    assert {"fast", "slow"} <= set(columns(run.entries())["contender"])
    assert not any(rate is None or math.isnan(rate) for rate in columns(run.blocks())["rate"])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"connections": 0}, "--connections: is 0; it takes a number above zero"),
        ({"duration": "soon"}, "--duration: is 'soon'; it takes seconds"),
        (
            {"reference": "fsat"},
            "--reference: fsat is not among the contenders; did you mean fast?",
        ),
    ],
)
def test_what_is_wrong_is_said_as_on_the_command_line(
    world: World, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(bakeoff.BakeoffError) as caught:
        raced(**options)
    assert says in str(caught.value)
    flags = [text for name, value in options.items() for text in (f"--{name}", str(value))]
    assert str(cli.race("fast", "slow", *flags).exception) == str(caught.value)


def test_nothing_is_printed(world: World, capfd: pytest.CaptureFixture[str]) -> None:
    raced("fast", "broken", keep_going=True)
    assert capfd.readouterr() == ("", "")


def test_progress_goes_to_the_watch_that_was_given(world: World) -> None:
    raced("fast", "broken", watch=world, keep_going=True)
    assert "broken is out: its build failed" in world.seen
    assert any(step.startswith("warming up") for step in world.seen)


SHOP = {
    "once": [{"path": "/login", "body": "{}", "take": {"token": "json /token"}}],
    "request": [
        {"name": "list", "path": "/items", "weight": 3},
        {"name": "buy", "path": "/buy", "headers": {"Authorization": "Bearer {{token}}"}},
    ],
}


def test_a_mix_with_a_chain_is_a_value(world: World) -> None:
    run = raced("fast", "slow", workload=SHOP)
    workload = run.plan.workload
    assert [*workload.by_name] == ["list", "buy"]
    assert workload.once[0].take == {"token": "json /token"}
    assert [request.name for request in run.verdict.requests] == ["list", "buy"]
    assert run.verdict.pairs[0].ratio.ratio == pytest.approx(2, rel=0.1)
    assert "given in Python: see plan.json" in " ".join(run.plan.command_line)
    (file,) = set((run.path / "requests").glob("fast-??????.toml"))
    assert "Bearer {{token}}" in file.read_text()
