"""Gateways before a scripted stream: one passes events on as they come, one holds them back."""

import pytest

from bakeoff.model.verdict import Verdict
from tests.e2e.conftest import QUICK, Place

pytestmark = pytest.mark.e2e
GATEWAY = """
const http = require("http");
const { PORT, UPSTREAM, HOLDS } = process.env;
const agent = new http.Agent({ keepAlive: true });
http.createServer((request, response) => {
  http.get(new URL(request.url, UPSTREAM), { agent }, (answer) => {
    response.setHeader("Content-Type", answer.headers["content-type"]);
    if (!HOLDS) return answer.pipe(response);
    const pieces = [];
    answer.on("data", (piece) => pieces.push(piece));
    answer.on("end", () => response.end(Buffer.concat(pieces)));
  });
}).listen(PORT);
"""
WORKLOAD = """
name = "ticks"
upstream_delay_ms = 0
[request]
path = "/events?events=4&gap=60ms"
[expect]
events = { count = 4, ids = "consecutive", gap_ms = 60 }
"""
GAP_US = 60_000
WHOLE_US = 3 * GAP_US


def test_a_gateway_that_holds_events_back_is_named_and_has_a_late_first_byte(place: Place) -> None:
    (place.path / "gateway.js").write_text(GATEWAY)
    (place.path / "ticks.toml").write_text(WORKLOAD)
    servers = ("pipes=node gateway.js", "holds=HOLDS=1 node gateway.js")
    words = ("--workload", "./ticks.toml", "-d", "8", *QUICK)
    ended = place.bakeoff("race", *servers, *words, "--json", "verdict.json")
    assert ended.status == 0, ended.err
    verdict = Verdict.read_json(place.path / "verdict.json")
    pipes, holds, pair = (
        verdict.entry("pipes"),
        verdict.entry("holds"),
        verdict.pair("pipes", "holds"),
    )
    assert pipes and holds and pipes.valid and holds.valid
    assert pipes.streams and pipes.streams.gap_us and pipes.streams.gap_us.p50
    assert pipes.streams.gap_us.p50 >= GAP_US / 2 and not pipes.streams.faults
    assert pair and pair.event_ratios and pair.event_ratios.first
    assert pair.event_ratios.first.ratio > 1, "its first event comes sooner"
    assert pair.event_ratios.later_us and pair.event_ratios.later_us.more < 0
    assert "buffered_stream" not in [each.code for each in pipes.warnings]
    assert "buffered_stream" in [each.code for each in holds.warnings]
    assert not any("holds events back" in str(each.values) for each in pipes.warnings)
    assert any("holds events back" in str(each.values) for each in holds.warnings)
    assert pipes.first_byte_us and pipes.first_byte_us.p50 and pipes.latency_us
    assert pipes.latency_us.p50 and pipes.latency_us.p50 >= WHOLE_US
    assert pipes.first_byte_us.p50 <= pipes.latency_us.p50 - WHOLE_US / 2
    late = holds.first_byte_us or holds.latency_us
    assert late and late.p50 and late.p50 >= WHOLE_US
