"""The picture of two runs: what changed between them."""

from bakeoff.model.compare import RunsComparison
from bakeoff.report import figures
from bakeoff.report.charts.forest import Group, Lane, forest, open_ended, spoken
from bakeoff.report.charts.palette import colours
from bakeoff.report.document import Chart


def changes(compared: RunsComparison) -> Chart | None:
    changed = [each for each in compared.changes if each.name != compared.reference]
    hues = colours([each.name for each in changed if each.ratio])
    lanes = [
        Lane(each.name, (figures.ratio_of(each.ratio),), each.ratio, hues[each.name])
        for each in changed
        if each.ratio
    ]
    if not lanes:
        return None
    return Chart(
        slug="changes",
        title="What changed",
        reading=(
            f"Each contender’s ratio to {compared.reference} in the later run, over that in the"
            " earlier one; each line is a simultaneous 95 % interval. Further right is faster than"
            f" it was; an interval that holds 1× is a tie.{open_ended(lanes)}"
        ),
        alt_text=f"The later ratio over the earlier one: {spoken(lanes)}.",
        draw=lambda frame: forest([Group(lanes)], "later over earlier, logarithmic", frame),
    )
