"""The fake servers of request files: their parts add up."""

from pathlib import Path

import pytest
from hdrh.histogram import HdrHistogram

from bakeoff.model.engine import Requests, RequestSlice, SliceCommand, SliceEvent, Target
from bakeoff.model.plan import Attached, Cores, Entry
from tests.load.jobs import job
from tests.runs.world import World

MIX = """
[[request]]
name = "search"
weight = 3
path = "/search?q={{hex 4}}"
[[request]]
path = "/"
[[request]]
method = "PUT"
path = "/item"
body = "x"
"""


def connected(world: World, mix: Path) -> SliceEvent:
    """A slice of the server `a`, asked those requests."""
    keeper = world.keeper(mix.parent)
    attached = Attached(host="it", port=1, address="127.0.0.1:1", path="/")
    entry = Entry(name="a", title="a", origin="url", attached=attached, path="/")
    handle = keeper.start(
        entry,
        key="a/0",
        out=mix.parent,
        workers=1,
        cores=Cores(server=(0,), client=(1,)),
        host="",
        log=mix,
        answers=lambda _host, _port: None,
    )
    asked = Requests(file=str(mix), host=handle.host)
    load = world.connect(job(of=Target(name="a", address=handle.address, requests=asked)))
    assert load.ready.targets[0].requests == ("search", "GET /", "PUT /item")
    return load.slice(SliceCommand(target=0, block=0, ramp_ms=5, duration_ms=100))


@pytest.fixture
def mix(tmp_path: Path) -> Path:
    file = tmp_path / "mix.toml"
    file.write_text(MIX)
    return file


def parts(event: SliceEvent) -> tuple[RequestSlice, ...]:
    assert event.by_request
    return event.by_request


def test_the_parts_add_up(mix: Path) -> None:
    event = connected(World({"a": 10_000}), mix)
    assert sum(part.requests for part in parts(event)) == event.requests
    assert sum(part.latency_count for part in parts(event)) == event.latency_count
    shares = [part.requests / event.requests for part in parts(event)]
    assert shares == pytest.approx([0.6, 0.2, 0.2], abs=0.01)
    for part in parts(event):
        assert HdrHistogram.decode(part.latency).get_total_count() == part.latency_count


def test_a_request_that_costs_more_is_slower_and_slows_the_server(mix: Path) -> None:
    dear = connected(World({"a": 10_000}, costs={"a": {"GET /": 6.0}}, noise=0), mix)
    even = connected(World({"a": 10_000}, noise=0), mix)
    assert dear.requests == pytest.approx(even.requests / 2, rel=0.01)
    latencies = [part.latency_mean_us for part in parts(dear)]
    assert latencies[1] == pytest.approx(6 * latencies[0])
    whole = sum(part.latency_mean_us * part.latency_count for part in parts(dear))
    assert whole / dear.latency_count == pytest.approx(dear.latency_mean_us, rel=0.01)


def test_a_dead_server_misses(mix: Path) -> None:
    event = connected(World({"a": 10_000}, dead={"a": "exited"}), mix)
    assert sum(part.misses for part in parts(event)) == event.misses == 1
    assert parts(event)[0].errors == event.errors
