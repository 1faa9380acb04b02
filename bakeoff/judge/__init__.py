"""The judge: which entry is faster, by how much and how surely. Pure: one seed gives one result."""

from bakeoff.judge.capacity import fit, judge_capacity
from bakeoff.judge.claims import Evidence, RaceEvidence, ToolEvidence, agreement, decide
from bakeoff.judge.crossing import Held, hold
from bakeoff.judge.day import judge_day
from bakeoff.judge.day_figures import recovered_after_ms
from bakeoff.judge.fairness import unequal, works_of
from bakeoff.judge.gate import DECIDED_DRAWS, judge_ci
from bakeoff.judge.prediction import predicted
from bakeoff.judge.runs import Run, compare_runs, confirmed
from bakeoff.judge.stacks import flames
from bakeoff.judge.standings import changes_of_places, leaders
from bakeoff.judge.verdict import judge
from bakeoff.judge.why import judge_why
