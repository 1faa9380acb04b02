"""The picture of a matrix: each two contenders that met, from both sides, in the view's words."""

from bakeoff.explore.drawing.matrix import WORDS, standing
from bakeoff.model.history import Matrix
from bakeoff.model.pairs import Pair
from bakeoff.model.ratio import Ratio
from bakeoff.report import figures
from bakeoff.report.document import NARROW, WIDE
from tests.report.charts.drawn import marks, placed, root


def pair(a: str, b: str, ratio: float, *, open_ended: bool = False) -> Pair:
    ahead = "faster" if ratio > 1.01 else "slower" if ratio < 0.99 else "can't tell"
    return Pair(
        a=a,
        b=b,
        ratio=Ratio(ratio=ratio, low=ratio / 1.01, high=None if open_ended else ratio * 1.01, n=7),
        finding=ahead,
        equivalent=False,
        minimum_detectable_effect=None,
    )


def matrix(*pairs: Pair) -> Matrix:
    return Matrix(
        workload="hello",
        protocol="h1",
        load="closed, 64 connections",
        machine_class="0" * 12,
        contenders=tuple(sorted({name for pair in pairs for name in (pair.a, pair.b)})),
        pairs=pairs,
        runs=("0" * 12,) * len(pairs),
    )


def test_each_two_that_met_say_their_figure_from_both_sides() -> None:
    met = [pair("a", "b", 1.5), pair("c", "a", 1.002), pair("b", "c", 0.7, open_ended=True)]
    (drawn,) = standing(matrix(*met), "acb")
    said = marks(drawn)
    assert said == [
        f"{of.a} over {of.b}: {WORDS[of.finding]}, {figures.ratio_of(of.ratio)}, n = 7"
        for of in (met[1].turned(), met[0], met[1], met[2].turned(), met[0].turned(), met[2])
    ]
    assert drawn.alt_text.startswith("a is ahead of 1, behind 0, level with 1; c is")


def test_who_never_met_has_no_mark() -> None:
    (drawn,) = standing(matrix(pair("a", "b", 2.0), pair("b", "c", 2.0)), "abc")
    assert not [label for label in marks(drawn) if "a over c" in label or "c over a" in label]
    assert standing(matrix(), "abc") == ()


def test_ahead_behind_and_a_tie_differ_by_their_form() -> None:
    (drawn,) = standing(matrix(pair("a", "b", 1.5), pair("a", "c", 1.0)), "abc")
    forms = {
        element.attrib["aria-label"].split(": ")[1].split(",")[0]: tuple(
            inner.tag.rpartition("}")[2]
            for inner in element
            if inner.tag.endswith(("polygon", "line"))
        )
        for element in root(drawn).iter()
        if "tabindex" in element.attrib
    }
    assert forms == {"ahead": ("polygon",), "behind": ("polygon",), "can’t tell": ("line", "line")}


def test_the_tab_key_comes_by_each_row_once_and_nothing_leaves_the_picture() -> None:
    names = [f"server-{number:02}" for number in range(30)]
    pairs = [pair(a, b, 1.5) for at, a in enumerate(names) for b in names[at + 1 :]]
    (drawn,) = standing(matrix(*pairs), names)
    for frame in (WIDE, NARROW):
        picture = root(drawn, frame)
        assert sum(element.attrib.get("tabindex") == "0" for element in picture.iter()) == 30
        _, *cells = placed(picture, "rect")
        assert all(cell["x"] + cell["width"] <= frame.width + 0.1 for cell in cells)
        assert all(word.box[2] <= frame.width for word in placed(picture, "text"))
        height = float(picture.attrib["height"])
        assert all(cell["y"] + cell["height"] <= height for cell in cells)
