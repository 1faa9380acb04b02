"""What each tool is told, and which loads it can't make."""

import hashlib
from typing import Any

import pytest

from bakeoff.load.tools import command
from bakeoff.model.errors import BadUsage
from bakeoff.model.load import Loader
from tests.load.tools.samples import TLS, URL, load

OLD = {"http": "1.0", "connection": "close"}
COUNTED = {"requests": 5000, "duration_s": None}
ACCEPT = (("Accept", "text/html"),)


@pytest.mark.parametrize(
    ("loader", "changes", "line"),
    [
        ("ab", OLD | COUNTED, "ab -n 5000 -c 10 -s 10 -r"),
        # More requests than the duration can use up.
        ("ab", {"http": "1.0", "duration_s": 2.5}, "ab -t 3 -n 600000 -c 10 -k -s 10 -r"),
        (
            "ab",
            {"http": "1.0", "host": "example.org", "headers": ACCEPT},
            "ab -t 1 -n 200000 -c 10 -k -s 10 -r -H Host: example.org -H Accept: text/html",
        ),
        (
            "wrk",
            {"threads": 2, "connections": 100, "duration_s": 10.0},
            "wrk -t 2 -c 100 -d 10s --latency",
        ),
        # Close is a header, and fractions of a second are rounded up.
        (
            "wrk",
            {"connection": "close", "host": "example.org", "duration_s": 0.5},
            "wrk -t 1 -c 10 -d 1s --latency -H Host: example.org -H Connection: close",
        ),
        ("wrk2", {"rate": 2000, "threads": 2}, "wrk2 -t 2 -c 10 -d 1s -R 2000 --u_latency"),
        (
            "oha",
            {"threads": 2, "duration_s": 1.5},
            "oha --no-tui --output-format json -c 10 -z 1.5s --worker-threads 2 --http-version 1.1"
            " --disable-compression",
        ),
        (
            "oha",
            OLD | COUNTED | {"host": "example.org", "rate": 100},
            "oha --no-tui --output-format json -c 10 -n 5000 -q 100 --latency-correction"
            " --worker-threads 1 --http-version 1.0 --disable-keepalive --disable-compression"
            " -H Host: example.org",
        ),
        (
            "hey",
            {"threads": 2, "duration_s": 1.5},
            "hey -c 10 -z 1.5s -cpus 2 -disable-compression -disable-redirects",
        ),
        (
            "hey",
            COUNTED | {"connection": "close", "host": "example.org", "headers": ACCEPT},
            "hey -c 10 -n 5000 -cpus 1 -disable-keepalive -disable-compression -disable-redirects"
            " -host example.org -H Accept: text/html",
        ),
        ("webbench", OLD | {"duration_s": 30.0}, "webbench -c 10 -t 30"),
        ("webbench", {"connection": "close"}, "webbench -c 10 -t 1 --http11"),
        (
            "engine",
            {"duration_s": 2.5, "threads": 8, "cpus": (2, 3), "rate": 2000},
            "volley load -c 10 -t 2 -d 2.5 --cpus 2,3 -R 2000 --json",
        ),
        (
            "engine",
            OLD | COUNTED | {"cpus": (), "host": "example.org", "expected_body": b"Hello, World!"},
            "volley load -c 10 -t 1 -n 5000 --http1.0 --close -H Host: example.org"
            " --expect-body=Hello, World! --json",
        ),
        # No more threads than connections.
        (
            "engine",
            {"connections": 1, "cpus": (2, 3)},
            "volley load -c 1 -t 1 -d 1 --cpus 2,3 --json",
        ),
        ("h2load", {"protocol": "h2c", "streams": 8}, "h2load -c 10 -t 1 -m 8 -D 1"),
        (
            "h2load",
            COUNTED | {"protocol": "h2", "tls": TLS, "host": "example.org", "headers": ACCEPT},
            "h2load -c 10 -t 1 -m 1 -n 5000 --npn-list h2 -H Accept: text/html"
            " -H :authority: example.org",
        ),
        (
            "oha",
            {"protocol": "h2", "streams": 4, "tls": TLS},
            "oha --no-tui --output-format json -c 10 -z 1s --worker-threads 1 --http-version 2 -p 4"
            " --insecure --disable-compression",
        ),
        (
            "oha",
            {"protocol": "h3", "streams": 4, "tls": TLS},
            "oha --no-tui --output-format json -c 10 -z 1s --worker-threads 1 --http-version 3 -p 4"
            " --insecure --disable-compression",
        ),
        (
            "quic-go-load",
            {"protocol": "h3", "streams": 4, "tls": TLS, "duration_s": 2.5, "headers": ACCEPT},
            "quic-go-load -c 10 -t 1 -m 4 -d 2.5 -server-name localhost -H Accept: text/html",
        ),
        (
            "quic-go-load",
            COUNTED | {"protocol": "h3", "tls": TLS, "connection": "close", "host": "example.org"},
            "quic-go-load -c 10 -t 1 -m 1 -n 5000 -close -host example.org -server-name localhost",
        ),
        (
            "engine",
            {"protocol": "h2", "streams": 4, "tls": TLS, "cpus": ()},
            "volley load -c 10 -t 1 -d 1 --protocol h2 --streams 4 --server-name localhost"
            " --insecure --json",
        ),
        (
            "engine",
            {"protocol": "h2c"},
            "volley load -c 10 -t 1 -d 1 --protocol h2c --cpus 1 --json",
        ),
        ("volley-ab", OLD | COUNTED, "volley ab -n 5000 -c 10 -s 10 -r --json"),
    ],
)
def test_a_command_is_what_users_type(loader: Loader, changes: dict[str, Any], line: str) -> None:
    assert " ".join(command(loader, load(**changes))) == f"{line} {URL}"


