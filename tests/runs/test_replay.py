"""A replay in a world of known speeds: its comparisons, its claims, and being cut off."""

from collections.abc import Callable
from typing import Any

import pytest

from bakeoff.model.article import Article
from bakeoff.model.replay import Replay, ReplayPlan
from bakeoff.plan import adapt
from bakeoff.report.sentences import sentence, sentences
from bakeoff.runs import report, resume
from bakeoff.runs.kinds.replay import ReplayRun
from tests.runs.conftest import Measure
from tests.runs.world import World

SPEEDS = {"fast": 100_000.0, "slow": 50_000.0, "other": 50_000.0}
CLAIM = {"comparison": "all", "metric": "requests_per_s", "of": "fast", "over": "slow"}


def article(*claims: dict[str, Any], rows: tuple[str, ...] = ("fast", "slow")) -> Article:
    load = {"tool": "wrk", "command": "wrk", "connections": 10, "connection": "keep-alive"}
    return Article.model_validate(
        {
            "name": "test",
            "title": "Test",
            "published": 2012,
            "language": "English",
            "summary": "",
            "setting": {"cpu": "some", "threads": 2},
            "loads": {"wrk": {**load, "http": "1.1", "duration_s": 10}},
            "comparisons": [
                {
                    "name": name,
                    "title": name,
                    "workload": "hello",
                    "load": "wrk",
                    "cpus": "one",
                    "rows": [
                        {
                            "name": row,
                            "contender": row,
                            "label": row,
                            "published": {"requests_per_s": [1000 * (place + 1)]},
                        }
                        for place, row in enumerate(rows)
                    ],
                }
                for name in ("all", "again")
            ],
            "claims": claims or [{**CLAIM, "text": "fast is faster", "above": 1.0}],
        }
    )


PLAN = {
    "run": "t-replay-test",
    "command_line": ("bakeoff", "replay", "test"),
    "scale": 0.01,
    "driver": "engine",
    "faithful": False,
    "seed": 3,
}


@pytest.fixture
def replayed(measure: Measure) -> Callable[..., ReplayRun]:
    def replay(of: Article, world: World, **changed: Any) -> ReplayRun:
        plan = ReplayPlan.model_validate({**PLAN, "article": of, **changed})
        environment = measure.environment
        comparisons = (
            adapt(plan, comparison, environment.catalogue, environment.cores)
            for comparison in of.comparisons
        )
        plan = plan.model_copy(update={"comparisons": tuple(comparisons)})
        run = measure.run(plan, world)
        assert isinstance(run, ReplayRun)
        return run

    return replay


def why(replay: Replay) -> str:
    """What the first claim's finding rests on."""
    reason = replay.claims[0].why
    assert reason
    return sentence(reason)


def test_each_row_stands_beside_what_was_published(replayed: Callable[..., ReplayRun]) -> None:
    result = replayed(article(), World(SPEEDS)).result
    fast, slow = result.comparisons[0].rows
    assert fast.published == 1000 and fast.requests_per_s == pytest.approx(100_000, rel=0.05)
    assert fast.ratio == pytest.approx(100, rel=0.05)
    assert slow.ratio == pytest.approx(25, rel=0.05)
    assert [one.name for one in result.comparisons] == ["all", "again"]
    assert result.complete


def test_claims_are_decided(replayed: Callable[..., ReplayRun]) -> None:
    claimed: list[tuple[dict[str, Any], str]] = [
        ({"above": 1.0}, "holds"),
        ({"above": 1.5, "below": 2.5}, "holds"),
        ({"above": 2.5}, "does not hold"),
        ({"below": 1.0}, "does not hold"),
        ({"above": 1.999, "below": 2.0001}, "can't tell"),
        ({"above": 1.0, "metric": "memory"}, "can't tell"),
        ({"above": 1.0, "undecidable": "a picture"}, "can't tell"),
        ({"below": 0.7, "metric": "latency_p99"}, "holds"),
    ]
    claims = ({**CLAIM, "text": str(claim), **claim} for claim, _ in claimed)
    decided = replayed(article(*claims), World(SPEEDS)).result.claims
    assert [claim.finding for claim in decided] == [finding for _, finding in claimed]
    assert all((claim.measured is None) == bool(claim.why) for claim in decided)


def test_a_missing_row_is_skipped_its_claims_are_open(replayed: Callable[..., ReplayRun]) -> None:
    claim = {**CLAIM, "text": "", "above": 1.0, "of": "brick"}
    result = replayed(article(claim, rows=("brick", "fast", "slow")), World(SPEEDS)).result
    assert "no contender called brick" in result.comparisons[0].rows[0].skipped
    assert result.comparisons[0].rows[1].requests_per_s
    assert result.claims[0].finding == "can't tell"
    assert "no contender called brick" in why(result)


def test_a_contender_that_cannot_start_leaves_the_rest(replayed: Callable[..., ReplayRun]) -> None:
    world = World(SPEEDS, unstartable={"slow": "its port was taken"})
    result = replayed(article(rows=("fast", "slow", "other")), world).result
    assert [row.skipped for row in result.comparisons[0].rows] == ["", "its port was taken", ""]
    assert "its port was taken" in why(result)


