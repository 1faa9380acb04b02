"""The judge: which entry is faster, by how much, how sure. Pure, and the same for the same seed."""

from bakeoff.judge.capacity import fit, judge_capacity
from bakeoff.judge.claims import decide
from bakeoff.judge.confirm import confirmed
from bakeoff.judge.crosscheck import crosscheck
from bakeoff.judge.evidence import Evidence, RaceEvidence, ToolEvidence, agreement
from bakeoff.judge.fairness import unequal
from bakeoff.judge.grid import changes_of_places, leaders
from bakeoff.judge.runs import Run, compare_runs
from bakeoff.judge.slo import Held, hold
from bakeoff.judge.verdict import judge
from bakeoff.judge.work import works_of

__all__ = [
    "Evidence",
    "Held",
    "RaceEvidence",
    "Run",
    "ToolEvidence",
    "agreement",
    "changes_of_places",
    "compare_runs",
    "confirmed",
    "crosscheck",
    "decide",
    "fit",
    "hold",
    "judge",
    "judge_capacity",
    "leaders",
    "unequal",
    "works_of",
]
