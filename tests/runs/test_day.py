"""A day in a world of known speeds: its lines, deaths in a phase, and being cut off."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bakeoff.model.day import LOADS, Day, DayPlan
from bakeoff.model.samples import DayEnd, DayTurn
from bakeoff.plan import DayOptions, plan_day
from bakeoff.report.document import List
from bakeoff.report.kinds.day import document
from bakeoff.runs import execute, resume
from bakeoff.runs.kinds.day import DayRun
from tests.plan import places
from tests.runs.processes import name_of
from tests.runs.world import World, cut_off
from tests.verify.test_inference import answers, sample

PHASES = 14


def plan(root: Path, *names: str, **options: object) -> DayPlan:
    folder = places.catalogue(root / "catalogue", "ada", "bob")
    asked = DayOptions(**{"duration": 70, "seed": 1, **options})
    return plan_day(names or ("ada", "bob"), asked, places.environment(folder, root))


def world(**faults: object) -> World:
    """ada makes twice what bob does, starts in half the time, and slow clients hold bob up."""
    usual: dict[str, object] = {
        "ready_ms": {"ada": 50.0, "bob": 100.0},
        "held_up": {"bob": 0.6},
        "noise": 0.005,
    }
    return World({"ada": 20_000.0, "bob": 10_000.0}, **{**usual, **faults})  # type: ignore[arg-type]


def run(made: DayPlan, path: Path, inside: World) -> DayRun:
    done = execute(made, path, inside.stages(), inside)
    assert isinstance(done, DayRun)
    return done


def turns(done: DayRun) -> list[DayTurn]:
    return [record for record in done.records() if isinstance(record, DayTurn)]


def finding(result: Day, phase: str, figure: str) -> str:
    line = result.line(phase, figure)  # type: ignore[arg-type]
    pair = line.pair("ada", "bob") if line else None
    return pair.finding if pair else "none"


def test_each_line_says_what_the_world_is(tmp_path: Path) -> None:
    done = run(plan(tmp_path), tmp_path / "runs", inside := world())
    result = done.result
    assert result.complete and done.succeeded and not inside.up
    assert result.rounds == result.plan.rounds == 5
    start = result.line("start", "time_ms")
    assert start and start.value("ada").value == pytest.approx(50)
    pair = start.pair("ada", "bob")
    assert pair and pair.ratio.ratio == pytest.approx(2) and pair.finding == "better"
    mirrored = start.pair("bob", "ada")
    assert mirrored and mirrored.ratio.ratio == pytest.approx(0.5) and mirrored.finding == "worse"
    peak = result.line("peak", "requests_per_s")
    assert peak and peak.value("bob").value == pytest.approx(10_000, rel=0.02)
    for phase, figure, outcome in (
        ("first", "time_ms", "better"),
        ("rest", "cpu_ms_per_s", "tie"),
        ("rest", "memory_mib", "tie"),
        ("peak", "requests_per_s", "better"),
        ("slow", "slowdown", "better"),
        ("equal", "cpu_us_per_request", "better"),
        ("after", "growth", "tie"),
    ):
        assert finding(result, phase, figure) == outcome, (phase, figure)
    # Half the throughput is twice the CPU time per request: a core is all that either has.
    cpu = result.line("equal", "cpu_us_per_request")
    assert cpu and cpu.value("ada").value == pytest.approx(50, rel=0.1)


def test_loads_are_shares_of_each_ones_own_peak_and_one_rate_for_all(tmp_path: Path) -> None:
    done = run(plan(tmp_path), tmp_path / "runs", world())
    offered = {
        (turn.round, turn.phase, turn.entry): turn.slices[0].rate or 0.0
        for turn in turns(done)
        if turn.slices
    }
    for name, speed in (("ada", 20_000), ("bob", 10_000)):
        for phase, share in LOADS.items():
            assert offered[0, phase, name] == pytest.approx(share * speed, rel=0.05)
    assert offered[0, "equal", "ada"] == offered[0, "equal", "bob"] == pytest.approx(5000, rel=0.05)


def test_each_round_has_new_processes_and_its_own_orders(tmp_path: Path) -> None:
    done = run(plan(tmp_path), tmp_path / "runs", world())
    orders = {
        tuple(turn.entry for turn in turns(done) if (turn.round, turn.phase) == (number, "storm"))
        for number in range(5)
    }
    assert orders == {("ada", "bob"), ("bob", "ada")}
    phases = [turn.phase for turn in turns(done) if (turn.round, turn.entry) == (0, "ada")]
    assert len(set(phases)) == PHASES and phases.count("start") == 2
    same = run(plan(tmp_path / "again"), tmp_path / "again" / "runs", world())
    assert [turn.entry for turn in turns(same)] == [turn.entry for turn in turns(done)]


def test_over_http_3_there_are_no_slow_clients(tmp_path: Path) -> None:
    made = plan(tmp_path)
    race = made.race.model_copy(update={"protocol": "h3"})
    result = run(made.model_copy(update={"race": race}), tmp_path / "runs", world()).result
    assert result.complete and len({line.phase for line in result.lines}) == PHASES - 1
    assert result.line("slow", "slowdown") is None


def test_energy_is_told_where_it_is_counted(tmp_path: Path) -> None:
    counted = run(plan(tmp_path), tmp_path / "runs", world(counts_energy=True)).result
    line = counted.line("equal", "energy_uj_per_request")
    # Ten watts for 50 µs of CPU time.
    assert line and line.value("ada").value == pytest.approx(500, rel=0.15)
    assert not counted.warnings
    without = run(plan(tmp_path / "b"), tmp_path / "b" / "runs", world()).result
    assert without.line("equal", "energy_uj_per_request") is None
    assert [each.code for each in without.warnings] == ["no_energy"]


def test_who_dies_in_a_phase_is_out_of_it_and_the_rest_goes_on(tmp_path: Path) -> None:
    """bob's process dies whenever a storm comes: in close mode."""

    def storms(inside: World, _count: int) -> None:
        # A process of the next round has its name again.
        stormy = inside.connection == "close" and name_of(inside.loading) == "bob"
        inside.dead = {inside.loading: "killed by signal 9"} if stormy else {}

    done = run(plan(tmp_path), tmp_path / "runs", inside := world(on_slice=storms))
    result = done.result
    assert result.complete and not inside.up
    storm = result.line("storm", "time_ms")
    assert storm and storm.value("ada").value and storm.value("bob").value is None
    why = storm.value("bob").why
    assert why and why.code == "out_of_phase"
    assert why.values == {"n": 5, "reason": "it died: killed by signal 9"}
    bob = result.entries[1]
    assert [(each.code, each.values["phase"]) for each in bob.warnings] == [
        ("died_in_phase", "storm")
    ]
    assert finding(result, "slow", "slowdown") == "better", "the next phase has a new process"
    assert not [turn for turn in turns(done) if turn.entry == "ada" and turn.out]


