"""What is said of an audit."""

from bakeoff.report.kinds.audit import document
from tests.report.documents import audited


def test_an_audit_without_a_difference_says_so() -> None:
    equal = audited().model_copy(update={"unequal": ()})
    assert document(equal).headline == "No unequal work was found among 6 contenders."
