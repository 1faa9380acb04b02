"""A judged race for the report's tests; the modules beside it have results of the other kinds."""

from tests.report.sample.race import machine, plan, receipts, records, verdict

__all__ = ["machine", "plan", "receipts", "records", "verdict"]
