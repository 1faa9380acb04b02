"""Which protocols race, who is out of which, and what can't be had together."""

from pathlib import Path
from typing import Any

import pytest

from bakeoff.model.grid import GridPlan
from bakeoff.model.plan import Plan
from bakeoff.plan import (
    CapacityOptions,
    Catalogue,
    RaceOptions,
    ReplayOptions,
    plan_capacity,
    plan_race,
    plan_replay,
)
from bakeoff.plan.crosscheck import CrosscheckOptions, plan_crosscheck
from bakeoff.start.certificate import make_certificate
from tests.plan import places
from tests.plan.places import environment

HTTP, HTTPS = "http://127.0.0.1:8080/", "https://localhost:8443/x"


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    """`both` speaks HTTP/2 too, `plain` says nothing of protocols."""
    made = places.catalogue(tmp_path, "both", "plain", workloads=("hello", "get"))
    file = tmp_path / "contenders" / "both" / "contender.toml"
    speaks = 'protocols = ["h1", "h1-tls", "h2c", "h2"]'
    file.write_text(file.read_text().replace("[run]", f"{speaks}\n[run]"))
    return made


@pytest.fixture
def roots(tmp_path: Path) -> str:
    file = tmp_path / "ca.pem"
    file.write_text(make_certificate(tmp_path / "tls").ca_pem)
    return str(file)


def raced(catalogue: Catalogue, *operands: str, **options: Any) -> Plan:
    made = plan_race(operands, RaceOptions(seed=5, **options), environment(catalogue))
    assert isinstance(made, Plan)
    return made


def spoken(plan: Plan) -> dict[str, str]:
    return {entry.name: plan.protocol_of(entry.name) for entry in plan.entries}


def test_without_a_word_everything_is_plain_http_1(catalogue: Catalogue) -> None:
    plan = raced(catalogue, "both", "plain")
    assert set(spoken(plan).values()) == {"h1"} and plan.streams == 1
    assert [entry.name for entry in plan.entries] == ["both", "plain", "both (twin)"]


def test_one_protocol_is_the_plans_and_leaves_names_alone(catalogue: Catalogue) -> None:
    plan = raced(catalogue, "both", "both", protocol="h2", streams=8)
    assert (plan.protocol, plan.streams) == ("h2", 8)
    assert [entry.name for entry in plan.entries] == ["both", "both#2", "both (twin)"]
    assert all(entry.protocol is None for entry in plan.entries)
    assert plan.places_of("both") == plan.connections * 8


def test_each_contender_races_once_in_each_and_all_in_one_rotation(catalogue: Catalogue) -> None:
    plan = raced(catalogue, "both", protocol="h1,h2", gates=('"both h2" >= 0.5 * "both h1"',))
    assert spoken(plan) == {"both h1": "h1", "both h2": "h2", "both h1 (twin)": "h1"}
    assert plan.reference == "both h1"
    assert plan.run.endswith("both-h1-vs-both-h2")
    assert plan.gates[0].left == "both h2"


def test_one_that_lacks_it_is_out_with_its_reason_the_rest_goes_on(catalogue: Catalogue) -> None:
    plan = raced(catalogue, "plain", "both", protocol=("h2c", "h1"))
    assert list(spoken(plan)) == ["plain h1", "both h2c", "both h1", "plain h1 (twin)"]
    (skipped,) = plan.skipped
    assert skipped.name == "plain h2c" and "protocols = h1" in skipped.reason


def test_other_settings_make_a_grid_each_cell_has_all_protocols(catalogue: Catalogue) -> None:
    options = RaceOptions(seed=5, protocol="h2c,h2", streams="1,8")
    made = plan_race(["both"], options, environment(catalogue))
    assert isinstance(made, GridPlan)
    assert [cell.name for cell in made.cells] == ["s1", "s8"]
    for cell, streams in zip(made.cells, (1, 8), strict=True):
        assert cell.plan and cell.plan.streams == cell.settings.streams == streams
        assert set(spoken(cell.plan).values()) == {"h2c", "h2"}


def test_an_https_url_is_reached_by_the_given_roots(catalogue: Catalogue, roots: str) -> None:
    plan = raced(catalogue, HTTPS, "both", ca=roots)
    assert spoken(plan) == {
        "localhost:8443": "h1-tls",
        "both": "h1",
        "localhost:8443 (twin)": "h1-tls",
    }
    attached = plan.entries[0].attached
    assert attached and attached.tls
    assert (attached.port, attached.path) == (8443, "/x")
    assert attached.tls.server_name == "localhost"
    assert attached.tls.ca_pem == Path(roots).read_text() and not attached.tls.insecure
    alone = raced(catalogue, HTTPS, insecure=True, protocol="h2")
    assert alone.protocol == "h2" and alone.entries[0].protocol is None


@pytest.mark.parametrize(
    ("url", "protocol", "instead"), [(HTTP, "h2", "https://"), (HTTPS, "h2c", "http://")]
)
def test_an_unfit_url_protocol(catalogue: Catalogue, url: str, protocol: str, instead: str) -> None:
    insecure = url == HTTPS
    plan = raced(catalogue, url, "both", protocol=protocol, insecure=insecure, keep_going=True)
    (skipped,) = plan.skipped
    assert f" {protocol} " in skipped.reason and f" {instead} " in skipped.reason


def test_a_command_is_believed(catalogue: Catalogue) -> None:
    plan = raced(catalogue, "python3 x.py {cert} {key}", protocol="h2c,h2,h3")
    assert [entry.protocol for entry in plan.entries if not entry.twin_of] == ["h2c", "h2", "h3"]


def test_http_3_has_streams_and_needs_an_https_url(catalogue: Catalogue) -> None:
    plan = raced(catalogue, HTTPS, insecure=True, protocol="h2,h3", streams=8)
    assert [plan.places_of(entry.name) for entry in plan.entries] == [plan.connections * 8] * 3


def test_a_search_takes_one_protocol(catalogue: Catalogue) -> None:
    here = environment(catalogue)
    made = plan_capacity(["both"], CapacityOptions(slo=("p99=1s",), protocol="h2", streams=4), here)
    assert (made.race.protocol, made.race.streams) == ("h2", 4)


def test_a_replay_over_another_protocol_says_so_and_leaves_out_who_does_not_speak_it() -> None:
    here = environment()
    article = here.catalogue.article("node-go-spring")
    plan = plan_replay(article, ReplayOptions(protocol="h2"), here)
    for comparison in plan.comparisons:
        assert "h2" in comparison.changes[-1]
        planned = [entry.contender for entry in comparison.plan.entries] if comparison.plan else []
        assert all(contender and "h2" in contender.protocols for contender in planned)
        reasons = comparison.skipped.values()
        assert all(" h2; " in reason for reason in reasons) and (planned or reasons)


def test_a_crosscheck_is_over_what_its_url_says() -> None:
    def planned(url: str, **options: Any) -> Any:
        return plan_crosscheck(url, CrosscheckOptions(seed=1, **options), environment())

    assert planned(HTTP).protocol == "h1" and planned(HTTP, protocol="h2c", streams=4).streams == 4
    over_tls = planned(HTTPS, insecure=True)
    assert over_tls.protocol == "h1-tls" and over_tls.tls.insecure
