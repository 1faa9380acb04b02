"""What counts as a right name, a wrong one, and a right size; and which tries are left."""

import json
import shlex
from dataclasses import asdict
from pathlib import Path

import pytest

from bakeoff.model.finding import Finding
from bakeoff.model.ratio import Difference
from bakeoff.model.why import Part, Why, WhyLine, WhyPair
from tests.judge.facts import MACHINE
from tests.why_bench.__main__ import RUNS, Bench, summary
from tests.why_bench.causes import SIZES, Planted, every
from tests.why_bench.counting import NOTHING, Truth, counted

CALLS = Planted("yardstick", "calls", "10", 0)
SLEEP = Planted("yardstick", "sleep", "20us", 0)


def test_commands_are_one_word_for_each_path(tmp_path: Path) -> None:
    built = tmp_path / "a clone"
    planted = Planted("go", "line", "100", 0)
    with_cause, bare = planted.commands(built, built / "log", "python")
    program = str(built / "planted-go")
    assert shlex.split(bare) == [program, "--port", "{port}"]
    assert shlex.split(with_cause)[3:] == ["--line", "100", "--to", str(built / "log")]


def line(part: Part, name: str, more: float, half: float = 0.3) -> WhyLine:
    difference = Difference(more=more, low=more - half, high=more + half)
    return WhyLine(part=part, name=name, its_us=10 + more, other_us=10, difference=difference)


def result(*because: Finding, lines: tuple[WhyLine, ...] = (), name: str = "right") -> Why:
    """A look at `name` against the other side."""
    pair = WhyPair(
        name=name,
        other="left" if name == "right" else "right",
        its_us=12,
        other_us=10,
        cpu=Difference(more=2, low=1, high=3),
        lines=lines,
        counts=(),
        finding=Finding.of(
            "costs_differ",
            *because,
            name=name,
            other="x",
            unit="request",
            us_more=2,
            us_low=1,
            us_high=3,
        ),
    )
    return Why(
        run="why",
        workload="hello",
        reference=pair.other,
        command_line=(),
        complete=True,
        rate_per_s=1000,
        blocks=16,
        lasted_s=20,
        pairs=(pair,),
        machine=MACHINE,
    )


def in_call(call: str, us: float) -> Finding:
    return Finding.of("in_call", us_more=us, call=call, calls_more=None)


@pytest.mark.parametrize(
    ("because", "right", "wrong"),
    [
        ((in_call("getppid", 2.0),), True, ()),
        ((Finding.of("calls_more", call="getppid", calls_more=10.0),), True, ()),
        ((in_call("getppid", 2.0), in_call("sendto", 1.0)), True, ("sendto",)),
        ((in_call("getppid", -2.0),), False, ("getppid",)),
        ((Finding.of("in_nothing_seen", us_more=2.0),), False, ()),
        ((Finding.of("in_work", us_more=2.0, work="other_functions"),), False, ()),
        ((Finding.of("in_function", us_more=2.0, function="Planted::pass()"),), False, ()),
        (
            (Finding.of("in_scheduling", us_more=2.0, switches_more=None),),
            False,
            ("in_scheduling",),
        ),
        ((), False, ()),
    ],
)
def test_a_name_is_right_where_it_is_of_the_cause_and_more_on_its_side(
    because: tuple[Finding, ...], right: bool, wrong: tuple[str, ...]
) -> None:
    found = counted(CALLS, "right", result(*because), None)
    assert (found.right, found.wrong) == (right, wrong)


def test_the_side_with_the_cause_may_be_the_reference() -> None:
    found = counted(CALLS, "left", result(in_call("getppid", -2.0)), None)
    assert found.right and not found.wrong


@pytest.mark.parametrize(
    ("true_us", "right"), [(2.0, True), (2.5, True), (3.0, False), (1.0, False)]
)
def test_a_size_is_that_of_all_lines_of_the_cause(true_us: float, right: bool) -> None:
    lines = (
        line("kernel", "", 9.0),
        line("call", "getppid", 1.5),
        line("work", "entering", 0.5),
        line("call", "sendto", 7.0),
        line("unexplained", "", 0.2),
    )
    truth = Truth(us=true_us, half_us=0.4)
    found = counted(CALLS, "right", result(lines=lines), truth)
    assert found.claimed_us == pytest.approx(2.0)
    assert found.claimed_half_us == pytest.approx(0.3 * 2**0.5)
    assert found.unexplained_us == pytest.approx(0.2)
    assert found.size_right == right


def test_a_call_after_a_sleep_is_of_the_sleep_where_that_is_said() -> None:
    lines = (line("call", "sendto", 7.0),)
    waking = Finding.of("in_waking", us_more=7.0, call="sendto", switches_more=1.0)
    truth = Truth(us=7.0, half_us=0.1)
    assert counted(SLEEP, "right", result(waking, lines=lines), truth).size_right
    plain = counted(SLEEP, "right", result(in_call("sendto", 7.0), lines=lines), truth)
    assert not plain.size_right and plain.wrong == ("sendto",)


@pytest.mark.parametrize(("held", "right"), [("right", True), ("left", False)])
def test_a_wait_is_of_the_lock_where_the_side_with_it_is_held_up(held: str, right: bool) -> None:
    wait = Finding.of("in_wait", wait="thread", share=0.2, other_share=0.0)
    of_peaks = {"peak_per_s": 5, "cores_used": 0.5, "other_peak_per_s": 9, "other_cores_used": 1}
    finding = Finding.of("held_up", wait, name=held, other="x", unit="request", **of_peaks)
    (pair,) = result().pairs
    look = result().model_copy(update={"pairs": (pair.model_copy(update={"held_up": finding}),)})
    found = counted(Planted("yardstick", "lock", "1ms", 0), "right", look, None)
    assert (found.right, found.wrong) == (right, () if right else ("thread",))


def test_a_look_without_a_difference_named_nothing() -> None:
    nothing = result().model_copy(update={"pairs": (), "given_up": "it died"})
    assert counted(CALLS, "right", nothing, None) == NOTHING


def test_a_hundred_tries_of_the_yardstick_each_cause_in_each_size_twice() -> None:
    tries = every(["yardstick"], RUNS)
    assert len(tries) == len(set(tries)) == 100 and len(SIZES) == 10


def test_the_order_is_the_seeds_run_after_run(tmp_path: Path) -> None:
    bench = Bench(tmp_path, seed=3)
    first = bench.order(["yardstick", "go"])
    assert first == Bench(tmp_path, seed=3).order(["yardstick", "go"])
    assert [each.run for each in first[:50]] == [0] * 50 and first[100].server == "go"


def test_failed_tries_count() -> None:
    failed = {"what": json.dumps(asdict(CALLS)), "failed": "no perf"}
    assert summary([failed])["yardstick"] == {
        "tries": 1,
        "named_right": 0,
        "wrong_names": 0,
        "sizes_right": 0,
    }
