"""A finding as an English sentence. This is the only place where a finding is worded."""

from collections.abc import Iterable
from typing import Any

from bakeoff.model.finding import Finding
from bakeoff.report.sentences.advice import ADVICE
from bakeoff.report.sentences.several import OF_EACH, SEVERAL
from bakeoff.report.sentences.template import filled, grouped, listed, who
from bakeoff.report.sentences.texts import SENTENCES
from bakeoff.report.sentences.wordings import COMPARED_BY

__all__ = [
    "ADVICE",
    "COMPARED_BY",
    "SENTENCES",
    "SEVERAL",
    "grouped",
    "joined",
    "listed",
    "sentence",
    "sentences",
    "who",
]


def sentence(finding: Finding) -> str:
    """What the finding says, without a full stop; it begins in lower case where a name does not.

    A warning ends with what can be done about it.
    """
    code = finding.because[0].code if finding.code == "several" else finding.code
    advice = ADVICE.get(code)
    return f"{_said(finding)}; {advice}" if advice else _said(finding)


def sentences(findings: Iterable[Finding]) -> list[str]:
    """One for each."""
    return [sentence(each) for each in findings]


def joined(findings: Iterable[Finding]) -> str:
    """All of them as one clause, without advice; empty where there are none."""
    return "; ".join(_said(each) for each in findings)


def _said(finding: Finding) -> str:
    if finding.code == "several":
        return _of_several(finding)
    worded, values = SENTENCES[finding.code], dict[str, Any](finding.values)
    because = "" if finding.code in OF_EACH else joined(finding.because)
    if isinstance(worded, str):
        return filled(worded, values | {"because": because})
    return worded(**values, because=because) if because else worded(**values)


def _of_several(finding: Finding) -> str:
    """One sentence on contenders with the same warning: each value is the list of theirs."""
    names, first = finding.values["names"], finding.because[0]
    values: dict[str, Any] = {
        key: [value for each in finding.because if (value := each.values[key]) is not None]
        for key in first.values
    }
    return filled(SEVERAL[first.code], values | {"names": names, "because": joined(first.because)})
