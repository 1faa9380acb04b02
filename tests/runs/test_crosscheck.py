"""A crosscheck in a world of known speeds: who takes part, in which order, and being cut off."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bakeoff.load import LoadRun, LoadSpec
from bakeoff.model.crosscheck import Compared, Crosscheck, CrosscheckPlan
from bakeoff.model.finding import Finding
from bakeoff.model.load import Latency, Loader
from bakeoff.runs import execute
from bakeoff.runs.kinds.crosscheck import CrosscheckRun
from tests.runs.loads import tool_result
from tests.runs.world import World

SPEEDS = {"fast": 100_000.0}
LATENCY = Latency(mean=900, p50=850, p75=None, p90=2000, p99=9000, p99_9=None, max=9000)

Tool = Callable[[Loader, LoadSpec], LoadRun]


def plan(**changed: Any) -> CrosscheckPlan:
    asked = {
        "run": "t",
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


class Toolbox(World):
    """A world whose load tools print what they are told to."""

    def __init__(self, tool: Tool) -> None:
        super().__init__(SPEEDS)
        self.tool = tool

    def run_tool(self, loader: Loader, spec: LoadSpec) -> LoadRun:
        self.tool_runs.append((loader, "fast"))
        return self.tool(loader, spec)


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., CrosscheckRun]:
    """Run a crosscheck in a world, which may end it early."""

    def execute_in(world: World | None = None, **changed: Any) -> CrosscheckRun:
        world = world or World(SPEEDS)
        # A name of its own for each: two crosschecks don't share a folder.
        name = f"t{len(list(tmp_path.iterdir()))}"
        done = execute(plan(run=name, **changed), tmp_path, world.stages(), world)
        assert isinstance(done, CrosscheckRun)
        return done

    return execute_in


@pytest.fixture
def checked(run: Callable[..., CrosscheckRun]) -> Callable[..., Crosscheck]:
    return lambda *world, **changed: run(*world, **changed).result


Checked = Callable[..., Crosscheck]


def of(crosscheck: Crosscheck, loader: Loader, over: Loader = "engine") -> Compared:
    """What is found of a pair's throughput."""
    pairs = {
        (one.of, one.over): one for one in crosscheck.compared if one.figure == "requests_per_s"
    }
    return pairs[loader, over]


def test_each_has_a_run_in_each_round_in_an_order_of_its_own(checked: Checked) -> None:
    world = World(SPEEDS)
    crosscheck = checked(world)
    ran = [loader for loader, _ in world.tool_runs]
    orders = [tuple(ran[at : at + 3]) for at in range(0, 30, 3)]
    assert {frozenset(order) for order in orders} == {frozenset({"engine", "wrk", "ab"})}
    assert len(set(orders)) > 2
    assert [run.loader for run in crosscheck.runs] == ran
    assert crosscheck.complete and {one.n for one in crosscheck.loadings} == {10}


def test_a_tool_that_makes_less_differs(checked: Checked) -> None:
    crosscheck = checked(World(SPEEDS, tool_speed={"wrk": 0.5}))
    assert of(crosscheck, "wrk").finding == "differs" and of(crosscheck, "ab").finding == "agrees"
    assert crosscheck.loadings[0].figures["requests_per_s"] == pytest.approx(100_000, rel=0.05)


def test_a_stand_in_is_held_against_its_original_too(checked: Checked) -> None:
    crosscheck = checked(loaders=("engine", "ab", "volley-ab", "volley-wrk"))
    pairs = list(dict.fromkeys((one.of, one.over) for one in crosscheck.compared))
    assert pairs == [
        ("ab", "engine"),
        ("volley-ab", "engine"),
        ("volley-wrk", "engine"),
        ("volley-ab", "ab"),
    ]


def test_all_load_the_address_alike_but_for_ab_which_speaks_http_1_0(checked: Checked) -> None:
    seen: dict[Loader, LoadSpec] = {}

    def tool(loader: Loader, asked: LoadSpec) -> LoadRun:
        seen[loader] = asked
        return LoadRun(("x",), "", tool_result(1000), "")

    crosscheck = checked(Toolbox(tool), loaders=("engine", "wrk", "ab", "volley-ab"))
    assert {one.url for one in seen.values()} == {"http://127.0.0.1:80/fast"}
    assert {one.host for one in seen.values()} == {"localhost:80"}
    assert {(one.connections, one.duration_s, one.cpus) for one in seen.values()} == {
        (64, 2.0, (1,))
    }
    assert {loader: one.http for loader, one in seen.items()} == {
        "engine": "1.1", "wrk": "1.1", "ab": "1.0", "volley-ab": "1.0"
    }  # fmt: skip
    assert [one.http for one in crosscheck.loadings] == ["1.1", "1.1", "1.0", "1.0"]


