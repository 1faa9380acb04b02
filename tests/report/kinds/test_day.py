"""What is said of a day."""

import pytest

from bakeoff.model.day import Day
from bakeoff.report.document import Table
from bakeoff.report.kinds.day import document
from tests.report.render.test_terminal import printed
from tests.report.sample.day import NAMES, day, line, pair, value


def said(result: Day) -> str:
    return " ".join(printed(document(result), 200).split())


def row(result: Day, title: str, begins: str) -> tuple[str, ...]:
    """A line of one of its tables."""
    made = document(result)
    tables = [block for block in (*made.summary, *made.detail) if isinstance(block, Table)]
    rows = next(table.rows for table in tables if table.title == title)
    return next(each.cells for each in rows if each.cells[0].startswith(begins))


def test_each_phase_is_a_line_with_its_best_its_ties_and_its_intervals() -> None:
    made = day()
    assert row(made, "The day", "cold start") == (
        "cold start, time", "= 3.10 ms", "= 3.13 ms", "6.20 ms"
    )  # fmt: skip
    assert row(made, "Ratios to ada", "cold start") == (
        "cold start, time", "= 0.990× (0.952 to 1.031)", "✗ 0.500× (0.481 to 0.521)"
    )  # fmt: skip
    assert row(made, "The day", "recovery")[1:] == ("? 55.0 ms", "? 62.0 ms", "410 ms")
    assert row(made, "The day", "storm")[1:] == ("✓ 130 ms", "150 ms", "out")
    assert row(made, "The day", "300 %")[1] == "= 97.0 %"


def test_of_each_main_figure_there_is_one_line_and_the_others_are_in_the_detail() -> None:
    made = day()
    assert len(document(made).summary[0].rows) == 7  # type: ignore[union-attr]
    assert row(made, "Further figures", "10 %")[1:] == ("= 90.0 µs", "= 91.0 µs", "180 µs")


def test_the_headline_counts_who_is_best() -> None:
    assert said(day()).startswith("Of 7 lines, ada is best on 1 and 6 are a tie or can't be told.")
    assert "It was ended before its time." in said(day(complete=False))
    alone = line("peak", "requests_per_s", 1.0, 2.0, 3.0).model_copy(update={"pairs": ()})
    assert "8 rounds of all phases: too few for a ratio." in said(day(lines=(alone,)))


def test_what_each_does_beyond_its_capacity_is_told_by_name() -> None:
    text = said(day())
    assert "ada: answers_late 3.0" in text
    assert "bob: refuses 3.0" in text
    assert "cy: times_out 3.0 0.12" in text


def test_who_is_out_of_a_phase_and_why_is_said() -> None:
    text = said(day())
    assert "cy: died_in_phase storm 8" in text
    assert "dan: needs go" in text
    assert "no_energy" in text


@pytest.mark.parametrize("name", NAMES)
def test_every_row_of_the_data_is_whole(name: str) -> None:
    rows = [each for each in document(day()).data if each["contender"] == name]
    assert {each["phase"] for each in rows} >= {"start", "peak", "storm"}
    assert all("value" in each or each["ratio_low_95"] for each in rows)


def test_a_pair_can_be_turned_round() -> None:
    turned = pair("ada", "bob", 2.0, "better").turned()
    assert (turned.a, turned.ratio.ratio, turned.finding) == ("bob", 0.5, "worse")
    assert turned.ratio.low == pytest.approx(1 / 2.08) and value("ada", None).value is None
