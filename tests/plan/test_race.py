"""From contenders and options to the plan of a race."""

from pathlib import Path
from typing import Any

from bakeoff.model.plan import Plan
from bakeoff.plan import RaceOptions, confirming, plan_race, without
from tests.plan.places import SHIPPED, contender, environment


def plan(operands: list[str], **options: Any) -> Plan:
    made = plan_race(operands, RaceOptions(**{"seed": 1, **options}), environment())
    assert isinstance(made, Plan)
    return made


def names(made: Plan) -> list[str]:
    return [entry.name for entry in made.entries]


def test_the_first_is_the_reference_and_has_a_twin() -> None:
    made = plan(["go-nethttp", "nginx"])
    assert made.reference == "go-nethttp"
    assert names(made) == ["go-nethttp", "nginx", "go-nethttp (twin)"]
    assert made.entry("go-nethttp (twin)").twin_of == "go-nethttp"


def test_no_twin_where_none_is_wanted_or_possible() -> None:
    assert names(plan(["nginx"], twin=False)) == ["nginx"]
    assert names(plan(["python3 a.py"], ports=(3000,))) == ["a.py"]


def test_an_option_that_is_not_given_has_its_default() -> None:
    made = plan(["nginx", "go-nethttp"])
    assert (made.duration_s, made.boots, made.connections, made.workers) == (15, 1, 64, 1)
    assert (made.workload.name, made.mode, made.ranked_by) == ("hello", "closed", "requests_per_s")


def test_without_names_the_default_line_up_races_or_all_after_it() -> None:
    line_up = list(SHIPPED.default_line_up())
    assert names(plan([], twin=False)) == line_up
    everybody = [*names(plan([], everything=True)), *skipped(plan([], everything=True))]
    assert everybody[: len(line_up)] == line_up
    assert {*SHIPPED.names(), f"{line_up[0]} (twin)"} == set(everybody)


def skipped(made: Plan) -> dict[str, str]:
    return {contender.name: contender.reason for contender in made.skipped}


def test_a_race_without_a_duration_has_so_many_seconds_for_each_and_the_twin() -> None:
    thirteen = [f"python3 {number}.py" for number in range(13)]
    assert plan(thirteen).duration_s == 5 * 14
    for longer in ({"rate": 1000.0}, {"load": 0.7}, {"solo": True}, {"precision": "1%"}):
        assert plan(thirteen, **longer).duration_s == 20 * 14
    assert plan(thirteen, duration="1h").duration_s == 3600
    assert plan(thirteen, budget="3m", precision="1%").duration_s == 180


def test_a_budget_for_two_is_spent_until_they_are_decided() -> None:
    two = ["nginx", "go-nethttp"]
    assert (plan(two, budget="3m").until, plan(two, budget="3m").duration_s) == ("decided", 180)
    assert plan(two, budget="3m", precision="1%").until is None
    assert plan(two, duration="3m").until is None
    assert plan([*two, "brick"], until="decided").duration_s == 20 * 4


def test_the_margin_is_that_of_gates_without_a_factor() -> None:
    two, gates = ["nginx", "go-nethttp"], ["nginx >= go-nethttp", "nginx < go-nethttp"]
    factors = [gate.factor for gate in plan(two, within="25%", gates=gates).gates]
    assert factors == [0.8, 1.25]


def test_servers_of_unknown_answers_are_asked_for_their_own(tmp_path: Path) -> None:
    assert plan(["python3 a.py", "http://127.0.0.1:1/"]).workload.name == "get"
    assert plan(["python3 a.py", "nginx"]).workload.name == "hello"
    contender(tmp_path, "mine", serves="get")
    assert plan([str(tmp_path / "mine"), "python3 a.py"]).workload.name == "get"


def test_a_solo_race_has_as_many_rounds_as_windows_fit() -> None:
    assert plan(["nginx", "go-nethttp"], solo=True, duration=60).boots == 10


def test_a_confirmation_is_a_solo_race_of_a_third_of_the_time_without_the_twin() -> None:
    solo = confirming(plan(["nginx", "go-nethttp"], duration=60, confirm=True))
    assert (solo.solo, solo.confirm, solo.duration_s, solo.boots) == (True, False, 20, 10)
    assert (names(solo), solo.gates) == (["nginx", "go-nethttp"], ())
    long = plan(["nginx", "go-nethttp"], duration=300, confirm=True)
    assert confirming(long).boots == 25, "windows of two seconds"


def test_the_run_is_named_after_time_and_contenders() -> None:
    assert plan(["nginx", "python3 'a b.py'"]).run == "now-nginx-vs-a-b-py"
    thirty = ["nginx", *(f"python3 {number}.py" for number in range(29))]
    assert plan(thirty).run == "now-nginx-vs-29-others"


def test_a_rate_or_a_share_of_the_peak_opens_the_loop() -> None:
    assert (plan(["nginx"], rate=5).mode, plan(["nginx"], load="70%").ranked_by) == ("open", "p99")


def test_a_contender_that_does_not_serve_the_workload_is_skipped() -> None:
    made = plan(["nginx", "python3 a.py"], workload="get", keep_going=True)
    assert names(made) == ["a.py", "a.py (twin)"]
    assert " get; " in skipped(made)["nginx"]


def test_two_servers_on_one_port_need_solo() -> None:
    operands = ["python3 a.py", "python3 b.py"]
    assert plan(operands, ports=(3000, 3000), solo=True).solo


def test_without_the_reference_the_next_one_takes_its_place_with_a_twin() -> None:
    left = without(plan(["nginx", "go-nethttp", "gunicorn"]), {"nginx": "is ill"})
    assert left.reference == "go-nethttp"
    assert names(left) == ["go-nethttp", "gunicorn", "go-nethttp (twin)"]
    assert skipped(left) == {"nginx": "is ill"}
