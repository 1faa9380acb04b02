"""What is in a picture: its elements with their places, its words, what its marks say."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from bakeoff.report.charts.svg import length, svg
from bakeoff.report.document import NARROW, WIDE, Chart, Frame

SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Placed:
    node: ET.Element
    right: float
    down: float

    def __getitem__(self, name: str) -> float:
        return float(self.node.attrib[name])

    @property
    def text(self) -> str:
        return "".join(self.node.itertext())

    @property
    def box(self) -> tuple[float, float, float, float]:
        """A text's left, top, right and bottom, as wide as it is taken to be."""
        width = length(self.text)
        before = {"start": 0.0, "middle": 0.5, "end": 1.0}
        left = self["x"] + self.right - width * before[self.node.attrib.get("text-anchor", "start")]
        base = self["y"] + self.down
        return left, base - 9, left + width, base + 2


def root(chart: Chart, frame: Frame = WIDE) -> ET.Element:
    return ET.fromstring(svg(chart, frame))


def placed(root: ET.Element, name: str) -> list[Placed]:
    return [each for each in _placed(root, 0, 0) if each.node.tag == SVG + name]


def _placed(node: ET.Element, right: float, down: float) -> Iterator[Placed]:
    moved = node.attrib.get("transform", "translate(0 0)")
    x, y = map(float, moved.removeprefix("translate(").removesuffix(")").split())
    yield Placed(node, right + x, down + y)
    for inner in node:
        yield from _placed(inner, right + x, down + y)


def texts(chart: Chart, frame: Frame = WIDE) -> list[str]:
    return [each.text for each in placed(root(chart, frame), "text")]


def overlapping(chart: Chart, frame: Frame) -> list[tuple[str, str]]:
    found = placed(root(chart, frame), "text")
    return [(a.text, b.text) for a, b in combinations(found, 2) if _meet(a.box, b.box)]


def _meet(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def marks(chart: Chart) -> list[str]:
    """What the marks of a picture say; both drawings say the same."""
    wide, narrow = (
        [
            each.attrib["aria-label"]
            for each in root(chart, frame).iter()
            if "tabindex" in each.attrib
        ]
        for frame in (WIDE, NARROW)
    )
    assert wide == narrow
    return wide