def test_who_does_not_come_up_again_is_out_for_the_round_alone(tmp_path: Path) -> None:
    def once(inside: World, count: int) -> None:
        if count == 40:
            inside.dead |= {key: "exit status 1" for key in inside.up if name_of(key) == "bob"}
            inside.unstartable["bob"] = "its port is taken"
        if count == 50:
            inside.unstartable.clear()
            inside.dead.clear()

    done = run(plan(tmp_path), tmp_path / "runs", world(on_slice=once))
    outs = [turn.out for turn in turns(done) if turn.out]
    assert any("it did not come up again: its port is taken" in out for out in outs)
    assert done.result.complete
    assert {turn.round for turn in turns(done) if turn.entry == "bob" and not turn.out} == set(
        range(5)
    )


def test_one_alone_has_its_figures_and_nobody_to_be_compared_with(tmp_path: Path) -> None:
    done = run(plan(tmp_path, "ada", duration=60), tmp_path / "runs", world())
    assert done.succeeded and not any(line.pairs for line in done.result.lines)
    said = document(done.result)
    assert said.headline.startswith("5 rounds of all phases: nothing to compare with.")
    assert [entry.name for entry in done.result.entries] == ["ada"]


def test_what_a_round_had_measured_when_it_was_cut_off_counts_beside_the_whole(
    tmp_path: Path,
) -> None:
    cut = run(plan(tmp_path), tmp_path / "runs", world(on_slice=cut_off(100)))
    whole = resume(cut.path, (healthy := world()).stages(), healthy)
    assert isinstance(whole, DayRun) and whole.result.rounds == 5
    peak = whole.result.line("peak", "requests_per_s")
    assert peak and peak.value("ada").n == 6


