"""A replay in a world of known speeds: its comparisons, its claims, and being cut off."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bakeoff.model.article import Article
from bakeoff.model.errors import BadUsage
from bakeoff.model.replay import ReplayPlan
from bakeoff.plan import Catalogue
from bakeoff.race import Replayed, is_replay, replay, report_replay, resume_replay
from tests.race.world import World

SPEEDS = {"fast": 100_000.0, "slow": 50_000.0, "other": 50_000.0}
CLAIM = {"comparison": "all", "metric": "requests_per_s", "of": "fast", "over": "slow"}


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    """A catalogue of this test's own."""
    root = tmp_path / "a catalogue"
    for name in SPEEDS:
        folder = root / "contenders" / name
        folder.mkdir(parents=True)
        (folder / "contender.toml").write_text(
            f'name = "{name}"\ntitle = "{name}"\nlanguage = "C"\nkind = "server"\n'
            '[run]\ncommand = "./x"\n[serves]\nhello = "/'
            f'{name}"\n'
        )
    (root / "workloads").mkdir()
    (root / "workloads" / "hello.toml").write_text('name = "hello"\ntitle = "Hello"\n')
    return Catalogue(root)


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


def asked(of: Article, **changed: Any) -> ReplayPlan:
    plan = {
        "run": "t-replay-test",
        "command_line": ("bakeoff", "replay", "test"),
        "article": of,
        "scale": 0.01,
        "driver": "engine",
        "faithful": False,
        "seed": 3,
        **changed,
    }
    return ReplayPlan.model_validate(plan)


@pytest.fixture
def replayed(catalogue: Catalogue, tmp_path: Path) -> Callable[..., Replayed]:
    def run(of: Article, world: World, **changed: Any) -> Replayed:
        runs, stages = tmp_path / "runs", world.stages()
        return replay(asked(of, **changed), runs, catalogue, [0, 1], stages, world)

    return run


def test_each_row_stands_beside_what_was_published(replayed: Callable[..., Replayed]) -> None:
    found = replayed(article(), World(SPEEDS)).replay
    fast, slow = found.comparisons[0].rows
    assert fast.published == 1000 and fast.requests_per_s == pytest.approx(100_000, rel=0.05)
    assert fast.ratio == pytest.approx(100, rel=0.05)
    assert slow.ratio == pytest.approx(25, rel=0.05)
    assert [one.name for one in found.comparisons] == ["all", "again"]
    assert found.complete


@pytest.mark.parametrize(
    ("claimed", "finding"),
    [
        ({"above": 1.0}, "holds"),
        ({"above": 1.5, "below": 2.5}, "holds"),
        ({"above": 2.5}, "does not hold"),
        ({"below": 1.0}, "does not hold"),
        ({"above": 1.999, "below": 2.0001}, "can't tell"),
        ({"above": 1.0, "metric": "memory"}, "can't tell"),
        ({"above": 1.0, "undecidable": "a picture"}, "can't tell"),
        ({"below": 0.7, "metric": "latency_p99"}, "holds"),
    ],
)
def test_claims_are_decided(
    claimed: dict[str, Any], finding: str, replayed: Callable[..., Replayed]
) -> None:
    claim = {**CLAIM, "text": "a claim", **claimed}
    (found,) = replayed(article(claim), World(SPEEDS)).replay.claims
    assert found.finding == finding
    assert (found.measured is None) == bool(found.why)


def test_a_row_that_does_not_exist_is_skipped_and_its_claims_are_open(
    replayed: Callable[..., Replayed],
) -> None:
    claim = {**CLAIM, "text": "", "above": 1.0, "of": "brick"}
    found = replayed(article(claim, rows=("brick", "fast", "slow")), World(SPEEDS)).replay
    assert "no contender called brick" in found.comparisons[0].rows[0].skipped
    assert found.comparisons[0].rows[1].requests_per_s
    assert found.claims[0].finding == "can't tell"
    assert "no contender called brick" in found.claims[0].why


def test_a_contender_that_does_not_start_leaves_the_rest(
    replayed: Callable[..., Replayed],
) -> None:
    world = World(SPEEDS, unstartable={"slow": "its port was taken"})
    found = replayed(article(rows=("fast", "slow", "other")), world).replay
    assert [row.skipped for row in found.comparisons[0].rows] == ["", "its port was taken", ""]
    assert "its port was taken" in found.claims[0].why


def test_where_nobody_can_be_measured_the_comparison_says_so(
    replayed: Callable[..., Replayed],
) -> None:
    world = World(SPEEDS, unbuildable={"fast": "no compiler", "slow": "no compiler"})
    found = replayed(article(), world).replay
    assert "no compiler" in found.comparisons[0].skipped
    assert {row.requests_per_s for row in found.comparisons[0].rows} == {None}


def test_the_real_tool_can_make_the_load(replayed: Callable[..., Replayed]) -> None:
    world = World(SPEEDS)
    done = replayed(article(), world, driver="wrk")
    (claim,), (first, _) = done.replay.claims, done.replay.comparisons
    assert claim.finding == "holds" and claim.measured and claim.measured.n == 10
    assert {row.n for row in first.rows} == {10}
    assert first.loader == "wrk"
    assert {run for run, _ in world.tool_runs} == {"wrk"}
    assert len((done.folder / "all" / "tool-runs.jsonl").read_text().splitlines()) == 20
    assert not world.up, "every server was stopped"


def test_a_missing_tool_skips_what_needs_it(replayed: Callable[..., Replayed]) -> None:
    world = World(SPEEDS, missing_tools={"wrk": "wrk is not installed: apt-get install wrk"})
    found = replayed(article(), world, driver="wrk").replay
    assert found.comparisons[0].skipped == "wrk is not installed: apt-get install wrk"
    assert found.claims[0].finding == "can't tell"
    assert found.claims[0].why == "wrk is not installed: apt-get install wrk"