@pytest.mark.parametrize("body", [b"\xff\x00", b"two\nlines", b"x" * 1000])
def test_a_body_that_is_no_short_text_is_checked_by_its_hash(body: bytes) -> None:
    expectation = command("engine", load(expected_body=body))[-3]
    assert expectation == f"--expect-sha256={hashlib.sha256(body).hexdigest()}"


@pytest.mark.parametrize(
    ("loader", "changes", "why"),
    [
        ("ab", {"http": "1.1"}, r"ab speaks HTTP/1\.0 only"),
        ("ab", OLD | {"rate": 100}, "ab can't keep a rate"),
        ("ab", OLD | COUNTED | {"requests": 5}, "can't make 5 requests over 10 connections"),
        ("hey", {"http": "1.0"}, r"hey speaks HTTP/1\.1 only"),
        ("hey", {"rate": 100}, "hey can't keep a rate"),
        ("hey", COUNTED | {"requests": 5}, "can't make 5 requests over 10 connections"),
        ("oha", {"http": "1.0"}, r"can't keep connections over HTTP/1\.0"),
        ("wrk", {"http": "1.0"}, r"wrk speaks HTTP/1\.1 only"),
        ("wrk", COUNTED, "wrk takes a duration, not a number of requests"),
        ("wrk", {"threads": 11}, "11 threads can't share 10 connections"),
        ("wrk", {"rate": 100}, "wrk can't keep a rate"),
        ("wrk2", {}, "wrk2 needs a rate"),
        ("wrk2", {"rate": 9, "http": "1.0"}, r"wrk2 speaks HTTP/1\.1 only"),
        ("wrk2", {"rate": 9, **COUNTED}, "wrk2 takes a duration, not a number of requests"),
        ("wrk2", {"rate": 9, "threads": 11}, "11 threads can't share 10 connections"),
        (
            "wrk",
            {"protocol": "h2"},
            "wrk is not used for HTTP/2; for h2 use h2load, oha or the engine",
        ),
        ("ab", OLD | {"protocol": "h2c"}, "ab is not used for HTTP/2"),
        ("h2load", {}, "h2load is not used for HTTP/1; for h1 use wrk or oha"),
        ("h2load", {"protocol": "h2", "connection": "close"}, "h2load keeps its connections"),
        ("h2load", {"protocol": "h2", "rate": 100}, "h2load can't keep a rate"),
        ("hey", {"protocol": "h3", "tls": TLS}, "for h3 use oha, quic-go-load or the engine"),
        ("quic-go-load", {"protocol": "h2c"}, "quic-go-load is not used for HTTP/2"),
        ("quic-go-load", {"protocol": "h3", "tls": TLS, "rate": 9}, "can't keep a rate"),
        (
            "oha",
            {"protocol": "h3", "tls": TLS, "connection": "close"},
            "oha keeps its connections over HTTP/3",
        ),
        ("oha", COUNTED | {"protocol": "h3", "tls": TLS}, "oha takes a duration"),
        ("webbench", OLD | {"protocol": "h1-tls", "tls": TLS}, "webbench doesn't speak TLS"),
        ("webbench", OLD | COUNTED, "webbench takes a duration"),
        ("webbench", OLD | {"rate": 100}, "webbench can't keep a rate"),
        ("webbench", {"http": "1.0"}, "a connection for each request"),
        ("webbench", OLD | {"headers": ACCEPT}, "can't send headers"),
        ("webbench", OLD | {"host": "example.org:8080"}, "nor another Host"),
    ],
)
def test_an_impossible_load_is_refused(loader: Loader, changes: dict[str, Any], why: str) -> None:
    with pytest.raises(BadUsage, match=why):
        command(loader, load(**changes))


@pytest.mark.parametrize(("requests", "duration_s"), [(None, None), (100, 1.0)])
def test_a_run_ends_by_requests_or_time(requests: int | None, duration_s: float | None) -> None:
    with pytest.raises(BadUsage, match=r"requests .* duration"):
        load(requests=requests, duration_s=duration_s)
