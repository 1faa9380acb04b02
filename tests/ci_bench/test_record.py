"""What the bench keeps, and what its pairs say together."""

import json
from pathlib import Path

import pytest

from bakeoff.plan.contenders import resolve_contenders
from tests.ci_bench.__main__ import options, pairs_wanted, path, raced_by_now
from tests.ci_bench.neighbour import Neighbour
from tests.ci_bench.pairs import Raced, of, repository
from tests.ci_bench.record import name
from tests.ci_bench.record import of as record
from tests.judge.test_ci import beside, decided, priced, verdict
from tests.judge_bench.live import append
from tests.plan.places import SHIPPED
from tests.repositories import git


def raced(outcome: str) -> Raced:
    status = {"slower": 1, "not raced": 3}.get(outcome, 0)
    return Raced(
        kind="equal",
        noisy=False,
        status=status,
        outcome=outcome,
        alarm=outcome == "slower",
        ratio=1.0,
        low=0.99,
        high=1.01,
        cpu_ratio=1.0,
        cpu_low=0.99,
        cpu_high=1.01,
        cpu_decided=True,
        detectable=0.014,
        draws=9,
        duration_s=30,
        measured_s=12,
        took_s=40,
        steal_share=0,
    )


def test_false_alarms_are_a_share_of_what_was_raced() -> None:
    result = record(
        "equal",
        [raced("not slower")] * 97 + [raced("slower"), raced("can't tell"), raced("not raced")],
    )
    assert (result["n"], result["not_raced"]) == (100, 1)
    alarms = result["false_alarms"]
    assert isinstance(alarms, dict)
    assert (alarms["count"], alarms["n"]) == (1, 99)
    # scipy, R: binom.test(1, 99)
    assert alarms["high"] == pytest.approx(0.05500, abs=5e-4)
    assert (result["measured_s_median"], result["took_s_median"]) == (12, 40)


def test_of_what_was_planted_alarms_are_what_is_wanted() -> None:
    found = record("planted", [raced("slower")] * 20)["found"]
    assert isinstance(found, dict) and found["share"] == 1
    # 0.025 ** (1 / 20)
    assert found["low"] == pytest.approx(0.8316, abs=1e-4)


def test_without_a_race_there_is_no_share() -> None:
    assert record("equal", []) == {"n": 0, "not_raced": 0}


def test_a_result_is_kept_with_its_ratio_and_how_long_it_took() -> None:
    race = verdict("fails", 0.95)
    kept = of(decided(race), "planted", True, 1, 30, 20)
    assert (kept.alarm, kept.outcome, kept.ratio) == (True, "slower", 0.95)
    assert (kept.low, kept.high) == (0.94, 0.96)
    assert (kept.draws, kept.measured_s, kept.took_s) == (8, race.measured_s, 20)


def test_and_with_that_by_server_cpu() -> None:
    race = priced(beside(verdict("holds"), "fails"))
    kept = of(decided(race), "planted", True, 1, 30, 20)
    assert kept.alarm
    assert (kept.cpu_ratio, kept.cpu_low, kept.cpu_high) == (0.9, 0.88, 0.92)
    unlike = of(decided(beside(verdict("holds"), "doesn't decide")), "planted", True, 0, 30, 40)
    assert (kept.cpu_decided, unlike.cpu_decided, unlike.cpu_ratio) == (True, False, None)


def test_the_repository_has_equals_and_one_that_does_more(tmp_path: Path) -> None:
    top = repository(tmp_path, 400)
    scripts = {tag: git(top, "show", f"{tag}:serve.sh") for tag in ("base", "equal", "planted")}
    loops = {tag: text.split()[-1] for tag, text in scripts.items()}
    assert loops["base"] == loops["equal"] and scripts["base"] != scripts["equal"]
    assert int(loops["planted"]) - int(loops["base"]) == 400
    (contender,) = resolve_contenders(["./serve.sh"], SHIPPED, top)
    assert contender.origin == "command"


def test_a_call_races_the_pairs_that_it_is_asked_for() -> None:
    few = ["--equal", "20", "--planted", "4"]
    assert pairs_wanted(options([*few, "--noise", "on"])) == {
        ("equal", True): 10,
        ("planted", True): 2,
    }
    quiet = pairs_wanted(options([*few, "--noise", "off"]))
    assert quiet == {("equal", False): 10, ("planted", False): 2}
    both = pairs_wanted(options(few))
    assert set(both) == {*quiet, ("equal", True), ("planted", True)}


def test_pairs_of_earlier_records_count(tmp_path: Path) -> None:
    file, kept = tmp_path / "earlier.json", tmp_path / "kept"
    earlier = {name("equal", True): record("equal", [raced("not slower")] * 3)}
    file.write_text(json.dumps(earlier))
    append(path(kept, "equal", True), raced("can't tell"))
    chosen = options(["--kept", str(kept), "--earlier", str(file)])
    outcomes = [each.outcome for each in raced_by_now(chosen, "equal", True)]
    assert outcomes == ["not slower"] * 3 + ["can't tell"]
    assert raced_by_now(chosen, "equal", False) == []


def test_a_quiet_neighbour_is_nobody_and_a_loud_one_goes_when_it_is_over() -> None:
    with Neighbour(False) as quiet:
        assert quiet._running == []
    with Neighbour(True) as loud:
        running = list(loud._running)
        assert len(running) == 2
    assert all(process.returncode is not None for process in running)
