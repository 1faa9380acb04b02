"""What an audit prints."""

import io

import pytest
from rich.console import Console

from bakeoff.model.audit import AuditReport
from bakeoff.report import Audited
from tests.report import sample
from tests.report.golden import same_as_golden


def found(**changed: object) -> AuditReport:
    verdict = sample.verdict()
    report = AuditReport(
        workload="hello",
        connections=64,
        works={entry.name: entry.work for entry in verdict.entries if entry.work},
        unequal=verdict.fairness,
        skipped=verdict.skipped,
    )
    return report.model_copy(update=changed)


def printed(report: AuditReport, width: int) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(Audited(report))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


@pytest.mark.parametrize("width", [80, 120])
def test_as_it_is_piped(width: int) -> None:
    text = printed(found(), width)
    same_as_golden(f"audit-{width}.txt", text)
    assert all(len(line) <= width for line in text.splitlines())


def test_equal_work_is_said_too() -> None:
    assert "No unequal work was found." in printed(found(unequal=()), 80)


def test_words_from_outside_are_no_commands() -> None:
    assert "\x1b" not in printed(found(unequal=("\x1b[2J",)), 80)
