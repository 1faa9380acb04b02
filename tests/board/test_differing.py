"""Two contenders side by side: the answer to "a or b?", and where their difference lies."""

import pytest

from bakeoff.board.differing import answer, furthest, lies_in, sides
from bakeoff.board.pages import coded
from bakeoff.model.audit import Crew, Work
from bakeoff.model.board import BoardCell, BoardContender, BoardPair, BoardRow, Standing
from bakeoff.model.ratio import Ratio


def ratio(value: float) -> Ratio:
    return Ratio(ratio=value, low=value / 1.01, high=value * 1.01, n=10)


def pair(by_throughput: float, by_cpu: float | None = None) -> BoardPair:
    of = ratio(by_throughput)
    return BoardPair(
        a="a",
        b="b",
        ratio=of,
        finding=of.told(),
        equivalent=False,
        cpu_ratio=ratio(by_cpu) if by_cpu else None,
    )


def cell(name: str, **rates_and_cpu: tuple[float, float]) -> BoardCell:
    workload, protocol = name.split("/")
    rows = tuple(
        BoardRow(name=each, by={"throughput": Standing(value=rate), "cpu": Standing(value=cpu_us)})
        for each, (rate, cpu_us) in rates_and_cpu.items()
    )
    return BoardCell.model_validate(
        {
            "name": name,
            "workload": workload,
            "title": workload,
            "protocol": protocol,
            "connections": 64,
            "state": "current",
            "rows": rows,
        }
    )


def contender(name: str, work: Work | None = None) -> BoardContender:
    return BoardContender(
        name=name, title=name.upper(), language="C", kind="server", homepage="", note="", work=work
    )


def work(headers: tuple[str, ...], head_bytes: int, threads_at_work: int) -> Work:
    crew = Crew(processes=1, threads=8, processes_at_work=1, threads_at_work=threads_at_work)
    return Work(
        head_bytes=head_bytes,
        body_bytes=13,
        headers=headers,
        keeps_alive=True,
        workers=1,
        crew=crew,
    )


A, B = contender("a"), contender("b")
HELLO, JSON = cell("hello/h1"), cell("json/h1")


def test_the_faster_of_two_is_named_first_with_a_ratio_above_1() -> None:
    assert answer(A, B, [(HELLO, pair(2.0))]).startswith("A gives 2.00× ")
    assert answer(A, B, [(HELLO, pair(0.5))]).startswith("B gives 2.00× ")


def test_several_cells_are_counted_and_the_greatest_difference_is_named() -> None:
    said = answer(A, B, [(HELLO, pair(1.5)), (JSON, pair(0.25)), (HELLO, pair(1.0))])
    assert "A is ahead in 1 of 3 cells" in said and "B is ahead in 1 of 3 cells" in said
    assert "1 cell can" in said
    assert "B gives 4.00× " in said and said.endswith("in json/h1.")


def test_two_that_no_cell_tells_apart_have_no_faster_one() -> None:
    level = [(HELLO, pair(1.0))]
    assert furthest(level) is None
    assert answer(A, B, level) == "hello/h1 can’t tell A and B apart."
    assert answer(A, B, [*level, (JSON, pair(1.0))]) == "None of 2 cells tells A and B apart."


@pytest.mark.parametrize(
    ("by_cpu", "named"),
    [
        (2.0, "is CPU time"),
        (1.41, "A part"),
        (1.05, "cores are at work"),
        (0.8, "less CPU time"),
        (4.0, "greater than"),
    ],
)
def test_a_difference_lies_in_cpu_time_or_in_cores_at_work(by_cpu: float, named: str) -> None:
    assert named in lies_in(pair(2.0, by_cpu))
    assert named in lies_in(pair(1 / 2.0, 1 / by_cpu))


def test_without_a_difference_or_cpu_time_nothing_is_claimed() -> None:
    assert lies_in(pair(1.0, 1.0)) == lies_in(pair(2.0)) == ""


def test_only_properties_that_differ_are_shown_beside_cpu_time_and_cores() -> None:
    a = contender("a", work(("date", "server"), 100, 1))
    b = contender("b", work(("date",), 80, 1))
    shown = sides(a, b, cell("hello/h1", a=(100_000, 10.0), b=(50_000, 30.0)))
    assert shown == [
        ("CPU time for an answer", "10.0 µs", "30.0 µs"),
        ("cores at work", "1.0", "1.5"),
        ("head of an answer", "100 B", "80 B"),
        ("further headers", "Server", "none"),
    ]


def test_names_of_settings_in_a_note_are_code_and_the_rest_is_text() -> None:
    assert coded("`a & b` <i>") == "<code>a &amp; b</code> &lt;i&gt;"
