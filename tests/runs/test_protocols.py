"""One server in several protocols: one rotation, one certificate, and a ratio between them."""

from pathlib import Path

import pytest

from bakeoff.model.contender import Contender
from bakeoff.model.protocol import PROTOCOLS, Agreed
from bakeoff.report.kinds.race import document
from bakeoff.report.kinds.race_method import facts
from bakeoff.report.render.markdown import markdown
from bakeoff.runs import AnyRun
from tests.runs.conftest import Measure
from tests.runs.world import World

SPEEDS = {
    "fast": 100_000.0,
    "fast h1": 100_000.0,
    "fast h2": 80_000.0,
    "fast h3": 60_000.0,
    "fast h1-tls": 90_000.0,
    "slow h1": 50_000.0,
}
TLS = {"tls_version": "1.3", "cipher": "TLS13_AES_128_GCM_SHA256"}
AGREED: dict[str, Agreed] = {
    "h1-tls": Agreed(**TLS, alpn="http/1.1"),
    "h2": Agreed(**TLS, alpn="h2", max_concurrent_streams=128),
}


@pytest.fixture
def measure(measure: Measure) -> Measure:
    """The usual four, of which `fast` speaks all protocols."""
    file = measure.environment.catalogue.folder("fast") / "contender.toml"
    speaks = f"protocols = {list(PROTOCOLS)}".replace("'", '"')
    file.write_text(file.read_text().replace("[run]", f"{speaks}\n[run]"))
    assert Contender.read_toml(file).protocols == PROTOCOLS
    return measure


def world() -> World:
    return World(dict(SPEEDS), agreed=dict(AGREED))


def protocols_of(run: AnyRun) -> dict[str, str]:
    return {entry.name: entry.protocol for entry in run.result.entries}


def test_protocols_of_one_server_race_in_turn_with_an_interval(measure: Measure) -> None:
    run = measure.race(world(), "fast", protocol="h1,h2", duration=12.0)
    assert protocols_of(run) == {"fast h1": "h1", "fast h2": "h2"}
    pair = run.result.pair("fast h2", "fast h1")
    assert (
        pair and pair.ratio.low and pair.ratio.high and pair.ratio.low < 0.8 < pair.ratio.high < 1
    )
    blocks = [record for record in run.records() if record.type == "block"]
    assert all({"fast h1", "fast h2"} <= {s.entry for s in b.slices} for b in blocks)
    assert run.result.noise_floor and run.result.noise_floor.name == "fast h1 (twin)"


def test_what_sockets_of_http_3_had_no_room_for_is_counted_while_blocks_are_measured(
    measure: Measure,
) -> None:
    made = world()
    run = measure.race(made, "fast", protocol="h1,h3")
    assert protocols_of(run) == {"fast h1": "h1", "fast h3": "h3"}
    records = list(run.records())
    slices = sum(len(each.slices) for each in records if each.type == "block")
    ends = [each for each in records if each.type == "boot-end"]
    assert {name for end in ends for name in end.dropped} == {"fast h3"}
    assert sum(end.dropped["fast h3"] for end in ends) == slices


def test_a_listen_queue_is_none_of_http_3s(measure: Measure) -> None:
    for protocol, connections in ("h1", 5), ("h3", 64):
        made = world()
        made.queues, made.places = {"fast": 5}, {}
        run = measure.race(made, "fast", protocol=protocol)
        changes = [each.connections for each in run.records() if each.type == "plan-change"]
        assert [each for each in changes if each] == ([5] if connections == 5 else [])


def test_one_certificate_is_made_where_tls_is_spoken_and_none_elsewhere(measure: Measure) -> None:
    secure, plain = world(), world()
    measure.race(secure, "fast", protocol="h1-tls,h2")
    measure.race(plain, "fast", protocol="h1")
    assert (secure.certificates, plain.certificates) == (1, 0)


def test_who_does_not_speak_it_is_said_and_the_others_race(measure: Measure) -> None:
    run = measure.race(world(), "slow", "fast", protocol="h1,h2")
    assert set(protocols_of(run)) == {"slow h1", "fast h1", "fast h2"}
    (skipped,) = run.result.skipped
    assert skipped.name == "slow h2" and "doesn't speak h2" in skipped.reason


def test_the_report_says_what_was_spoken_and_over_what(measure: Measure) -> None:
    run = measure.race(world(), "fast", protocol="h1-tls,h2")
    said = facts(run.result)
    assert "over h1-tls and h2" in said
    assert "TLS 1.3 with AES_128_GCM_SHA256" in said
    plain = measure.race(world(), "fast", protocol="h1").result
    assert not any("HTTP/" in each or "TLS" in each for each in facts(plain))
    assert run.result.entries[0].work and run.result.entries[0].work.agreed
    text = markdown(document(run.result, run.plan, run.records()))
    assert r"1.3 AES\_128\_GCM\_SHA256" in text and "fast h2" in text


def test_it_is_judged_again_from_its_folder(measure: Measure) -> None:
    run = measure.race(world(), "fast", protocol="h1,h2")
    agreed = [record.agreed for record in run.records() if record.type == "boot"]
    assert agreed[0]["fast h2"] == AGREED["h2"] and "fast h1" not in agreed[0]
    assert isinstance(run.path, Path) and run.judge() == run.result
