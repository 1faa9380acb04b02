"""Draw the README's picture from the record that the README names: python -m tests.docs.picture."""

import re
from pathlib import Path

from bakeoff.model.verdict import Verdict
from bakeoff.report.charts import race_charts
from bakeoff.report.charts.svg import alone
from bakeoff.report.document import WIDE

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "pictures" / "default-race.svg"
NAMED = re.compile(r"<!-- result of (records/\S+) -->")


def picture() -> str:
    """The ratios of the recorded race, as a run's folder has them in charts/ratios.svg."""
    named = NAMED.search((ROOT / "README.md").read_text())
    assert named
    ratios = race_charts(Verdict.read_json(ROOT / named[1]))[0]
    assert ratios
    return alone(ratios, WIDE) + "\n"


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture())