def test_another_tool_than_the_articles_makes_a_load_of_its_shape(
    replayed: Callable[..., Replayed],
) -> None:
    world = World(SPEEDS)
    first, _ = replayed(article(), world, driver="oha").replay.comparisons
    assert {loader for loader, _ in world.tool_runs} == {"oha"}
    assert first.loader == "oha" and {row.n for row in first.rows} == {10}
    assert first.changes[-1] == (
        "the article's load is wrk's; here oha makes one of the same shape"
    )


@pytest.mark.parametrize(
    ("driver", "why"), [("ab", "ab speaks HTTP/1.0 only"), ("wrk2", "wrk2 needs a rate")]
)
def test_what_a_tool_can_not_do_is_skipped_before_anybody_is_started(
    driver: str, why: str, replayed: Callable[..., Replayed]
) -> None:
    world = World(SPEEDS)
    found = replayed(article(), world, driver=driver).replay
    assert found.comparisons[0].skipped.startswith(why)
    assert found.claims[0].finding == "can't tell" and found.claims[0].why.startswith(why)
    assert not world.tool_runs


def test_tool_and_engine_are_held_against_each_other(replayed: Callable[..., Replayed]) -> None:
    world = World(SPEEDS, tool_speed={"wrk": 0.5})
    found = replayed(article(), world, driver="both").replay
    fast, slow = found.comparisons[0].agreement
    for one in (fast, slow):
        assert one.engine_over_tool.low < 2 < one.engine_over_tool.high
        assert one.engine_over_tool.low > 1.5
    assert found.claims[0].finding == "holds"


def test_without_its_tool_both_is_the_engine_with_a_warning(
    replayed: Callable[..., Replayed],
) -> None:
    world = World(SPEEDS, missing_tools={"wrk": "wrk is not installed"})
    found = replayed(article(), world, driver="both").replay
    assert "wrk is not installed" in found.comparisons[0].warnings
    assert found.claims[0].finding == "holds"


def test_the_articles_own_procedure_is_five_runs_in_a_row(
    replayed: Callable[..., Replayed],
) -> None:
    world = World(SPEEDS)
    found = replayed(article(), world, faithful=True).replay
    fast, slow = found.comparisons[0].in_a_row
    assert (fast.row, slow.row) == ("fast", "slow")
    assert len(fast.requests_per_s) == 5
    assert fast.mean == pytest.approx(100_000, rel=0.1)
    first = [name for loader, name in world.tool_runs[:10]]
    assert first == ["fast"] * 5 + ["slow"] * 5


def test_cut_off_it_keeps_what_it_has_and_goes_on(
    catalogue: Catalogue, replayed: Callable[..., Replayed], tmp_path: Path
) -> None:
    def cut(_world: World, count: int) -> None:
        if count == 150:
            raise KeyboardInterrupt

    done = replayed(article(), World(SPEEDS, on_slice=cut))
    assert done.interrupted and not done.replay.complete
    assert len(done.replay.comparisons) == 1
    world = World(SPEEDS)
    whole = resume_replay(done.folder, catalogue, [0, 1], world.stages(), world)
    assert whole.replay.complete and not whole.interrupted
    assert len(whole.replay.comparisons) == 2
    before = world.slices
    again = resume_replay(done.folder, catalogue, [0, 1], world.stages(), world)
    assert world.slices == before, "nothing was missing"
    assert again.replay.claims == whole.replay.claims


def test_a_replay_by_a_tool_goes_on_where_a_kill_cut_it_off(
    catalogue: Catalogue, replayed: Callable[..., Replayed]
) -> None:
    world = World(SPEEDS)
    done = replayed(article(), world, driver="wrk", faithful=True)
    runs = done.folder / "all" / "tool-runs.jsonl"
    whole = runs.read_bytes().splitlines(keepends=True)
    assert len(whole) == 30, "ten rounds and five in a row of two rows"
    runs.write_bytes(b"".join(whole[:-2]) + whole[-2][:40])
    world.tool_runs.clear()
    again = resume_replay(done.folder, catalogue, [0, 1], world.stages(), world)
    assert world.tool_runs == [("wrk", "slow")] * 5, "a row that was cut off begins anew"
    assert again.replay.claims == done.replay.claims
    assert again.replay.comparisons[0].rows == done.replay.comparisons[0].rows
    for _ in range(2):
        assert [len(one.requests_per_s) for one in again.replay.comparisons[0].in_a_row] == [5, 5]
        again = resume_replay(done.folder, catalogue, [0, 1], world.stages(), world)


def test_its_folder_says_all(replayed: Callable[..., Replayed], tmp_path: Path) -> None:
    world = World(SPEEDS)
    done = replayed(article(), world)
    assert is_replay(done.folder)
    assert (tmp_path / "runs" / "latest").resolve() == done.folder
    assert {path.name for path in done.folder.iterdir()} == {
        "replay-plan.json",
        "replay.json",
        "report.html",
        "all",
        "again",
    }
    assert report_replay(done.folder, world.stages()).replay == done.replay
    (done.folder / "replay.json").unlink()
    with pytest.raises(BadUsage, match="cut off before it was judged"):
        report_replay(done.folder, world.stages())


def test_the_same_replay_twice_does_not_write_over_itself(
    replayed: Callable[..., Replayed],
) -> None:
    replayed(article(), World(SPEEDS))
    with pytest.raises(BadUsage, match="can't be made"):
        replayed(article(), World(SPEEDS))
