"""Stacks of two contenders as one tree: its sums, what is below what, what chance may have done."""

from collections.abc import Iterator

import pytest

from bakeoff.judge import flames
from bakeoff.model.finding import Finding
from bakeoff.model.samples import Record
from bakeoff.model.why import Flame, Layer
from tests.judge.test_why import SEND, WAIT, judged, records

PROFILER = "main;do_syscall_64_[k];schedule_[k];__perf_event_task_sched_out_[k]"
COSTS = {
    "a": {"main;handle": 5.0, SEND: 8.0, WAIT: 2.0, PROFILER: 1.0},
    "b": {"main;handle": 5.0, "main;handle;parse": 3.0, SEND: 10.0, WAIT: 2.0, "start;once": 0.02},
}


def root(log: list[Record]) -> Flame:
    (only,) = flames(log, judged(log))
    assert (only.name, only.other) == ("b", "a")
    return only.root


def walked(flame: Flame, above: str = "") -> Iterator[tuple[str, Flame]]:
    place = f"{above}/{flame.name}"
    yield place, flame
    for inner in flame.inner:
        yield from walked(inner, place)


def test_stacks_are_one_tree_with_the_tables_sums_and_lines() -> None:
    log = records(COSTS)
    (pair,) = judged(log).pairs
    places = dict(walked(root(log)))
    for line in pair.lines:
        if line.part in ("user", "kernel"):
            flame = places[f"/all/{line.part}"]
            assert (flame.its_us, flame.other_us) == (line.its_us, line.other_us)
    assert places["/all/user/main/handle/parse"].its_us == pytest.approx(3, abs=0.3)
    assert places["/all/user/main/handle"].its_us == pytest.approx(8, abs=0.6)
    # The kernel's functions are by the line that they belong to, and not by their callers.
    sent = places["/all/kernel/sendto/do_syscall_64/__sys_sendto/tcp_sendmsg"]
    assert (sent.its_us, sent.other_us) == pytest.approx((10, 8), abs=0.9)
    assert places["/all/kernel/scheduling"].other_us == pytest.approx(2, abs=0.3)
    assert not [place for place in places if "perf_event" in place]


def test_what_is_below_a_frame_is_no_more_than_it_and_the_largest_comes_first() -> None:
    tree = root(records(COSTS))
    assert [part.name for part in tree.inner] == ["user", "kernel"], "as in the table"
    for _, flame in [place for part in tree.inner for place in walked(part)]:
        assert sum(inner.its_us for inner in flame.inner) <= flame.its_us + 1e-9
        assert sum(inner.other_us for inner in flame.inner) <= flame.other_us + 1e-9
        sizes = [inner.us for inner in flame.inner]
        assert sizes == sorted(sizes, reverse=True)


def test_a_difference_that_chance_does_to_so_many_samples_is_not_told() -> None:
    places = dict(walked(root(records(COSTS, blocks=3))))
    assert places["/all/user/main/handle/parse"].is_told
    assert not places["/all/kernel/scheduling"].is_told
    rare = records({"a": COSTS["a"], "b": {**COSTS["b"], "start;once": 0.01}}, blocks=3, noise=0)
    assert not dict(walked(root(rare)))["/all/user/start/once"].is_told


def test_without_the_kernels_stacks_its_time_is_one_frame() -> None:
    missing: dict[Layer, Finding] = {"kernel": Finding.of("kernel_refused", paranoid=2)}
    costs = {"a": {"main;handle": 8.0}, "b": {"main;handle": 8.0, "main;parse": 4.0}}
    places = dict(walked(root(records(costs, missing=missing))))
    assert places["/all/kernel"].its_us == pytest.approx(9, abs=0.2)
    assert not places["/all/kernel"].inner and "/all/user/main/parse" in places


def test_without_stacks_there_is_no_tree() -> None:
    missing: dict[Layer, Finding] = dict.fromkeys(("stacks", "kernel"), Finding.of("no_perf"))
    log = records({"a": {"main;f": 8.0}, "b": {"main;f": 12.0}}, missing=missing)
    assert flames(log, judged(log)) == ()
