"""The page has every message: each place that makes one is reached by a case, or excused."""

from collections.abc import Iterable, Mapping

import pytest

from tests.messages import unreached
from tests.messages.page import PAGE, SECTIONS, check, reached
from tests.messages.sites import sites
from tests.messages.texts import texts


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_is_what_its_inputs_give(name: str) -> None:
    if name == "cluster":
        pytest.importorskip("ray", reason="Ray is not installed (requirements/cluster.txt)")
    check(SECTIONS[name])


def excused(reasons: Mapping[str, Iterable[str]]) -> set[str]:
    return {name for names in reasons.values() for name in names}


def test_every_error_is_made_for_a_case_or_has_a_reason_not_to_be() -> None:
    names = {site.name for site in sites()}
    assert names - reached() == excused(unreached.SITES)


def test_every_fault_text_is_on_the_page_or_has_a_reason_not_to_be() -> None:
    page = PAGE.read_text()
    missing = {text.name for text in texts() if not text.pattern.search(page)}
    assert missing == excused(unreached.TEXTS)


def test_what_is_reached_is_there() -> None:
    assert reached() <= {site.name for site in sites()}
