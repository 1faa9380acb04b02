"""What a request costs, from draws that were made up."""

from typing import Any

import numpy as np
import pytest

from bakeoff.judge.history import History
from bakeoff.judge.lines import cost_lines, cpu_us_per_answer, energy_uj_per_answer
from bakeoff.model.capacity import CostAt, CostFigure, CostLine
from bakeoff.model.readings import CpuTime, Memory
from bakeoff.model.samples import Costs, CostSlice, Rested, Slice
from tests.judge.races import MS, event

REST_MS = 200


def cpu(ns: float) -> CpuTime:
    return CpuTime(total_ns=round(ns), user_ns=round(ns), system_ns=0)


def slice_of(name: str, us_per_answer: float, answers: int = 400, idle: float = 0.0) -> Slice:
    """A slice of 400 ms."""
    done = event(requests=answers, requests_all=answers, start_ns=0, end_ns=400 * MS)
    used_ns = 1e3 * us_per_answer * answers + idle * 400 * MS
    return Slice(
        entry=name,
        event=done,
        server_cpu=cpu(used_ns),
        leak_ns=None,
        leak_wall_ns=None,
        rate=max(1.0, answers / 0.4),
    )


def draw(number: int, us: dict[str, float], *, idle: float = 0.0, **changed: Any) -> Costs:
    """Both loads of all of `us`, which has what an answer costs, µs."""
    loads: tuple[CostAt, ...] = ("share", "equal")
    return Costs(
        boot=number % 3,
        draw=number,
        rested=Rested(
            lasted_ns=REST_MS * MS,
            cpu={name: cpu(idle * REST_MS * MS) for name in us},
            energy_uj=changed.get("rest_uj"),
        ),
        slices=tuple(
            CostSlice(
                at=at,
                slice=slice_of(name, each, 200 if at == "equal" else 400, idle),
                lasted_ns=400 * MS,
                energy_uj=changed.get("used_uj"),
                memory=Memory(pss_mib=changed.get("mib", 20.0), processes=1),
            )
            for at in loads
            for name, each in us.items()
        ),
    )


def lines(draws: list[Costs], *names: str) -> dict[tuple[CostAt, CostFigure], CostLine]:
    found = cost_lines(History.of(draws), names)
    return {(line.at, line.figure): line for line in found}


def test_what_is_used_at_rest_is_no_cost_of_a_request() -> None:
    # A tenth of a core at rest: 40 ms of the 400.
    assert cpu_us_per_answer(slice_of("a", 50, idle=0.1), 0.1, 400 * MS) == pytest.approx(50)
    assert cpu_us_per_answer(slice_of("a", 50), 1.0, 400 * MS) is None, "nothing is left"
    assert cpu_us_per_answer(slice_of("a", 50), None, 400 * MS) is None, "it can't be seen"
    assert cpu_us_per_answer(slice_of("a", 50, answers=0), 0.0, 400 * MS) is None


def test_energy_is_that_above_rest() -> None:
    slice_ = slice_of("a", 50, answers=1000)
    assert energy_uj_per_answer(slice_, 8_000, 400 * MS, 1_500, 200 * MS) == pytest.approx(5)
    assert energy_uj_per_answer(slice_, None, 400 * MS, 1_500, 200 * MS) is None
    assert energy_uj_per_answer(slice_, 3_000, 400 * MS, 1_500, 200 * MS) is None


def test_who_costs_more_is_told_and_who_costs_the_same_is_a_tie() -> None:
    rng = np.random.default_rng(4)

    def some(us: float) -> float:
        return us * float(np.exp(rng.normal(0, 0.01)))

    draws = [draw(n, {"a": some(50), "b": some(50), "c": some(75)}, idle=0.05) for n in range(9)]
    found = lines(draws, "a", "b", "c")
    assert set(found) == {
        (at, figure) for at in ("share", "equal") for figure in ("cpu_us_per_request", "memory_mib")
    }, "nobody counted energy"
    for at in ("share", "equal"):
        line = found[at, "cpu_us_per_request"]
        assert line.value("c").value == pytest.approx(75, rel=0.02) and line.value("c").n == 9
        a_b, a_c = line.pair("a", "b"), line.pair("a", "c")
        assert a_b and a_b.finding == "tie"
        assert a_c and a_c.finding == "better" and a_c.ratio.low < 1.5 < a_c.ratio.high
    assert found["share", "cpu_us_per_request"].requests_per_s["a"] == pytest.approx(1000)
    assert found["equal", "cpu_us_per_request"].requests_per_s["c"] == pytest.approx(500)


def test_too_few_draws_have_values_and_no_ratio() -> None:
    found = lines([draw(n, {"a": 50, "b": 100}) for n in range(4)], "a", "b")
    line = found["share", "cpu_us_per_request"]
    assert line.value("b").value == pytest.approx(100) and line.pairs == ()


def test_energy_has_a_line_where_it_is_counted() -> None:
    draws = [draw(n, {"a": 50, "b": 50}, rest_uj=1000, used_uj=6000) for n in range(6)]
    line = lines(draws, "a", "b")["share", "energy_uj_per_request"]
    assert line.value("a").value == pytest.approx(10)


def test_who_could_not_be_seen_has_no_value_and_the_reason() -> None:
    draws = [draw(n, {"a": 50}) for n in range(6)]
    line = lines(draws, "a", "b")["equal", "memory_mib"]
    value = line.value("b")
    assert value.value is None and value.why and value.why.code == "not_seen"
    assert list(cost_lines(History.of([]), ["a"])) == []