def test_where_none_is_measured_the_comparison_says_so(replayed: Callable[..., ReplayRun]) -> None:
    world = World(SPEEDS, unbuildable={"fast": "no compiler", "slow": "no compiler"})
    result = replayed(article(), world).result
    assert "no compiler" in result.comparisons[0].skipped
    assert {row.requests_per_s for row in result.comparisons[0].rows} == {None}


def test_the_real_tool_can_make_the_load(replayed: Callable[..., ReplayRun]) -> None:
    world = World(SPEEDS)
    done = replayed(article(), world, driver="wrk")
    (claim,), (first, _) = done.result.claims, done.result.comparisons
    assert claim.finding == "holds" and claim.measured and claim.measured.n == 10
    assert {row.n for row in first.rows} == {10}
    assert first.loader == "wrk"
    assert {run for run, _ in world.tool_runs} == {"wrk"}
    assert sum(record.type == "tool-run" for record in done.records()) == 2 * 20
    assert not world.up, "every server was stopped"


def test_a_missing_tool_skips_what_needs_it(replayed: Callable[..., ReplayRun]) -> None:
    world = World(SPEEDS, missing_tools={"wrk": "wrk is not installed: apt-get install wrk"})
    result = replayed(article(), world, driver="wrk").result
    assert result.comparisons[0].skipped == "wrk is not installed: apt-get install wrk"
    assert result.claims[0].finding == "can't tell"
    assert why(result) == "wrk is not installed: apt-get install wrk"


def test_another_tool_makes_a_load_of_the_same_shape(replayed: Callable[..., ReplayRun]) -> None:
    world = World(SPEEDS)
    first, _ = replayed(article(), world, driver="oha").result.comparisons
    assert {loader for loader, _ in world.tool_runs} == {"oha"}
    assert first.loader == "oha" and {row.n for row in first.rows} == {10}
    assert first.changes[-1] == (
        "the article's load is wrk's; here oha makes one of the same shape"
    )


@pytest.mark.parametrize(
    ("driver", "says"), [("ab", "ab speaks HTTP/1.0 only"), ("wrk2", "wrk2 needs a rate")]
)
def test_what_a_tool_can_not_do_is_skipped_before_anybody_is_started(
    driver: str, says: str, replayed: Callable[..., ReplayRun]
) -> None:
    world = World(SPEEDS)
    result = replayed(article(), world, driver=driver).result
    assert result.comparisons[0].skipped.startswith(says)
    assert result.claims[0].finding == "can't tell" and why(result).startswith(says)
    assert not world.tool_runs


def test_tool_and_engine_are_held_against_each_other(replayed: Callable[..., ReplayRun]) -> None:
    world = World(SPEEDS, tool_speed={"wrk": 0.5})
    result = replayed(article(), world, driver="both").result
    fast, slow = result.comparisons[0].agreement
    for one in (fast, slow):
        assert one.engine_over_tool.low < 2 < one.engine_over_tool.high
        assert one.engine_over_tool.low > 1.5
    assert result.claims[0].finding == "holds"


def test_without_its_tool_both_is_the_engine_alone(replayed: Callable[..., ReplayRun]) -> None:
    world = World(SPEEDS, missing_tools={"wrk": "wrk is not installed"})
    result = replayed(article(), world, driver="both").result
    assert "wrk is not installed" in sentences(result.comparisons[0].warnings)
    assert result.claims[0].finding == "holds"


def test_the_articles_procedure_is_five_runs_in_a_row(replayed: Callable[..., ReplayRun]) -> None:
    world = World(SPEEDS)
    result = replayed(article(), world, faithful=True).result
    fast, slow = result.comparisons[0].in_a_row
    assert (fast.row, slow.row) == ("fast", "slow")
    assert len(fast.requests_per_s) == 5
    assert fast.mean == pytest.approx(100_000, rel=0.1)
    first = [name for loader, name in world.tool_runs[:10]]
    assert first == ["fast"] * 5 + ["slow"] * 5


def test_a_race_that_a_kill_left_unjudged_is_judged(replayed: Callable[..., ReplayRun]) -> None:
    world = World(SPEEDS)
    done = replayed(article(), world)
    for path in (done.path / "replay.json", done.path / "again" / "verdict.json"):
        path.unlink()
    before = world.slices
    again = resume(done.path, world.stages(), world)
    assert again.result == done.result and world.slices == before
    assert (done.path / "again" / "verdict.json").exists()


def test_a_replay_by_a_tool_goes_on_after_a_kill(replayed: Callable[..., ReplayRun]) -> None:
    world = World(SPEEDS)
    done = replayed(article(), world, driver="wrk", faithful=True)
    log = done.path / "samples.jsonl"
    whole = log.read_bytes().splitlines(keepends=True)
    assert len(whole) == 2 * 30, "ten rounds and five in a row of two rows, twice"
    log.write_bytes(b"".join(whole[:-2]) + whole[-2][:40])
    cut_off = report(done.path, world).result
    assert not cut_off.complete and cut_off.claims == done.result.claims
    assert [len(one.requests_per_s) for one in cut_off.comparisons[1].in_a_row] == [5]
    world.tool_runs.clear()
    again = resume(done.path, world.stages(), world)
    assert world.tool_runs == [("wrk", "slow")] * 5, "a row that was cut off begins anew"
    assert again.result.complete and again.result.claims == done.result.claims
    for one in again.result.comparisons:
        assert [len(row.requests_per_s) for row in one.in_a_row] == [5, 5]