def slower(by_s: float) -> Callable[[World, int], None]:
    """An `on_slice` by which each slice takes so much longer."""

    def on_slice(inside: World, _count: int) -> None:
        inside.time_ns += round(by_s * 1e9)

    return on_slice


def lasted_s(made: DayPlan, path: Path, inside: World) -> tuple[DayRun, float]:
    began_ns = inside.time_ns
    return run(made, path, inside), (inside.time_ns - began_ns) / 1e9


def test_where_starts_take_long_there_are_fewer_and_shorter_rounds(tmp_path: Path) -> None:
    made = plan(tmp_path, duration=200)
    assert made.rounds > 5 and made.expected
    inside = world(on_slice=slower(0.4))
    done, took_s = lasted_s(made, tmp_path / "runs", inside)
    assert done.is_complete() and done.result.rounds == made.rounds_min
    ends = [record for record in done.records() if isinstance(record, DayEnd)]
    windows = [end.window_ms or 0 for end in ends]
    assert windows[0] == made.window_ms > min(windows[1:])
    said = [text for text in inside.seen if ", windows of " in text]
    assert len(said) == sum(each < made.window_ms for each in windows) > 0
    assert finding(done.result, "peak", "requests_per_s") == "better"
    assert took_s < made.expected.at_most_s


@pytest.mark.parametrize("by_s", [1.0, 3.0, 30.0])
def test_whatever_the_servers_do_it_ends_in_time(tmp_path: Path, by_s: float) -> None:
    made = plan(tmp_path, duration=120)
    inside = world(on_slice=slower(by_s))
    done, took_s = lasted_s(made, tmp_path / "runs", inside)
    # One turn is under way when the time is up.
    assert made.expected and took_s < made.expected.at_most_s + 4 * by_s
    assert done.result.rounds < made.rounds_min
    if done.result.rounds:
        (few,) = [each for each in done.result.warnings if each.code == "few_day_rounds"]
        assert few.values["n"] == done.result.rounds and few.values["least"] == 5
    else:
        assert not done.result.complete
        assert any("ended early: the run's time was up while" in said for said in inside.seen)


def test_the_time_that_is_said_to_do_does(tmp_path: Path) -> None:
    short = run(plan(tmp_path, duration=120), tmp_path / "runs", world(on_slice=slower(1.0)))
    (few,) = [each for each in short.result.warnings if each.code == "few_day_rounds"]
    made = plan(tmp_path / "again", duration=few.values["needed_s"])
    again = run(made, tmp_path / "again" / "runs", world(on_slice=slower(1.0)))
    assert again.result.rounds >= made.rounds_min and again.result.complete


def test_what_varying_answers_are_held_to_is_said_and_who_answers_otherwise(tmp_path: Path) -> None:
    ids = sample(answers({"id": 1, "time": "a"}, {"id": 2, "time": "b"}))
    other = sample(answers({"id": 1}, {"id": 2}))
    result = run(
        plan(tmp_path), tmp_path / "runs", world(samples={"ada": ids, "bob": other})
    ).result
    (held,) = result.entries[0].held.values()
    assert (held.varied, held.answers) == (("id", "time"), 2)
    codes = {entry.name: [each.code for each in entry.warnings] for entry in result.entries}
    assert "answers_unlike" in codes["bob"] and "answers_unlike" not in codes["ada"]
    lists = [part for part in document(result).summary if isinstance(part, List)]
    (said,) = [each.items for each in lists if each.title == "Answers that vary"]
    assert len(said) == 2
