"""An interval without an end is an arrow, readable without colour."""

import json

import pytest

from bakeoff.report.charts.forest import Group, Line, forest, open_ended
from bakeoff.report.charts.theme import WIDE, to_svg


@pytest.mark.parametrize(
    ("low", "high", "arrows"), [(1.9, 2.1, 0), (1.9, None, 1), (None, 2.1, 1), (None, None, 2)]
)
def test_each_missing_end_is_an_arrow(low: float | None, high: float | None, arrows: int) -> None:
    line = Line("a", 2.0, low, high, "a", "figure")
    drawing = forest([Group([line])], {"a": ("circle", "#000000")}, WIDE, legend=False)
    spec = drawing.to_dict(validate=False)
    shapes = [
        json.loads(spec["datasets"][layer["data"]["name"]])
        for layer in spec["layer"]
        if "triangle" in str(layer.get("mark", {}).get("shape", ""))
    ]
    assert sum(len(rows) for rows in shapes) == arrows
    assert ("arrow" in open_ended([line])) == bool(arrows)
    assert to_svg(drawing, WIDE, "forest", "a forest plot").startswith("<svg ")
