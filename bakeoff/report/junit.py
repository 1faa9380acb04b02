"""JUnit XML, as GitLab, Jenkins and others show it: a test case for each gate."""

from xml.etree import ElementTree as ET

from bakeoff.model.ci import Ci
from bakeoff.report.document import printable
from bakeoff.report.kinds.ci import headline
from bakeoff.report.kinds.shared import gate, gate_text

SUITE = "bakeoff"


def junit(result: Ci) -> str:
    """Each gate: failed, skipped where it can't be told and passes, or passed."""
    suite = _suite(len(result.race.gates))
    for each in result.race.gates:
        case = ET.SubElement(suite, "testcase", classname=SUITE, name=printable(gate_text(each)))
        said = gate(each, result.race.ranked_by).text
        if result.outcome == "not raced":
            _add(suite, case, "error", headline(result))
        elif not each.passes:
            _add(suite, case, "failure", said)
        elif each.outcome == "can't tell":
            _add(suite, case, "skipped", said)
        ET.SubElement(case, "system-out").text = printable(f"{headline(result)} {said}")
    return _text(suite)


def junit_without_race(kind: str, message: str) -> str:
    """One case that was not raced; `kind` is `error` or `skipped`."""
    suite = _suite(1)
    case = ET.SubElement(suite, "testcase", classname=SUITE, name="base and head are raced")
    _add(suite, case, kind, message)
    return _text(suite)


def _suite(tests: int) -> ET.Element:
    counts = {"tests": str(tests), "failures": "0", "errors": "0", "skipped": "0"}
    return ET.Element("testsuite", {"name": SUITE, **counts})


def _add(suite: ET.Element, case: ET.Element, kind: str, message: str) -> None:
    first, *_ = message.splitlines()
    told = ET.SubElement(case, kind, message=printable(first))
    told.text = "\n".join(map(printable, message.splitlines()))
    counter = {"failure": "failures", "error": "errors", "skipped": "skipped"}[kind]
    suite.set(counter, str(int(suite.get(counter, "0")) + 1))


def _text(suite: ET.Element) -> str:
    ET.indent(suite)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(suite, encoding="unicode")}\n'