def test_who_is_missing_or_can_not_do_it_is_skipped_with_a_reason(checked: Checked) -> None:
    world = World(SPEEDS, missing_tools={"wrk": "wrk is not installed: apt-get install wrk"})
    crosscheck = checked(world, loaders=("engine", "wrk", "wrk2", "webbench", "oha"))
    reasons = {one.name: one.reason for one in crosscheck.skipped}
    assert reasons["wrk"] == "wrk is not installed: apt-get install wrk"
    assert reasons["wrk2"].startswith("wrk2 needs a rate")
    assert reasons["webbench"].startswith("webbench opens a connection for each request")
    assert [one.loader for one in crosscheck.loadings] == ["engine", "oha"]


def test_with_a_rate_those_take_part_that_keep_one(checked: Checked) -> None:
    crosscheck = checked(loaders=("engine", "wrk", "wrk2", "oha"), rate=1000)
    assert [one.loader for one in crosscheck.loadings] == ["engine", "wrk2", "oha"]
    assert "-R" in crosscheck.loadings[0].command and "-q" in crosscheck.loadings[2].command


def test_a_tool_that_fails_twice_in_a_row_is_out_and_the_others_go_on(checked: Checked) -> None:
    def tool(loader: Loader, _asked: LoadSpec) -> LoadRun:
        if loader == "ab":
            return LoadRun(("ab",), "", None, "ab ended with status 104")
        return LoadRun((loader,), "", tool_result(1000), "")

    world = Toolbox(tool)
    crosscheck = checked(world)
    assert [run.failure for run in crosscheck.runs if run.loader == "ab"] == 2 * [
        "ab ended with status 104"
    ]
    assert world.seen[-2] == "ab is out: ab ended with status 104"
    assert {(one.of, one.over) for one in crosscheck.compared} == {("wrk", "engine")}
    assert crosscheck.loadings[2].n == 0
    assert crosscheck.loadings[2].failures == ("ab ended with status 104",)


def test_a_run_without_an_answer_is_a_failure(checked: Checked) -> None:
    wrong = tool_result(0).model_copy(update={"errors": {"status": 5000}})
    crosscheck = checked(Toolbox(lambda loader, _asked: LoadRun((loader,), "", wrong, "")))
    said = "not a single request was answered rightly (status 5,000)"
    assert {one.failures for one in crosscheck.loadings} == {(said,)}
    assert crosscheck.compared == ()


def test_errors_beside_right_answers_are_added_up(checked: Checked) -> None:
    some = tool_result(1000).model_copy(update={"errors": {"status": 3, "read": 1}})
    crosscheck = checked(Toolbox(lambda loader, _asked: LoadRun((loader,), "", some, "")))
    assert {tuple(one.errors.items()) for one in crosscheck.loadings} == {
        (("status", 30), ("read", 10))
    }


def test_wrks_correction_is_named_where_its_latencies_are_higher(checked: Checked) -> None:
    high = {"p90": 4000.0, "p99": 20_000.0}

    def tool(loader: Loader, _asked: LoadSpec) -> LoadRun:
        latency = LATENCY.model_copy(update=high if loader in ("wrk", "ab") else {})
        result = tool_result(1000).model_copy(update={"latency_us": latency})
        return LoadRun((loader,), "", result, "")

    crosscheck = checked(Toolbox(tool), loaders=("engine", "wrk", "ab", "volley-wrk"))
    why = {(one.of, one.over, one.figure): one.why for one in crosscheck.compared}
    corrects = Finding.of("wrk_corrects")
    assert why["wrk", "engine", "p99"] == why["volley-wrk", "wrk", "p99"] == corrects
    assert why["wrk", "engine", "p50"] == why["volley-wrk", "wrk", "p50"] is None
    assert why["ab", "engine", "p99"] == why["volley-wrk", "engine", "p99"] is None


def test_what_a_tool_costs_is_in_its_figures(checked: Checked) -> None:
    def tool(loader: Loader, _asked: LoadSpec) -> LoadRun:
        slow = loader == "wrk"
        busy = 0.99 if slow else 0.4
        return LoadRun((loader,), "", tool_result(500 if slow else 1000), "", 2.0, busy)

    crosscheck = checked(Toolbox(tool), loaders=("engine", "wrk"))
    engine, wrk = crosscheck.loadings
    assert (engine.busy, wrk.busy, engine.dropped) == (0.4, 0.99, 0)
    # Four packets in two seconds.
    assert engine.packets_per_answer == pytest.approx(4 / 2 / 1000)
    assert wrk.packets_per_answer == pytest.approx(4 / 2 / 500)
    assert of(crosscheck, "wrk").why == Finding.of("tool_full", loader="wrk", share=0.99)
