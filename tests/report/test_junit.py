"""JUnit XML that other programs can read, whatever stands in it."""

from xml.etree import ElementTree as ET

from bakeoff.report.export import junit, junit_without_race
from tests.judge.test_ci import beside, decided, verdict


def test_a_gate_that_holds_is_a_test_that_passed() -> None:
    suite = ET.fromstring(junit(decided(verdict("holds"))))
    assert suite.attrib == {
        "name": "bakeoff",
        "tests": "1",
        "failures": "0",
        "errors": "0",
        "skipped": "0",
    }
    assert suite[0].attrib["name"] == "head >= 0.98 * base"


def test_each_of_two_figures_is_a_test_of_its_own() -> None:
    suite = ET.fromstring(junit(decided(beside(verdict("holds"), "can't tell"))))
    assert [case.attrib["name"] for case in suite] == [
        "head >= 0.98 * base",
        "head >= 0.98 * base, by server CPU",
    ]
    assert (suite.attrib["tests"], suite.attrib["skipped"]) == ("2", "1")


def test_what_cannot_be_told_is_skipped_or_fails_by_policy() -> None:
    passing = decided(verdict("can't tell"))
    failing = decided(verdict("can't tell", cant_tell="fail"))
    assert ET.fromstring(junit(passing)).attrib["skipped"] == "1"
    assert ET.fromstring(junit(failing)).attrib["failures"] == "1"


def test_what_was_not_raced_is_an_error_with_its_log() -> None:
    text = junit_without_race("error", "base does not build:\n  <error> \x1b[31m&\x00 oops")
    suite = ET.fromstring(text)
    error = suite[0].find("error")
    assert error is not None and error.text
    assert error.attrib["message"] == "base does not build:"
    assert "<error>" in error.text and "oops" in error.text
