"""A finding as an English sentence, from its row. Nothing else words one."""

from collections.abc import Iterable
from typing import Any

from bakeoff.model.finding import Finding
from bakeoff.model.findings import CODES
from bakeoff.report.template import CALLED, filled, grouped, listed, who

__all__ = ["CALLED", "grouped", "joined", "listed", "sentence", "sentences", "who"]

OF_EACH = ("host_hides_limits", "machine_changed")
"""Findings whose `because` has those of contenders, which they take the place of."""


def sentence(finding: Finding) -> str:
    """What the finding says, without a full stop; it begins in lower case where a name does not.

    A warning ends with what can be done about it.
    """
    code = finding.because[0].code if finding.code == "several" else finding.code
    advice = CODES[code].advice
    return f"{_said(finding)}; {advice}" if advice else _said(finding)


def sentences(findings: Iterable[Finding]) -> list[str]:
    return [sentence(each) for each in findings]


def joined(findings: Iterable[Finding]) -> str:
    """All of them as one clause, without advice; empty where there are none."""
    return "; ".join(_said(each) for each in findings)


def _said(finding: Finding) -> str:
    template, values = CODES[finding.code].sentence, dict[str, Any](finding.values)
    because = "" if finding.code in OF_EACH else joined(finding.because)
    if finding.code == "several":
        first = finding.because[0]
        template, because = CODES[first.code].several, joined(first.because)
        values |= {
            key: [value for each in finding.because if (value := each.values[key]) is not None]
            for key in first.values
        }
    return filled(template, values | {"because": because})
