"""Races of several requests: in which of them a server is slower, and what a run keeps of them."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from bakeoff.model.pairs import RequestPair
from bakeoff.model.samples import SingleBlock
from bakeoff.model.verdict import Verdict
from bakeoff.report.kinds.race import document
from bakeoff.report.kinds.race_headline import headline
from bakeoff.report.render import markdown
from bakeoff.runs import report, resume
from bakeoff.runs.measuring.boot import measured_s
from tests.runs.conftest import Measure
from tests.runs.world import World, cut_off

SPEEDS = {"fast": 20_000.0, "slow": 10_000.0, "same": 20_000.0}
EIGHT = "\n".join(
    f'[[request]]\npath = "/{number}"\nweight = {1 + number % 2}' for number in range(8)
)


@pytest.fixture
def shop(tmp_path: Path) -> str:
    file = tmp_path / "shop.toml"
    file.write_text(f'name = "shop"\ntitle = "A shop"\n{EIGHT}\n')
    return str(file)


def pair(verdict: Verdict, request: str) -> RequestPair:
    (found,) = (each for each in verdict.requests if each.name == request)
    return found.pairs[0]


def test_the_request_that_costs_one_server_more_is_named(measure: Measure, shop: str) -> None:
    world = World(SPEEDS, costs={"same": {"GET /3": 1.3}})
    verdict = measure.race(world, "fast", "same", workload=shop).result
    assert verdict.pairs[0].ratio.ratio == pytest.approx(1.05, abs=0.02), "a sixth of the requests"
    (named,) = verdict.by_request
    assert named.values["request"] == "GET /3"
    assert (named.values["name"], named.values["other"]) == ("same", "fast")
    assert pair(verdict, "GET /3").ratio.ratio == pytest.approx(1.3, rel=0.03)
    assert pair(verdict, "GET /3").ratio.low > 1.1
    assert not pair(verdict, "GET /4").differs_from_most
    (found,) = verdict.by_request
    assert found.code == "request_differs"
    assert [found.values[key] for key in ("request", "name", "other")] == ["GET /3", "same", "fast"]
    assert "GET /3" in headline(verdict)


def test_equals_are_equals_in_each_request(measure: Measure, shop: str) -> None:
    verdict = measure.race(World(SPEEDS), "fast", "same", workload=shop).result
    assert verdict.by_request == ()
    assert {each.pairs[0].finding for each in verdict.requests} == {"can't tell"}


def test_one_that_is_slower_in_all_of_them_differs_in_none(measure: Measure, shop: str) -> None:
    verdict = measure.race(World(SPEEDS), "fast", "slow", workload=shop).result
    assert verdict.by_request == ()
    assert [each.share for each in verdict.requests] == pytest.approx([1 / 12, 1 / 6] * 4)
    assert {each.pairs[0].finding for each in verdict.requests} == {"faster"}
    for request in verdict.requests:
        assert pair(verdict, request.name).ratio.ratio == pytest.approx(2.0, rel=0.05)


def test_a_part_of_the_time_has_one_request_under_way(measure: Measure, shop: str) -> None:
    world = World(SPEEDS)
    finished = measure.race(world, "fast", "slow", workload=shop)
    singles = [record for record in finished.records() if isinstance(record, SingleBlock)]
    assert measured_s(finished.records()) == pytest.approx(12.0, rel=0.2)
    assert measured_s(singles) == pytest.approx(3.0, rel=0.2)
    verdict = finished.result
    assert verdict.measured_s == pytest.approx(measured_s(finished.records()), rel=0.01)
    for entry in verdict.entries:
        parts = [own for each in verdict.requests for own in each.entries if own.name == entry.name]
        assert sum(part.requests for part in parts) == entry.requests
        assert all(part.latency_us and part.alone_us for part in parts)
    assert not world.up


@pytest.mark.parametrize(
    "options",
    [{"connections": (1,)}, {"rate": 5000.0, "duration": 30.0}, {"solo": True, "boots": 12}],
)
def test_where_nobody_waits_or_the_load_is_given_all_blocks_count(
    measure: Measure, shop: str, options: dict[str, Any]
) -> None:
    world = World(SPEEDS, costs={"same": {"GET /3": 3.0}})
    finished = measure.race(world, "fast", "same", workload=shop, **options)
    assert not any(isinstance(record, SingleBlock) for record in finished.records())
    verdict = finished.result
    assert verdict.requests[3].singly is False
    assert [each.values["request"] for each in verdict.by_request] == ["GET /3"]


def test_a_run_needs_no_file_of_its_workload(measure: Measure, shop: str, tmp_path: Path) -> None:
    file = Path(shop)
    data = tmp_path / "users.csv"
    data.write_text("id\n7\n")
    file.write_text(f'name = "shop"\ndata = "users.csv"\n{EIGHT}\n'.replace("/7", "/{{id}}"))
    finished = measure.race(World(SPEEDS), "fast", "slow", workload=shop)
    file.unlink()
    data.unlink()
    (finished.path / "verdict.json").unlink()
    assert report(finished.path, World(SPEEDS)).result == finished.result
    requests = finished.path / "requests"
    assert len(list(requests.glob("*.toml"))) == 3, "one for each server, and the twin"
    for each in requests.glob("*.toml"):
        assert (requests / tomllib.loads(each.read_text())["data"]).read_text() == "id\n7\n"


def test_a_run_goes_on_without_them(measure: Measure, shop: str) -> None:
    world = World(SPEEDS, on_slice=cut_off(200))
    begun = measure.race(world, "fast", "slow", workload=shop)
    assert begun.interrupted
    Path(shop).unlink()
    again = resume(begun.path, World(SPEEDS).stages(), world).result
    assert again.complete
    assert len(again.requests) == 8


def test_a_server_that_answers_one_request_wrongly_is_out(measure: Measure, shop: str) -> None:
    world = World(SPEEDS, wrong={"slow": "GET /5: answered with status 404, not 200"})
    verdict = measure.race(world, "fast", "slow", "same", workload=shop).result
    (skipped,) = verdict.skipped
    assert (skipped.name, skipped.reason) == ("slow", "GET /5: answered with status 404, not 200")


def test_a_dead_one_of_a_mix_is_out_and_the_others_go_on(measure: Measure, shop: str) -> None:
    world = World(SPEEDS, dead={"slow": "it was killed"})
    verdict = measure.race(world, "fast", "slow", "same", workload=shop).result
    assert [(each.name, each.reason) for each in verdict.skipped] == [("slow", "it was killed")]
    assert {each.a for each in verdict.requests[0].pairs} | {
        each.b for each in verdict.requests[0].pairs
    } == {"fast", "same"}


def test_the_report_has_a_table_of_requests(measure: Measure, shop: str) -> None:
    finished = measure.race(World(SPEEDS), "fast", "slow", workload=shop)
    text = markdown(document(finished.result, finished.plan, finished.records()))
    assert "Request by request" in text
    assert "| GET /3 | slow |" in text
    assert "8 requests" in text


def test_capacities_are_found_with_a_mix(measure: Measure, shop: str) -> None:
    capacity = measure.capacity(
        World({"fast": 2000.0, "slow": 1000.0}), "fast", "slow", workload=shop
    )
    assert capacity.result.complete
    assert (capacity.path / "requests").is_dir()
