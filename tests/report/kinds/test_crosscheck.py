"""What is said of a crosscheck."""

from bakeoff.model.crosscheck import FIGURES, Crosscheck
from bakeoff.model.ratio import Ratio
from bakeoff.report.kinds.crosscheck import document
from tests.report.render.test_terminal import printed
from tests.report.sample.crosscheck import compared, crosscheck, loading
from tests.runs.test_crosscheck import plan


def said(result: Crosscheck) -> str:
    return printed(document(result), 200)


def test_a_latency_that_was_rounded_to_nothing_has_bounds_alone() -> None:
    assert "? below 1.35×" in said(crosscheck())
    nothing = {"ratio": Ratio(ratio=1.2, low=1.2, high=None, n=10), "finding": "differs"}
    above = tuple(compared("engine", "ab", figure=figure, **nothing) for figure in FIGURES)
    assert "≠ above 1.20×" in said(crosscheck(compared=above))


def test_of_close_mode_wrks_own_way_is_said() -> None:
    assert "wrk asks for a close by a header" in said(crosscheck(plan=plan(connection="close")))
    assert "by a header" not in said(crosscheck())


def test_one_that_was_ended_says_so() -> None:
    assert "It was ended before its time." in said(crosscheck(complete=False))
    assert "at 1,000 requests/s, each on" in said(crosscheck(plan=plan(rate=1000)))


def test_without_a_comparison_it_says_why() -> None:
    failed = loading("engine", n=0, figures={}, failures=("it could not",))
    text = said(crosscheck(loadings=(failed,), compared=()))
    assert text.startswith("Nothing to compare")
    assert "volley load: it could not" in text
