"""What a race finds of others in its setting."""

from bakeoff.history.index import Index
from bakeoff.model.history import Earlier, IndexedRun
from tests.history.indexed import run
from tests.history.test_index import OTHER_MACHINE

SPEEDS = {"a": 100.0, "b": 50.0}


def earlier(index: Index, of: IndexedRun) -> Earlier:
    return index.earlier(of, {of.id})


def test_another_run_of_the_same_builds_is_found_and_a_run_is_not_its_own_past(
    index: Index,
) -> None:
    first, second = run(1, SPEEDS), run(2, {"b": 50.0, "a": 100.0})
    index.add(first, second)
    found = earlier(index, second)
    (ratio,) = found.ratios
    assert ratio.run == first.id
    assert (ratio.a, ratio.b) == (found.builds["a"], found.builds["b"])
    assert (ratio.began_at, found.began_at) == (first.began_at, second.began_at)
    assert ratio.ratio == 2.0
    assert ratio.error == first.races[0].pairs[0].error


def test_another_setting_is_not_found(index: Index) -> None:
    now = run(1, SPEEDS)
    index.add(
        run(2, SPEEDS, workload="json"),
        run(3, SPEEDS, machine=OTHER_MACHINE),
        _with(run(4, SPEEDS), load="closed, 1 connections"),
    )
    assert not earlier(index, now).ratios


def test_what_changed_is_another_build(index: Index) -> None:
    now = run(1, SPEEDS)
    builds = set(earlier(index, now).builds.values())
    assert len(builds) == 2
    index.add(run(2, SPEEDS, version="2.0"))
    (changed,) = earlier(index, now).ratios
    assert not {changed.a, changed.b} & builds
    upgraded = now.model_copy(update={"bakeoff": "0.3.0"})
    assert not set(earlier(index, upgraded).builds.values()) & builds


def test_the_same_sources_are_one_build_wherever_they_were_checked_out(index: Index) -> None:
    """`series` says the folder."""
    now = _with_figures(run(1, SPEEDS), source="5" * 64, contender="server", series="0" * 12)
    assert len(set(earlier(index, now).builds.values())) == 1
    index.add(_with_figures(run(2, SPEEDS), source="5" * 64, contender="server", series="1" * 12))
    (ratio,) = earlier(index, now).ratios
    assert {ratio.a, ratio.b} == set(earlier(index, now).builds.values())


def test_ratios_with_one_end_tell_nothing(index: Index) -> None:
    (pair,) = run(2, SPEEDS).races[0].pairs
    bound = pair.ratio.model_copy(update={"high": None})
    index.add(_with(run(2, SPEEDS), pairs=(pair.model_copy(update={"ratio": bound}),)))
    assert not earlier(index, run(1, SPEEDS)).ratios


def test_distance_and_speed_of_the_cores_are_kept_where_they_were_measured(index: Index) -> None:
    (pair,) = run(2, SPEEDS).races[0].pairs
    measured = pair.model_copy(update={"core_trip_ns": 400.0, "fixed_work_us": 218.0})
    index.add(run(2, SPEEDS), _with(run(3, SPEEDS), pairs=(measured,)))
    found = earlier(index, run(1, SPEEDS)).ratios
    states = [(ratio.core_trip_ns, ratio.fixed_work_us) for ratio in found]
    assert states == [(400.0, 218.0), (None, None)]


def _with(of: IndexedRun, **changed: object) -> IndexedRun:
    (race,) = of.races
    return of.model_copy(update={"races": (race.model_copy(update=changed),)})


def _with_figures(of: IndexedRun, **changed: object) -> IndexedRun:
    (race,) = of.races
    return _with(of, figures=tuple(figure.model_copy(update=changed) for figure in race.figures))
