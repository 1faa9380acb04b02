"""Access logs in the formats that servers write."""

import gzip
import json
from pathlib import Path

import pytest

from bakeoff.traffic import read_access_log
from tests.traffic.recorded import combined, log, written

# As nginx, Caddy and Traefik write JSON.
NGINX = {"time": "t", "request": "GET /a?b=1 HTTP/1.1", "status": "200", "http_host": "s.example"}
NGINX_KEYS = {"request_method": "GET", "request_uri": "/a?b=1", "status": 200, "host": "s.example"}
CADDY = {
    "logger": "http.log.access",
    "msg": "handled request",
    "request": {"method": "GET", "host": "s.example", "uri": "/a?b=1", "proto": "HTTP/2.0"},
    "status": 200,
}
TRAEFIK = {
    "RequestMethod": "GET",
    "RequestPath": "/a?b=1",
    "RequestHost": "s.example",
    "DownstreamStatus": 200,
}


@pytest.mark.parametrize(
    ("line", "host"),
    [
        ('1.2.3.4 - - [t] "GET /a?b=1 HTTP/1.0" 200 2326', None),
        ('1.2.3.4 - frank smith [t] "GET /a?b=1 HTTP/1.1" 200 - "http://x/" "curl"', None),
        ('::1 - - [t] "GET /a?b=1 HTTP/1.1" 304 0 "-" "a \\"b\\"" 0.001 "more"', None),
        ('s.example:80 1.2.3.4 - - [t] "GET /a?b=1 HTTP/1.1" 200 5 "-" "-"', "s.example"),
        ('1.2.3.4 - - [t] "GET http://s.example/a?b=1 HTTP/1.1" 206 5', "s.example"),
        (json.dumps(NGINX), "s.example"),
        (json.dumps(NGINX_KEYS), "s.example"),
        (json.dumps(CADDY), "s.example"),
        (json.dumps(TRAEFIK), "s.example"),
    ],
)
def test_each_format_says_what_was_asked(line: str, host: str | None, tmp_path: Path) -> None:
    recording = read_access_log(log(tmp_path, line, line))
    assert recording.host == host
    [(asked, count)] = recording.requests.items()
    assert (asked.method, asked.path, asked.status, count) == ("GET", "/a?b=1", 200, 2)


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    path = log(
        tmp_path,
        combined("/"),
        "",
        "garbage",
        combined("/cart", "POST"),
        combined("/cart", "POST"),
        combined("/", status=502),
        combined("/", status=101),
        r'1.2.3.4 - - [t] "\x16\x03\x01" 400 226 "-" "-"',
        '1.2.3.4 - - [t] "-" 408 0 "-" "-"',
        json.dumps(NGINX | {"request": "", "status": "400"}),
        '{"level": "info", "msg": "serving"}',
    )
    recording = read_access_log(path)
    assert recording.size == 1
    assert sorted(recording.left_out.values()) == [1, 1, 2, 3]
    assert [count for why, count in recording.left_out.items() if "POST" in why] == [2]
    [note] = recording.notes
    assert note.startswith("2 lines ") and " line 3 " in note


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        (b"/caf\xe9", "/caf%E9"),
        (rb"/caf\xe9", "/caf%E9"),
        ("/café".encode(), "/caf%C3%A9"),
        (rb"/caf\xC3\xA9", "/caf%C3%A9"),
    ],
)
def test_bytes_of_a_path_are_asked_for_as_they_were(
    written: bytes, asked: str, tmp_path: Path
) -> None:
    path = tmp_path / "access.log"
    path.write_bytes(combined("/x").encode().replace(b"/x", written))
    [found] = read_access_log(path).requests
    assert found.path == asked


def test_a_host_that_is_no_name_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    line = combined("/", before="HOST:80 ").encode()
    path.write_bytes(line + b"\n" + line.replace(b"HOST", b"h\xe9"))
    recording = read_access_log(path)
    assert (recording.host, recording.left_out.total()) == ("HOST", 1)


def test_of_several_hosts_the_one_asked_most_is_taken(tmp_path: Path) -> None:
    often, rarely = combined("/", before="a.example:443 "), combined("/", before="b.example:443 ")
    path = log(tmp_path, rarely, often, often)
    recording = read_access_log(path)
    assert (recording.host, recording.size) == ("a.example", 2)
    [(why, count)] = recording.left_out.items()
    assert "(b.example 1)" in why and count == 1
    assert read_access_log(path, "b.example").size == 1


def test_a_rotated_log_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "access.log.2.gz"
    path.write_bytes(gzip.compress(combined("/").encode()))
    assert read_access_log(path).size == 1


@pytest.mark.parametrize("secret", ["password=hunter2hunter2", "/r/" + "3f786850e387550fdab8" * 4])
def test_a_line_that_can_t_be_read_is_shown_without_its_secrets(
    secret: str, tmp_path: Path
) -> None:
    path = log(tmp_path, f"10.0.0.1 GET /a {secret}", combined("/"))
    text = written(read_access_log(path))
    assert ": 10.0.0.1 GET /a" in text
    assert "LEFT-OUT" in text and secret[-10:] not in text and secret[3:15] not in text
