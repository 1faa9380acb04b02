"""The engine's job, from a plan."""

import tomllib
from pathlib import Path

import pytest

from bakeoff.load import job
from bakeoff.model.plan import Cores, NetworkPath
from bakeoff.model.receipt import Expectation, Handle, Verification
from bakeoff.model.request import ExpectSection
from tests.judge.races import Race

SERVER = Handle(name="a", address="127.0.0.1:8080", host="localhost:8080", port=8080)
RIGHT = Verification(name="a", status=200, head_bytes=100, body_bytes=13, keeps_alive=True)


@pytest.mark.parametrize(
    ("client", "connections", "threads"),
    [((1,), 64, 1), ((1, 2, 3), 64, 3), ((1, 2, 3), 2, 2), ((), 64, 1)],
)
def test_each_client_core_has_a_thread_that_has_a_connection(
    client: tuple[int, ...], connections: int, threads: int
) -> None:
    race = Race({"a": 1.0}, cores=Cores(server=(0,), client=client))
    plan = race.plan().model_copy(update={"connections": connections})
    made = job(plan, [(SERVER, RIGHT)], Path())
    assert (made.threads, made.cpus, made.io) == (threads, client, "auto")


@pytest.mark.parametrize(
    ("cores", "cpu"),
    [
        (Cores(server=(3, 2), client=(1,)), 2),
        (Cores(server=(), client=(1,)), None),
        (Cores(server=(0,), client=(0,), apart=True), None),
    ],
)
def test_fixed_work_is_on_the_servers_first_core_if_here(cores: Cores, cpu: int | None) -> None:
    plan = Race({"a": 1.0}, cores=cores).plan()
    assert job(plan, [(SERVER, RIGHT)], Path()).fixed_work_cpu == cpu


def test_as_many_requests_go_ahead_as_planned() -> None:
    race = Race({"a": 1.0})
    assert job(race.plan(), [(SERVER, RIGHT)], Path()).pipeline == 1
    race.pipeline = 16
    assert job(race.plan(), [(SERVER, RIGHT)], Path()).pipeline == 16


def test_answers_that_vary_go_through_a_request_file(tmp_path: Path) -> None:
    plan = Race({"a": 1.0}).plan()
    expect = ExpectSection.model_validate(
        {
            "headers": {"content-type": "application/json"},
            "length_between": [1, 99],
            "body_contains": ['a "line"\n\x7f'],
            "json": {"id": "number", "note?": "any", "of": [{"x y": "string|null"}], "no": []},
        }
    )
    held = {plan.workload.first.name: Expectation(answers=6, expect=expect, varied=("id",))}
    verification = RIGHT.model_copy(update={"held": held})
    (target,) = job(plan, [(SERVER, verification)], tmp_path).targets
    assert target.requests and target.request is None and target.expect is None
    assert (target.requests.host, target.requests.seed) == (SERVER.host, plan.seed)
    (request,) = tomllib.loads(Path(target.requests.file).read_text())["request"]
    assert (request["method"], request["path"]) == ("GET", plan.entry("a").path)
    assert ExpectSection.model_validate(request["expect"]) == expect


def test_over_a_path_the_far_address_is_loaded_and_timeouts_are_longer() -> None:
    plan = Race({"a": 1.0}).plan()
    there = SERVER.model_copy(update={"reached_at": "198.18.0.2:8080"})
    near = job(plan, [(SERVER, RIGHT)], Path())
    over = {
        loss: job(
            plan.model_copy(update={"path": NetworkPath(delay_ms=100, loss=loss)}),
            [(there, RIGHT)],
            Path(),
        )
        for loss in (0.0, 0.01)
    }
    assert over[0.0].targets[0].address == "198.18.0.2:8080"
    assert over[0.0].targets[0].request and over[0.0].targets[0].request.host == SERVER.host
    timeouts = [(each.connect_timeout_ms, each.request_timeout_ms) for each in over.values()]
    assert (near.connect_timeout_ms, near.request_timeout_ms) == (2000, 5000)
    assert timeouts == [(3000, 6000), (7000, 16000)]
