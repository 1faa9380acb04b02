"""HAR files: what is taken, and what is left out with its count."""

from pathlib import Path

import pytest

from bakeoff.traffic import read_har
from tests.traffic.recorded import binary, entry, har


def test_the_requests_to_the_host_asked_first_are_taken(tmp_path: Path) -> None:
    path = har(
        tmp_path,
        entry("https://shop.example:443/a?b=1#c"),
        entry("https://cdn.example/x.js"),
        entry("https://cdn.example/y.js"),
        entry("http://shop.example/a?b=1"),
        entry("https://shop.example:8443/other"),
    )
    recording = read_har(path)
    assert recording.host == "shop.example"
    assert [(asked.path, count) for asked, count in recording.requests.items()] == [("/a?b=1", 2)]
    [(why, count)] = recording.left_out.items()
    assert "(cdn.example 2, shop.example:8443 1)" in why and count == 3
    assert read_har(path, "cdn.example").size == 2


@pytest.mark.parametrize(
    "left",
    [
        entry("wss://a.example/live", status=101),
        entry("https://a.example/live", _resourceType="websocket"),
        entry("data:text/plain,x"),
        entry("chrome-extension://abc/x.js"),
        entry("http://[::1/"),
        entry("https://a.example/", "OPTIONS"),
        entry("https://a.example/", "CONNECT"),
        entry("https://a.example/", _fromCache="disk"),
        entry("https://a.example/", status=0),
        entry("https://a.example/", status=503),
        entry("https://a.example/", "POST", body="\ufffd\ufffd"),
        entry("https://a.example/live", kind="text/event-stream"),
        {"request": {"method": "GET"}},
    ],
)
def test_what_cannot_be_sent_again_is_counted(left: dict[str, object], tmp_path: Path) -> None:
    recording = read_har(har(tmp_path, entry("https://a.example/"), left))
    assert (recording.size, list(recording.left_out.values())) == (1, [1])


def test_a_body_that_the_har_lacks_is_counted(tmp_path: Path) -> None:
    lacking = entry("https://a.example/", "POST")
    lacking["request"]["bodySize"] = 12
    in_parts = entry("https://a.example/", "POST", body="")
    in_parts["request"]["postData"]["params"] = [{"name": "file", "fileName": "a.png"}]
    recording = read_har(har(tmp_path, lacking, in_parts))
    assert list(recording.left_out.values()) == [2]


def test_bytes_are_as_they_were_and_a_copy_of_the_browsers_is_asked_for(tmp_path: Path) -> None:
    sent = binary("https://a.example/", b"\xff\x00")
    copied = entry("https://a.example/b", status=304)
    first, second = read_har(har(tmp_path, sent, copied)).requests
    assert first.body == b"\xff\x00"
    assert second.status == 200
