"""What a load tool is asked to do."""

import pytest

from bakeoff.model.errors import BadUsage
from tests.load.tools.given import asked


@pytest.mark.parametrize(("requests", "duration_s"), [(None, None), (100, 1.0)])
def test_a_run_ends_after_requests_or_after_a_time(
    requests: int | None, duration_s: float | None
) -> None:
    with pytest.raises(BadUsage, match="either a number of requests or a duration"):
        asked(requests=requests, duration_s=duration_s)


def test_a_host_that_the_url_says_is_no_header_of_its_own() -> None:
    assert asked(headers=(("Accept", "*/*"),)).sent_headers == (("Accept", "*/*"),)


def test_another_host_than_the_urls_is_sent_as_a_header() -> None:
    assert asked(host="example.org").sent_headers == (("Host", "example.org"),)


@pytest.mark.parametrize(("asked_s", "whole_s"), [(0.2, 1), (1.0, 1), (1.1, 2), (30.0, 30)])
def test_seconds_are_rounded_up_for_tools_that_know_no_fractions(
    asked_s: float, whole_s: int
) -> None:
    assert asked(duration_s=asked_s).whole_seconds == whole_s
