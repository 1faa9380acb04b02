"""A race made up for the report's tests: five contenders, a twin, a tie, one invalid, one skipped.

Seeded, so that every figure is the same each time. The noise has the shape of the real thing: a
slow drift that all share, a constant per boot, and a heavy tail per slice.
"""

from tests.report.sample.plans import machine, plan, receipts
from tests.report.sample.records import records
from tests.report.sample.verdicts import verdict

__all__ = ["machine", "plan", "receipts", "records", "verdict"]
