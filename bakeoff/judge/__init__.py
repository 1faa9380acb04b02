"""The judge: which entry is faster, by how much, how sure. Pure, and the same for the same seed."""

from bakeoff.judge.claims import decide
from bakeoff.judge.evidence import Evidence, RaceEvidence, ToolEvidence, agreement
from bakeoff.judge.verdict import judge

__all__ = ["Evidence", "RaceEvidence", "ToolEvidence", "agreement", "decide", "judge"]
