"""What is named as a cause: not what is an effect of how busy a server is."""

import pytest

from bakeoff.judge.causes import cause_of
from bakeoff.judge.held_up import HeldUp
from bakeoff.model.finding import Finding
from bakeoff.model.ratio import Difference
from bakeoff.model.why import Part, WhyCount, WhyLine

EQUAL = Difference(more=0.1, low=-0.2, high=0.4)
"""Of the CPU time of two that can't be told apart."""
OF = ("function", "call")


def told(more: float) -> Difference:
    """A difference whose interval excludes 0."""
    return Difference(more=more, low=more - abs(more) / 4, high=more + abs(more) / 4)


def line(part: Part, name: str, more: float) -> WhyLine:
    return WhyLine(part=part, name=name, its_us=10 + more, other_us=10, difference=told(more))


def counts(**more: float) -> list[WhyCount]:
    """Answers of 150 bytes and two context switches per request; `more` of them and of calls."""
    per_request = {"bytes": 150.0, "voluntary_switches": 2.0, "involuntary_switches": 0.0}
    return [
        WhyCount(
            what=what if what in per_request else f"call:{what}",
            its=per_request.get(what, 1.0) + more.get(what, 0.0),
            other=per_request.get(what, 1.0),
            difference=told(more[what]) if what in more and what in per_request else None,
        )
        for what in (*per_request, *(what for what in more if what not in per_request))
    ]


def named(
    cpu: Difference, lines: list[WhyLine], counted: list[WhyCount], held: HeldUp | None = None
) -> list[str]:
    """The code of each cause, and the function or call that it names; `but` for those against."""
    because = cause_of(("b", "a"), cpu, lines, counted, "request", held).because
    against = [cause for last in because for cause in last.because]
    found = [("", cause) for cause in because if cause.code != "in_spite"]
    return [
        " ".join(
            [f"{but}{cause.code}", *(str(cause.values[of]) for of in OF if of in cause.values)]
        )
        for but, cause in (*found, *(("but ", cause) for cause in against))
    ]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("part", "name", "more", "counted", "names"),
    [
        # The costlier one is busier, and sleeps less often.
        ("work", "scheduling", -3.0, {}, []),
        ("work", "scheduling", 3.0, {}, ["in_scheduling"]),
        ("work", "interrupts", -3.0, {}, []),
        ("work", "page_faults", -3.0, {}, ["but in_page_faults"]),
        ("function", "parse", -3.0, {}, ["but in_function parse"]),
        # It asks the kernel for the same.
        ("call", "sendto", -3.0, {"sendto": 0.0}, []),
        ("call", "sendto", -3.0, {"sendto": -1.0}, ["but in_call sendto"]),
        ("call", "sendto", -3.0, {"sendto": -0.5}, ["but in_call sendto"]),
        # The busier one finds more requests whenever it looks.
        ("call", "epoll_wait", -3.0, {"epoll_wait": -0.5}, []),
        ("call", "epoll_wait", -3.0, {"epoll_wait": -1.0}, ["but in_call epoll_wait"]),
        ("call", "sendto", -3.0, {"sendto": 0.0, "bytes": 100.0}, ["but in_call sendto"]),
        ("call", "sendto", -3.0, {}, ["but in_call sendto"]),
        ("call", "sendto", 3.0, {"sendto": 0.0}, ["in_call sendto"]),
        ("call", "sendto", 3.0, {"sendto": 0.0, "voluntary_switches": 1.0}, ["in_waking sendto"]),
        ("call", "sendto", 3.0, {"sendto": 0.0, "voluntary_switches": -1.0}, ["in_call sendto"]),
        # A tenth of the difference is the least.
        ("function", "parse", 0.9, {}, []),
        ("call", "sendto", 0.9, {}, []),
    ],
)
def test_of_two_that_differ_effects_are_not_named(
    sign: int, part: Part, name: str, more: float, counted: dict[str, float], names: list[str]
) -> None:
    """Whichever of the two is the reference."""
    signed = {what: sign * of for what, of in counted.items() if what != "bytes"}
    kept = {what: of for what, of in counted.items() if what == "bytes"}
    lines = [line(part, name, sign * more)]
    assert named(told(sign * 10.0), lines, counts(**signed, **kept)) == names


