"""A crosscheck in a world of known speeds: who takes part, in which order, and being cut off."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bakeoff.load.tools import Asked, Ran
from bakeoff.model.crosscheck import Compared, Crosscheck, CrosscheckPlan
from bakeoff.model.errors import MissingPiece, NoVerdict
from bakeoff.model.load import Loader
from bakeoff.model.verdict import Latency
from bakeoff.race import crosscheck
from tests.race.world import World, tool_result

SPEEDS = {"fast": 100_000.0}
LATENCY = Latency(mean=900, p50=850, p75=None, p90=2000, p99=9000, p99_9=None, max=9000)

Tool = Callable[[Loader, Asked], Ran]


def plan(**changed: Any) -> CrosscheckPlan:
    asked = {
        "command_line": ("bakeoff", "crosscheck", "http://localhost:80/fast"),
        "url": "http://localhost:80/fast",
        "address": "127.0.0.1:80",
        "host": "localhost:80",
        "path": "/fast",
        "loaders": ("engine", "wrk", "ab"),
        "connections": 64,
        "connection": "keep-alive",
        "rate": None,
        "duration_s": 2,
        "rounds": 10,
        "cpus": (1,),
        "seed": 3,
        **changed,
    }
    return CrosscheckPlan.model_validate(asked)


def checked(world: World | None = None, tool: Tool | None = None, **changed: Any) -> Crosscheck:
    world = world or World(SPEEDS)
    stages = world.stages()
    return crosscheck(plan(**changed), replace(stages, tool=tool or stages.tool), world)


def of(found: Crosscheck, loader: Loader, over: Loader = "engine") -> Compared:
    """What is found of a pair's throughput."""
    pairs = {(one.of, one.over): one for one in found.compared if one.figure == "requests_per_s"}
    return pairs[loader, over]


def test_each_has_a_run_in_each_round_in_an_order_of_its_own() -> None:
    world = World(SPEEDS)
    found = checked(world)
    ran = [loader for loader, _ in world.tool_runs]
    orders = [tuple(ran[at : at + 3]) for at in range(0, 30, 3)]
    assert {frozenset(order) for order in orders} == {frozenset({"engine", "wrk", "ab"})}
    assert len(set(orders)) > 2
    assert [run.loader for run in found.runs] == ran
    assert found.complete and {one.n for one in found.loadings} == {10}


def test_the_same_seed_is_the_same_order() -> None:
    first, second = World(SPEEDS), World(SPEEDS)
    assert checked(first) == checked(second)
    assert first.tool_runs == second.tool_runs


def test_a_tool_that_makes_less_differs() -> None:
    found = checked(World(SPEEDS, tool_speed={"wrk": 0.5}))
    assert of(found, "wrk").finding == "differs" and of(found, "ab").finding == "agrees"
    assert found.loadings[0].figures["requests_per_s"] == pytest.approx(100_000, rel=0.05)


def test_a_stand_in_is_held_against_its_original_too() -> None:
    found = checked(loaders=("engine", "ab", "volley-ab", "volley-wrk"))
    pairs = list(dict.fromkeys((one.of, one.over) for one in found.compared))
    assert pairs == [
        ("ab", "engine"),
        ("volley-ab", "engine"),
        ("volley-wrk", "engine"),
        ("volley-ab", "ab"),
    ]


def test_all_load_the_address_alike_but_for_ab_which_speaks_http_1_0() -> None:
    seen: dict[Loader, Asked] = {}

    def tool(loader: Loader, asked: Asked) -> Ran:
        seen[loader] = asked
        return Ran(("x",), "", tool_result(1000), "")

    found = checked(tool=tool, loaders=("engine", "wrk", "ab", "volley-ab"))
    assert {one.url for one in seen.values()} == {"http://127.0.0.1:80/fast"}
    assert {one.host for one in seen.values()} == {"localhost:80"}
    assert {(one.connections, one.duration_s, one.cpus) for one in seen.values()} == {
        (64, 2.0, (1,))
    }
    assert {loader: one.http for loader, one in seen.items()} == {
        "engine": "1.1", "wrk": "1.1", "ab": "1.0", "volley-ab": "1.0"
    }  # fmt: skip
    assert [one.http for one in found.loadings] == ["1.1", "1.1", "1.0", "1.0"]


def test_who_is_missing_or_can_not_do_it_is_skipped_with_a_reason() -> None:
    world = World(SPEEDS, missing_tools={"wrk": "wrk is not installed: apt-get install wrk"})
    found = checked(world, loaders=("engine", "wrk", "wrk2", "webbench", "oha"))
    reasons = {one.name: one.reason for one in found.skipped}
    assert reasons["wrk"] == "wrk is not installed: apt-get install wrk"
    assert reasons["wrk2"].startswith("wrk2 needs a rate")
    assert reasons["webbench"].startswith("webbench makes a connection per request")
    assert [one.loader for one in found.loadings] == ["engine", "oha"]


