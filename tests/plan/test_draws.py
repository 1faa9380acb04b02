"""From operands and options to a measurement of draws."""

from pathlib import Path

from bakeoff.model.draws import DrawsPlan
from bakeoff.plan.draws import DrawsOptions, plan_draws
from tests.plan import places


def plan(*operands: str, root: Path, **options: object) -> DrawsPlan:
    folder = places.catalogue(root, "ada", "bob", workloads=("hello", "json", "get"))
    places.contender(root / "contenders", "cy", serves="json")
    return plan_draws(operands, DrawsOptions(**options), places.environment(folder, root))


def test_each_contender_is_raced_against_itself(tmp_path: Path) -> None:
    made = plan("ada", "bob", root=tmp_path, connections=8, seed=3)
    assert made.run == "now-draws-ada-vs-bob"
    assert [each.reference for each in made.plans] == ["ada", "bob"]
    first = made.plans[0]
    assert [entry.name for entry in first.entries] == ["ada", *(f"ada#{n}" for n in range(2, 7))]
    assert not any(entry.twin_of for entry in first.entries)
    assert (made.sets, first.connections, first.duration_s, first.boots) == (3, 8, 20, 1)
    assert made.contender("bob#4") == "bob"


def test_quick_is_shorter_and_what_is_given_goes_before_it(tmp_path: Path) -> None:
    made = plan("ada", root=tmp_path, quick=True, warm_up="2s").plans[0]
    assert (made.duration_s, made.warm_up_s) == (8, 2)


def test_all_is_the_whole_catalogue_as_far_as_it_serves_the_workload(tmp_path: Path) -> None:
    made = plan(root=tmp_path, everything=True)
    assert [each.reference for each in made.plans] == ["ada", "bob"]
    (skipped,) = made.skipped
    assert skipped.name == "cy" and "hello" in skipped.reason and "cy" not in skipped.reason


def test_processes_behind_urls_go_to_all_their_connections(tmp_path: Path) -> None:
    made = plan("http://127.0.0.1:1/", root=tmp_path, pids=(1,), processes=3).plans[0]
    assert [entry.attached and entry.attached.pid for entry in made.entries] == [1, 1, 1]