@pytest.mark.parametrize(
    ("call", "more", "names"),
    [
        ("getppid", 1.0, ["calls_more getppid"]),
        ("getppid", -1.0, []),
        ("getppid", 0.05, []),
        ("epoll_wait", 0.8, []),
        ("read", 0.8, []),
        ("epoll_wait", 1.0, ["calls_more epoll_wait"]),
        ("epoll_wait", -1.0, []),
    ],
)
def test_calls_are_named_that_the_costlier_one_makes_more_often(
    call: str, more: float, names: list[str]
) -> None:
    assert named(told(10.0), [], counts(**{call: more})) == names


@pytest.mark.parametrize(
    ("lines", "more", "names"),
    [
        ([line("work", "scheduling", -1.0)], {}, []),
        ([line("work", "scheduling", -1.0)], {"voluntary_switches": -0.5}, ["in_scheduling"]),
        ([line("work", "scheduling", -1.0)], {"voluntary_switches": 0.5}, []),
        ([line("call", "sendto", 1.0)], {"sendto": 0.0}, ["in_call sendto"]),
        ([line("function", "parse", 0.03)], {}, []),
        ([], {"getppid": -1.0}, ["calls_more getppid"]),
    ],
)
def test_equals_are_equally_busy(
    lines: list[WhyLine], more: dict[str, float], names: list[str]
) -> None:
    """So that what one has less is as true as what it has more."""
    assert named(EQUAL, lines, counts(**more)) == names


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("lines", "at_peak", "more", "names"),
    [
        # The cheaper one is held up: it wakes up less often, since requests gather.
        ([line("work", "scheduling", 3.0)], [], {}, []),
        ([line("call", "sendto", 3.0)], [], {"sendto": 0.0, "voluntary_switches": 1.0}, []),
        # At the peaks there is no less of it, or the other way round.
        ([line("work", "scheduling", 3.0)], [line("work", "scheduling", -2.0)], {}, []),
        ([line("work", "scheduling", 3.0)], [line("work", "scheduling", 2.0)], {},
         ["in_scheduling"]),
        # What it has more of is a cause, though it is the cheaper one.
        ([line("work", "scheduling", -3.0)], [], {}, ["but in_scheduling"]),
        ([line("function", "parse", 3.0)], [], {}, ["in_function parse"]),
        ([], [], {"futex": -0.5}, ["but calls_more futex"]),
        ([], [], {"futex": 0.5}, []),
    ],
)  # fmt: skip
def test_what_one_that_is_held_up_has_less_of_is_an_effect(
    sign: int,
    lines: list[WhyLine],
    at_peak: list[WhyLine],
    more: dict[str, float],
    names: list[str],
) -> None:
    """`a` is held up, or `b` with all signs turned."""

    def turned(of: list[WhyLine]) -> list[WhyLine]:
        return [line(each.part, each.name, sign * each.difference.more) for each in of]

    held = HeldUp(-sign, Finding.of("in_work", us_more=1, work="other"), turned(at_peak))
    counted = counts(**{what: sign * of for what, of in more.items()})
    assert named(told(sign * 10.0), turned(lines), counted, held) == names


def test_what_works_against_the_difference_comes_last_and_as_such() -> None:
    lines = [line("function", "f", 8.0), line("function", "g", -9.0), line("call", "futex", -2.0)]
    assert named(told(9.0), lines, []) == [
        "in_function f",
        "but in_function g",
        "but in_call futex",
    ]
    assert named(told(-9.0), lines, []) == ["in_function g", "in_call futex", "but in_function f"]
    assert named(EQUAL, lines, []) == ["in_function g", "in_function f", "in_call futex"]


def test_four_are_named_at_most_the_largest_first() -> None:
    lines = [line("function", f"f{n}", float(n)) for n in range(2, 8)]
    finding = cause_of(("b", "a"), told(10.0), lines, counts(getppid=3.0))
    assert [cause.values["function"] for cause in finding.because] == ["f7", "f6", "f5", "f4"]
