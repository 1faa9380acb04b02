"""Which race comes next."""

import random

from tests.judge_bench.__main__ import kinds_of, options
from tests.judge_bench.agenda import Agenda, Kind
from tests.judge_bench.live import Live
from tests.judge_bench.test_record import race

A, B = Kind("equal", "a", 20.0), Kind("equal", "b", 20.0)
FIVE = Kind("repeat", "a b", 60.0, 0.5)


def agenda(races: int = 9) -> Agenda:
    limits = {"equal": races, "planted": races, "repeat": races}
    return Agenda([A, B, FIVE], limits, random.Random(1))  # type: ignore[arg-type]


def of(kind: Kind, took_s: float = 30.0) -> Live:
    return race(
        1.0, part=kind.part, subject=kind.subject, duration_s=kind.duration_s, took_s=took_s
    )


def test_every_stop_leaves_a_balanced_set() -> None:
    plan, done = agenda(), list[Live]()
    for _ in range(10):
        kind = plan.next(done, 1e9)
        assert kind
        done.append(of(kind))
    assert [len(plan.of(done, kind)) for kind in (A, B, FIVE)] == [4, 4, 2]


def test_it_ends_when_there_are_enough() -> None:
    done = [of(kind) for kind in (A, B, FIVE)]
    assert agenda(races=1).next(done, 1e9) is None


def test_no_race_begins_that_would_end_too_late() -> None:
    plan = agenda()
    done = [of(A), of(B, took_s=50.0), of(FIVE)]
    assert plan.next(done, 40.0) == A
    assert plan.next([], 40.0) in (A, B), "those that weren't seen are reckoned with their starts"
    assert plan.next(done, 20.0) is None


def test_a_kind_that_failed_twice_is_left_out() -> None:
    plan = agenda()
    for _ in range(2):
        plan.failed(A)
    plan.failed(B)
    assert plan.next([of(FIVE)], 1e9) == B


def test_by_default_all_three_parts_have_their_races() -> None:
    kinds = kinds_of(options([]))
    assert {kind.part for kind in kinds} == {"equal", "planted", "repeat"}
    assert sum(kind.part == "equal" for kind in kinds) >= 6
    effects = {kind.subject: kind.duration_s for kind in kinds if kind.part == "planted"}
    assert effects == {"0.005": 60.0, "0.01": 30.0, "0.03": 30.0, "0.1": 30.0}
    only = kinds_of(options(["--only", "equal", "--programs", "x", "--duration", "3"]))
    assert only == [Kind("equal", "x", 3.0)]
