"""Draws in a world of known speeds: who is measured, and being cut off."""

from math import log
from pathlib import Path

import pytest

from bakeoff.model.draws import Draws, DrawsPlan
from bakeoff.model.engine import Job
from bakeoff.plan.draws import DrawsOptions, plan_draws
from bakeoff.report.render import markdown as to_markdown
from bakeoff.runs import execute, report
from bakeoff.runs.kinds.draws import DrawsRun
from tests.plan import places
from tests.runs.loads import FakeLoad
from tests.runs.world import World


def plan(root: Path, *names: str, **options: object) -> DrawsPlan:
    folder = places.catalogue(root / "catalogue", "ada", "bob")
    asked = DrawsOptions(**{"processes": 3, "sets": 2, "duration": 2, "seed": 1, **options})
    return plan_draws(names or ("ada", "bob"), asked, places.environment(folder, root))


def world(**faults: object) -> World:
    """ada's second process is 5 % slower than the others, and ten times the noise of a slice."""
    speeds = dict.fromkeys(("ada", "ada#3", "bob", "bob#2", "bob#3"), 50_000.0)
    return World({**speeds, "ada#2": 47_500.0}, noise=0.005, **faults)  # type: ignore[arg-type]


def run(made: DrawsPlan, path: Path, inside: World) -> DrawsRun:
    done = execute(made, path, inside.stages(), inside)
    assert isinstance(done, DrawsRun)
    return done


def sds(result: Draws, level: str) -> list[float]:
    return [each.sd for one in result.contenders for each in one.spreads if each.level == level]


def test_the_spread_of_processes_is_found_where_it_is(tmp_path: Path) -> None:
    done = run(plan(tmp_path), tmp_path / "runs", inside := world())
    assert done.result.complete and done.succeeded and not inside.up
    ada, bob = sds(done.result, "process")
    # Three values, of which one is 5.1 % lower in ln.
    assert ada == pytest.approx(0.0513 / 3**0.5, rel=0.1)
    assert bob < 0.005
    assert max(sds(done.result, "connections")) < 0.005
    assert sds(done.result, "block") == pytest.approx([0.005] * 2, rel=0.3)
    first = done.result.contenders[0]
    assert (first.processes, first.sets, first.slice_ms) == (3, 2, 20)
    assert first.one_draw_error and first.one_draw_error == pytest.approx(0.0296, rel=0.1)
    assert first.twenty_draws_error == pytest.approx(first.one_draw_error / 20**0.5, rel=0.05)


def test_each_set_of_connections_is_a_draw_in_the_log(tmp_path: Path) -> None:
    records = run(plan(tmp_path, "ada"), tmp_path / "runs", world()).records()
    drawn = [record for record in records if record.type == "draw"]
    assert [each.draw for each in drawn] == [0, 1]
    assert set(drawn[0].processes) == {"ada", "ada#2", "ada#3"}
    blocks = [record for record in records if record.type == "block"]
    assert {each.draw for each in blocks} == {0, 1}
    assert all(len(each.slices) == 3 for each in blocks)


def test_a_set_of_connections_is_asked_before_the_next_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server with a thread for each new connection answers nobody while many are silent."""
    asked: list[int] = []
    connect = World.connect

    def noting(self: World, job: Job) -> FakeLoad:
        asked.append(self.slices)
        return connect(self, job)

    monkeypatch.setattr(World, "connect", noting)
    run(plan(tmp_path, "ada", sets=3), tmp_path / "runs", world())
    first, second, third = asked
    assert first == 0 < second
    assert third == second + 3


def test_one_that_holds_up_its_warm_up_is_out_and_the_others_go_on(tmp_path: Path) -> None:
    inside = world(stalls=dict.fromkeys(("ada", "ada#2", "ada#3"), 0.0))
    result = run(plan(tmp_path), tmp_path / "runs", inside).result
    assert result.complete and [each.name for each in result.contenders] == ["bob"]
    assert [each.name for each in result.skipped] == ["ada"]
    assert "had no answer within 5 s while it was warmed up" in result.skipped[0].reason
    assert not inside.up


def test_one_that_misses_a_process_is_measured_with_the_others(tmp_path: Path) -> None:
    done = run(plan(tmp_path, "bob"), tmp_path / "runs", world(unstartable={"bob#2": "no"}))
    assert [each.n for each in done.result.contenders[0].spreads][1:] == [4, 2]


def test_a_slice_without_an_answer_is_left_out_with_its_block(tmp_path: Path) -> None:
    def silent(inside: World, count: int) -> None:
        inside.dead = {"bob": "for a moment"} if count == 200 else {}

    done = run(plan(tmp_path, "bob"), tmp_path / "runs", world(on_slice=silent))
    assert [each.n for each in done.result.contenders[0].spreads][1:] == [6, 3]


def test_boots_are_a_level_of_their_own(tmp_path: Path) -> None:
    done = run(plan(tmp_path, boots=2), tmp_path / "runs", world())
    assert len(sds(done.result, "boot")) == 2


def test_too_little_time_gives_no_spread_and_no_crash(tmp_path: Path) -> None:
    done = run(plan(tmp_path, "ada", duration=0.1), tmp_path / "runs", world())
    assert not done.succeeded
    assert done.result.contenders[0].spreads == ()


def test_of_a_mix_each_request_has_its_figures_and_spreads(tmp_path: Path) -> None:
    file = tmp_path / "shop.toml"
    file.write_text(
        'name = "shop"\n[[request]]\nname = "list"\nweight = 3\npath = "/list"\n'
        '[[request]]\nname = "buy"\npath = "/buy"\n'
    )
    made = plan(tmp_path, "ada", workload=str(file))
    inside = world(costs={"ada#2": {"buy": 1.2}})
    done = run(made, tmp_path / "runs", inside)
    assert done.result.complete
    (ada,) = done.result.contenders
    requests = {each.name: each for each in ada.by_request}
    assert [*requests] == ["list", "buy"]
    assert requests["list"].share == 0.75
    assert requests["list"].requests_per_s == pytest.approx(0.75 * ada.requests_per_s, rel=0.05)
    assert requests["buy"].p50_us and requests["buy"].p99_us
    # The second process takes 5.3 % longer for either, and for buy a fifth on top.
    for name, apart in (("list", log(1.0526)), ("buy", log(1.0526 * 1.2))):
        spread = requests[name].spread("process")
        assert spread and spread.sd == pytest.approx(apart / 3**0.5, rel=0.1)
    text = to_markdown(done.document())
    assert "Request by request" in text and "buy" in text
    assert report(done.path, inside).result == done.result
