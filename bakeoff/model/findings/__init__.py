"""The table of all findings: every text about a finding is made from its row."""

from collections.abc import Mapping

from bakeoff.model.findings.causes import CAUSES
from bakeoff.model.findings.comparisons import CAPACITIES, NO_FIGURE, RUNS, STEPS
from bakeoff.model.findings.contenders import ENTRIES, INVALID, LOWER_BOUNDS
from bakeoff.model.findings.days import DAY
from bakeoff.model.findings.fairness import BY_CPU, UNEQUAL_WORK
from bakeoff.model.findings.races import LOADERS, RACES, REQUESTS, SHARED
from bakeoff.model.findings.row import Row
from bakeoff.model.findings.streams import NOT_HELD, STREAMS
from bakeoff.model.findings.values import VALUES, Value

SUBJECTS: Mapping[str, Mapping[str, Row]] = {
    "Why a contender's figures don't count": {**INVALID, **NOT_HELD},
    "Why a contender's figures are lower bounds": LOWER_BOUNDS,
    "Warnings about a contender": {**ENTRIES, **STREAMS},
    "Requests of a mix that disagree": REQUESTS,
    "Warnings about a race": RACES,
    "Warnings about load generators": LOADERS,
    "What several contenders have in common": SHARED,
    "Where contenders' work is unequal": UNEQUAL_WORK,
    "Where the verdict by server CPU differs": BY_CPU,
    "Why a figure is missing": NO_FIGURE,
    "A day": DAY,
    "Two runs": RUNS,
    "A step of a line over time": STEPS,
    "A capacity": CAPACITIES,
    "Where a difference comes from": CAUSES,
}
"""The rows of each subject by their codes, in the order of the documents."""

CODES: Mapping[str, Row] = {code: row for rows in SUBJECTS.values() for code, row in rows.items()}
WARNINGS_OF_ENTRIES: Mapping[str, Row] = {**ENTRIES, **STREAMS}
WARNINGS_OF_RACES: Mapping[str, Row] = {**RACES, **LOADERS, **SHARED}


def example(code: str) -> dict[str, Value]:
    """The values of an example of this code."""
    row = CODES[code]
    return {name: VALUES[name].example for name in row.values} | dict(row.example)
