"""The judge's bench: which race comes next, what counts, and what all races say."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bakeoff.model.pairs import NextRace, Pair
from bakeoff.model.ratio import Interval, Ratio
from tests.judge_bench import kept, proved
from tests.judge_bench.__main__ import EQUALS, SHARES, WORKS, next_part, of_articles, shuffled


def raced(part: str, took_s: float = 60.0, **of: Any) -> dict[str, Any]:
    at = "2026-11-30T00:00:00Z"
    usual = {"failed": None, "method": "a", "number": 0, "at": at}
    return {"part": part, "took_s": took_s, **usual, **of}


def pair(a: str, b: str, ratio: float, half: float = 0.01, **more: Any) -> dict[str, Any]:
    given = Pair(
        a=a,
        b=b,
        ratio=Ratio(ratio=ratio, low=ratio * (1 - half), high=ratio * (1 + half), n=100),
        finding="can't tell",
        equivalent=False,
        minimum_detectable_effect=half,
        **more,
    )
    return given.model_dump(mode="json", exclude=kept.OF_NO_USE)


def test_any_stop_leaves_each_part_with_its_share_of_the_time() -> None:
    done: list[dict[str, Any]] = []
    for _ in range(60):
        part = next_part(done, tuple(SHARES), left_s=1e6)
        assert part
        done.append(raced(part, took_s=200.0 if part == "articles" else 60.0))
    for part in ("equal", "planted", "unequal", "ci"):
        own_s = sum(each["took_s"] for each in done if each["part"] == part)
        whole_s = sum(each["took_s"] for each in done)
        assert own_s / whole_s == pytest.approx(SHARES[part], abs=0.05)


def test_a_part_with_as_many_races_as_it_is_to_have_has_no_more_turns() -> None:
    assert next_part([raced("replays")] * 5, ("replays",), left_s=1e6) is None


def test_one_that_fails_at_once_has_not_all_the_turns() -> None:
    done = [raced("replays", took_s=0.1) | {"failed": "it is not built"}]
    assert next_part(done, ("replays", "times"), left_s=1e6) == "times"


def test_no_race_begins_that_would_end_too_late() -> None:
    done = [raced("articles", took_s=300.0)]
    assert next_part(done, ("articles",), left_s=299) is None
    assert next_part(done, ("articles", "equal"), left_s=299) == "equal"


def test_a_round_has_each_once_in_an_order_of_its_own() -> None:
    rounds = [shuffled(EQUALS, 1, "equal", number) for number in range(8)]
    assert all(sorted(each) == sorted(EQUALS) for each in rounds)
    assert len(set(map(tuple, rounds))) > 1


def test_planted_work_differs_by_whole_units_that_grow_with_the_effect() -> None:
    for work in WORKS:
        more = [work.more(effect) for effect in (0.005, 0.02, 0.05, 0.5)]
        assert more == sorted(more) and more[0] >= 1


def test_the_articles_have_twenty_servers() -> None:
    assert len(of_articles()) == 20


def test_a_method_is_the_same_until_it_measures_or_judges_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = {kept.method()}
    assert kept.method() in names
    monkeypatch.setattr("bakeoff.judge.spread.TRIM", 0.3)
    names.add(kept.method())
    monkeypatch.setattr("bakeoff.model.plan.SLICE_MS_MIN", 40)
    names.add(kept.method())
    assert len(names) == 3


def test_the_first_races_were_of_the_method_that_their_commit_had() -> None:
    assert kept.method_of({"sources": "9c925439273e"}) == "8f3c6e1d0de8"
    assert kept.method_of({"sources": "another"}) == ""
    assert kept.method_of(raced("equal")) == "a"


def test_races_of_a_steady_core_have_the_same_verdict_by_the_later_method() -> None:
    """The core is at work where requests/s and ns of CPU time a request make 0.8 s a second."""
    earlier, later = next(iter(kept.SAME_VERDICTS.items()))

    def named(part: str, times_us: Sequence[float], requests_per_s: int = 100_000) -> str:
        slices = [[requests_per_s, 10_000, 0, 80, 1000 * each] for each in times_us]
        rows = [{"draw": 0, "counts": True, "a": each} for each in slices * 20]
        return kept.method_of(raced(part, method=earlier, samples=kept.encoded(rows)))

    assert named("unequal", [210, 230, 240]) == later
    assert named("unequal", [210, 270, 220]) == earlier
    assert named("equal", [210, 270, 220]) == later
    assert named("times", [210, 270, 220], requests_per_s=100) == later
    assert kept.method_of(raced("ci", method=earlier)) == later
    assert later == kept.method()


def test_a_torn_line_is_dropped_and_a_failed_race_counts(tmp_path: Path) -> None:
    path = tmp_path / "races.jsonl"
    kept.append(path, raced("equal"))
    path.write_text(path.read_text() + '{"torn')
    kept.append(path, raced("equal") | {"failed": "it did not end"})
    races = kept.races(path)
    assert [each["failed"] for each in races] == [None, "it did not end"]
    assert proved.summary(races[1:]) == {"failed": ["equal: it did not end"]}


def test_equals_that_exclude_1_are_misses() -> None:
    races = [
        raced("equal", subject="brick", noise="quiet", pairs=[pair("a", "b", ratio)])
        for ratio in (1.0, 1.005, 1.02)
    ]
    found = proved.equal(races)
    assert found["all"]["throughput"]["misses"]["count"] == 1
    assert found["C++, quiet"]["n"] == 3


def test_a_small_difference_is_as_much_less_as_its_units_are_fewer() -> None:
    """100 units more cost a half: 10 cost a twentieth."""
    entries = [{"name": f"server {units}"} for units in (600, 610, 700)]
    race = raced(
        "planted",
        subject="c arithmetic",
        units=[0, 10, 100],
        words=[f"work --units {units}" for units in (600, 610, 700)],
        entries=entries,
        pairs=[pair("server 600", "server 610", 1.06), pair("server 600", "server 700", 1.5)],
    )
    (found,) = proved.planted_ratios(race)
    assert found["truth"] == pytest.approx(1 / 1.05)
    assert found["ratio"] == pytest.approx(1 / 1.06)
    summed = proved.planted([race])
    assert summed["held"]["all"]["count"] == 1
    assert summed["right_sign"]["share"] == 1
    assert found["truth_half_width"] == pytest.approx(0.01 * 0.1 * 1.5 / 1.05, rel=1e-3)
    assert proved.planted_ratios({**race, "entries": entries[:2]}) == [], "one of them was out"


def test_the_truth_of_a_planted_5_percent_is_that_of_the_races_that_know_it_best() -> None:
    words, entries = ["work 600", "work 648", "work 700"], [{"name": "a 600"}, {"name": "a 648"}]
    races = [
        raced(
            "planted",
            subject="c arithmetic",
            units=[0, 48, 100],
            words=words,
            entries=[*entries, {"name": "a 700"}],
            pairs=[
                pair("a 600", "a 648", 1.05),
                pair("a 600", "a 700", 1 + 100 * cost, half=half),
            ],
        )
        for cost, half in ((0.001, 0.001), (0.002, 0.1))
    ]
    assert proved.ci([], races)["truth"] == pytest.approx(1 / 1.048, rel=1e-4)


def test_ratios_by_cpu_of_races_before_the_factor_was_put_right_do_not_count() -> None:
    both = [pair("a", "b", 1.0, cpu_ratio=Interval(ratio=1.0, low=0.9, high=1.1, n=100))]
    late = raced("equal", subject="brick", noise="quiet", pairs=both)
    early = late | {"at": "2026-11-29T18:00:00Z"}
    found = proved.summary([early, late])["equal"]["all"]
    assert (found["throughput"]["misses"]["n"], found["cpu"]["misses"]["n"]) == (2, 1)
    assert "cpu" not in proved.summary([early])["equal"]["all"]


def test_two_contenders_that_change_places_are_one_pair() -> None:
    races = [raced("unequal", pairs=[pair("a", "b", 1.01)]) for _ in range(2)]
    races.append(raced("unequal", pairs=[pair("b", "a", 1.01)]))
    assert list(proved.unequal(races)["throughput"]) == ["a over b"]


def test_races_that_differ_as_much_as_they_claim_have_a_quotient_of_1() -> None:
    errors = (-0.0190, -0.0076, 0.0, 0.0076, 0.0190)
    races = [
        raced("unequal", pairs=[pair("a", "b", 2 * (1 + each), half=0.036)]) for each in errors
    ]
    line = proved.unequal(races)["throughput"]["a over b"]
    assert line["ratio"] == pytest.approx(2, rel=1e-3)
    assert 0.8 < line["sd_over_claim"] < 1.2
    assert line["cochran_p"] > 0.1


def packed(work_us: float) -> str:
    """One slice before which the fixed work took so long, as a record has it."""
    return kept.encoded([{"draw": 0, "counts": True, "a": [100, 10, 0, 80, 1000 * work_us]}])


def test_races_are_held_against_others_at_their_distance_and_speed_of_the_cores() -> None:
    usual, apart, slow = (80.0, 218.0), (400.0, 218.0), (80.0, 304.0)
    given = [(2.0, usual), (1.5, apart), (2.01, usual), (2.4, slow), (1.99, usual)]
    given += [(2.4, slow), (2.42, slow)]
    races = [
        raced("unequal", samples=packed(work_us), pairs=[pair("a", "b", ratio, core_trip_ns=trip)])
        for ratio, (trip, work_us) in given
    ]
    found = proved.unequal(races)
    assert (found["n"], found["elsewhere"]) == (3, 4)
    assert found["throughput"]["a over b"]["sd_percent"] == pytest.approx(0.5, rel=0.01)
    (other,) = found["others"]
    assert (other["n"], other["fixed_work_us"]) == (3, 304)
    assert other["throughput"]["a over b"]["ratio"] == pytest.approx(2.407, rel=1e-3)


def test_equals_at_another_speed_of_the_core_are_apart_from_those_at_the_usual_one() -> None:
    races = [
        raced(
            "equal", subject="brick", noise="quiet", samples=packed(us), pairs=[pair("a", "b", 1)]
        )
        for us in (218.0, 304.0, 210.0)
    ]
    found = proved.equal(races)
    assert {name: of["n"] for name, of in found.items()} == {
        "all": 3,
        "C++, quiet": 2,
        "another speed, quiet": 1,
    }


def test_the_next_ratio_is_held_against_the_prediction_of_the_race_before() -> None:
    predicted = NextRace(ratio=2.0, low=1.9, high=2.1, basis="pair", n=4)
    ratios = (2.0, 2.05, 2.2)
    races = [raced("unequal", pairs=[pair("a", "b", each, next_race=predicted)]) for each in ratios]
    found = proved.unequal(races)
    assert (found["predicted"]["count"], found["predicted"]["n"]) == (1, 2)


def test_a_record_has_the_races_of_earlier_ones_of_the_same_method(tmp_path: Path) -> None:
    races = [raced("times", subject="x", wall_s=1.0, pairs=[]) | {"method": name} for name in "ab"]
    proved.write(tmp_path / "first.json", races, [])
    proved.write(tmp_path / "second.json", races[:1], [tmp_path / "first.json"])
    record = json.loads((tmp_path / "second.json").read_text())
    assert [race["method"] for race in record["races"]] == ["a", "a"]
    assert len(record["summary"]["times"]["x"]) == 2