def test_with_a_rate_those_take_part_that_keep_one() -> None:
    found = checked(loaders=("engine", "wrk", "wrk2", "oha"), rate=1000)
    assert [one.loader for one in found.loadings] == ["engine", "wrk2", "oha"]
    assert "-R" in found.loadings[0].command and "-q" in found.loadings[2].command


def test_a_tool_that_fails_twice_in_a_row_is_out_and_the_others_go_on() -> None:
    def tool(loader: Loader, _asked: Asked) -> Ran:
        if loader == "ab":
            return Ran(("ab",), "", None, "ab ended with status 104")
        return Ran((loader,), "", tool_result(1000), "")

    world = World(SPEEDS)
    found = checked(world, tool)
    assert [run.failure for run in found.runs if run.loader == "ab"] == 2 * [
        "ab ended with status 104"
    ]
    assert world.seen[-1] == "ab is out: ab ended with status 104"
    assert {(one.of, one.over) for one in found.compared} == {("wrk", "engine")}
    assert found.loadings[2].n == 0
    assert found.loadings[2].failures == ("ab ended with status 104",)


def test_a_run_without_an_answer_is_a_failure() -> None:
    wrong = tool_result(0).model_copy(update={"errors": {"status": 5000}})
    found = checked(tool=lambda loader, _asked: Ran((loader,), "", wrong, ""))
    said = "not a single request was answered rightly (status 5,000)"
    assert {one.failures for one in found.loadings} == {(said,)}
    assert found.compared == ()


def test_errors_beside_right_answers_are_added_up() -> None:
    some = tool_result(1000).model_copy(update={"errors": {"status": 3, "read": 1}})
    found = checked(tool=lambda loader, _asked: Ran((loader,), "", some, ""))
    assert {tuple(one.errors.items()) for one in found.loadings} == {(("status", 30), ("read", 10))}


def test_wrks_correction_is_named_where_its_latencies_are_higher() -> None:
    high = {"p90": 4000.0, "p99": 20_000.0}

    def tool(loader: Loader, _asked: Asked) -> Ran:
        latency = LATENCY.model_copy(update=high if loader in ("wrk", "ab") else {})
        result = tool_result(1000).model_copy(update={"latency_us": latency})
        return Ran((loader,), "", result, "")

    found = checked(tool=tool, loaders=("engine", "wrk", "ab", "volley-wrk"))
    why = {(one.of, one.over, one.figure): one.why for one in found.compared}
    corrects = "wrk adds waiting that it did not measure (it calls that a correction)"
    assert why["wrk", "engine", "p99"] == why["volley-wrk", "wrk", "p99"] == corrects
    assert why["wrk", "engine", "p50"] == why["volley-wrk", "wrk", "p50"] == ""
    assert why["ab", "engine", "p99"] == why["volley-wrk", "engine", "p99"] == ""


def test_cut_off_it_judges_what_there_is() -> None:
    runs = 0

    def tool(loader: Loader, _asked: Asked) -> Ran:
        nonlocal runs
        runs += 1
        if runs > 3 * 6 + 1:
            raise KeyboardInterrupt
        return Ran((loader,), "", tool_result(1000), "")

    found = checked(tool=tool)
    assert not found.complete and len(found.runs) == 19
    assert {of(found, "wrk").n, of(found, "ab").n} == {6}


def test_cut_off_before_anything_was_measured_it_has_nothing_to_say() -> None:
    def tool(_loader: Loader, _asked: Asked) -> Ran:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        checked(tool=tool)


def test_a_url_that_is_not_there() -> None:
    world = World(SPEEDS)
    stages = replace(world.stages(), answers=lambda host, port: f"{host} {port}: refused")
    with pytest.raises(NoVerdict, match="http://localhost:80/fast: ::1 80: refused"):
        crosscheck(plan(address="[::1]:80"), stages, world)
    assert not world.tool_runs


def test_without_a_tool_there_is_nothing_to_check() -> None:
    world = World(SPEEDS, missing_tools={"wrk": "wrk is not installed: apt-get install wrk"})
    with pytest.raises(NoVerdict, match=r"(?s)no tool to hold .*wrk: wrk is not installed"):
        checked(world, loaders=("engine", "wrk"))


def test_without_the_engine_there_is_nothing_to_hold_a_tool_against() -> None:
    world = World(SPEEDS, missing_tools={"engine": "the load engine isn't installed"})
    with pytest.raises(MissingPiece, match="isn't installed"):
        checked(world)


def test_it_is_its_own_contract() -> None:
    found = checked()
    assert Crosscheck.from_json(found.to_json(), "itself") == found
