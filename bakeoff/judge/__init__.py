"""The judge: which entry is faster, by how much, how sure. Pure, and the same for the same seed."""

from bakeoff.judge.verdict import judge

__all__ = ["judge"]
