"""A crosscheck in a terminal."""

import io
from typing import Any

import pytest
from rich.console import Console

from bakeoff.model.crosscheck import FIGURES, Compared, Crosscheck, Loading
from bakeoff.model.plan import Skipped
from bakeoff.report import Crosschecked
from tests.judge.races import MACHINE
from tests.race.test_crosscheck import plan
from tests.report.golden import same_as_golden
from tests.report.test_terminal import without_trailing_spaces


def loading(loader: Any, factor: float = 1.0, **changed: Any) -> Loading:
    usual = (48_000.0, 1230.0, 2440.0, 9120.0)
    return Loading.model_validate(
        {
            "loader": loader,
            "command": (loader,),
            "http": "1.1",
            "n": 10,
            "figures": {key: each * factor for key, each in zip(FIGURES, usual, strict=True)},
            "failures": (),
            "errors": {},
            **changed,
        }
    )


def compared(of: Any, over: Any, **changed: Any) -> Compared:
    usual = {"ratio": 1.01, "low": 0.97, "high": 1.05, "n": 10, "finding": "agrees"}
    return Compared.model_validate(
        {"figure": "requests_per_s", "of": of, "over": over, **usual, **changed}
    )


def found(**changed: Any) -> Crosscheck:
    apart = {"ratio": 0.5, "low": 0.48, "high": 0.52, "finding": "differs"}
    higher = {"ratio": 2.31, "low": 2.1, "high": 2.55, "finding": "differs", "why": "it corrects"}
    coarse = "ab prints no finer than 1 ms"
    nothing = {"ratio": None, "low": 0.0, "high": 1.35, "finding": "can't tell", "why": coarse}
    usual: dict[str, Any] = {
        "plan": plan(),
        "complete": True,
        "loadings": (
            loading("engine"),
            loading("wrk"),
            loading("ab", 0.5, http="1.0", figures={"requests_per_s": 24_000.0, "p50": 0.0}),
            loading("volley-ab", 0.5, http="1.0", errors={"status": 12_000, "read": 1}),
            loading("hey", n=0, figures={}, failures=("hey was ended by SIGKILL",)),
        ),
        "skipped": (
            Skipped(name="oha", reason="oha is not installed: cargo install oha"),
            Skipped(name="wrk2", reason="wrk2 needs a rate"),
            Skipped(name="volley-wrk2", reason="wrk2 needs a rate"),
        ),
        "compared": (
            *(compared("wrk", "engine", figure=figure) for figure in FIGURES[:3]),
            compared("wrk", "engine", figure="p99", **higher),
            compared("ab", "engine", **apart),
            *(compared("ab", "engine", figure=figure, **nothing) for figure in FIGURES[1:]),
            *(compared("volley-ab", "ab", figure=figure) for figure in FIGURES),
        ),
        "runs": (),
        "machine": MACHINE,
    }
    return Crosscheck.model_validate(usual | changed)


def printed(crosscheck: Crosscheck, width: int = 140) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(Crosschecked(crosscheck))
    return without_trailing_spaces(out.getvalue())


@pytest.mark.parametrize("width", [80, 140])
def test_as_it_is_piped(width: int) -> None:
    same_as_golden(f"crosscheck-{width}.txt", printed(found(), width))


@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_no_width_cuts_a_figure(width: int) -> None:
    text = printed(found(), width)
    assert all(len(line) <= width for line in text.splitlines())
    for figure in ("≠ 0.500× (0.480 to 0.520)", "= 1.010× (0.970 to 1.050)", "48,000", "9.12 ms"):
        assert figure in text


def test_each_pair_says_in_what_it_differs_first() -> None:
    text = printed(found())
    assert "≠ wrk and volley load differ in p99; agree in requests/s, p50 and p90" in text
    assert "can't be told apart in p50, p90 and p99" in text
    assert "= volley ab and ab agree in requests/s, p50, p90 and p99" in text


def test_a_latency_that_was_rounded_to_nothing_has_bounds_alone() -> None:
    assert "? below 1.35×" in printed(found())
    nothing = {"ratio": None, "low": 1.2, "high": None, "finding": "differs"}
    above = tuple(compared("engine", "ab", figure=figure, **nothing) for figure in FIGURES)
    assert "≠ above 1.20×" in printed(found(compared=above))


def test_what_must_be_known_is_said() -> None:
    text = printed(found(), 200)
    assert "ab and volley ab speak HTTP/1.0, the others HTTP/1.1: unequal work" in text
    assert "volley ab: errors in its runs: 12,000 status and 1 read" in text
    assert "hey: hey was ended by SIGKILL" in text
    assert "oha did not run: oha is not installed: cargo install oha" in text
    assert "wrk2 and volley wrk2 did not run: wrk2 needs a rate" in text
    assert "ab / volley load, p50, p90 and p99: ab prints no finer than 1 ms" in text
    assert (
        "10 rounds of 2 s each in random order, 64 connections, keep-alive, as fast as it goes,"
        " each on core 1."
    ) in text


def test_of_close_mode_wrks_own_way_is_said() -> None:
    assert "wrk asks for a close by a header" in printed(found(plan=plan(connection="close")), 200)
    assert "by a header" not in printed(found(), 200)


def test_one_that_was_ended_says_so() -> None:
    assert "It was ended before its time." in printed(found(complete=False), 200)
    assert "at 1,000 requests/s, each on" in printed(found(plan=plan(rate=1000)), 200)


def test_without_a_comparison_it_says_why() -> None:
    failed = loading("engine", n=0, figures={}, failures=("it could not",))
    text = printed(found(loadings=(failed,), compared=()))
    assert "volley load: it could not" in text
