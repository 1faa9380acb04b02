"""Runs: measured in a folder, continued, judged and reported; all kinds live alike."""

# Each kind that is installed registers itself.
from bakeoff.runs import kinds
from bakeoff.runs.life import execute, listed, report, resume
from bakeoff.runs.measuring.audit import audit
from bakeoff.runs.run import AnyRun, Run, create, open_run
from bakeoff.runs.stages import Stages, Watch
