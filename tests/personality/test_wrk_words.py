"""What wrk is told: each flag, rightly and wrongly."""

from pathlib import Path

from tests.personality.comparison import Case, assert_same, table

REFUSED = "http://127.0.0.1:1/"

USAGE = [
    "wrk",
    "wrk -h",
    "wrk --help",
    "wrk -v",
    "wrk --version",
    f"wrk -v {REFUSED}",
    "wrk -V",
    f"wrk -z {REFUSED}",
    f"wrk -dz {REFUSED}",
    f"wrk --nope {REFUSED}",
    f"wrk --t 1 {REFUSED}",
    f"wrk --latency=yes {REFUSED}",
    "wrk -c",
    "wrk -s",
    "wrk --header",
    "wrk --timeout",
    f"wrk -H {REFUSED}",
]
NUMBERS = [
    f"wrk {words} {REFUSED}"
    for words in (
        "-c x",
        "-c ''",
        "-c -5",
        "-c 0",
        "-c 1",
        "-c1 -t2",
        "-c 1kk",
        "-c 1q",
        "-c 1k",
        "-c 1K",
        "-c '1 k'",
        "-c ' 10'",
        "-c 0x10",
        "-c 010",
        "-c +10",
        "-t 0",
        "-t20",
        "-t -1",
        "-t 1K -c 1",
        "-t 1m -c 1",
        "-d 0",
        "-d 1.5",
        "-d 500ms",
        "-d 1x",
        "-d 1s",
        "-d 1S",
        "-d 1M",
        "-d 1h",
        "-d ''",
        "-T 1",
        "-T 0",
        "-T 1m",
        "-T 100ms",
        "--timeout 0",
        "--timeout abc",
        "--connections=0",
        "--connections 12 --threads=3 --duration 1s --timeout=2s",
        "--conn 12 --thr 3 --dur 1",
        "--lat",
        "-L",
    )
]
URLS = [
    f"wrk {url}"
    for url in (
        REFUSED,
        "http://127.0.0.1:1",
        "http://[::1]:1/",
        "http://[::1/",
        "http://",
        "http:///",
        "http://:80/",
        "127.0.0.1:1/",
        "localhost",
        "/",
        "''",
        "'http://127.0.0.1:1/a b'",
        "http://127.0.0.1:abc/",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1:65536/",
        "http://127.0.0.1:/",
        "http://127.0.0.1:1?x",
        "ftp://127.0.0.1:1/",
        "HTTP://127.0.0.1:1/",
        "https://127.0.0.1:1/",
        "http://nosuch.invalid/",
        "https://nosuch.invalid/x",
        "http://nosuch.invalid:8080/",
        "http://user:secret%40127.0.0.1:1/",
        f"{REFUSED} extra words",
        f"-t1 -c1 -- {REFUSED} -c x",
        f"{REFUSED} -c 1 -t 2",
        f"-s nofile.lua {REFUSED}",
        f"-s . {REFUSED}",
    )
]


@table([Case(line) for line in USAGE + NUMBERS + URLS])
def test_without_a_server(case: Case, tmp_path: Path) -> None:
    assert_same(case, tmp_path)


RUNS = [
    Case(f"wrk -d1 {words}", exact=False)
    for words in (
        "-t1 -c2 http://@/",
        "-t1 -c2 http://@",
        "-t1 -c2 'http://@?x=1'",
        "-t1 -c2 'http://@/p/q?x=1#f'",
        "-t2 -c5 --latency http://@/",
        "http://@/",
        "-c 10 -t 2 -L http://@/",
        "-t1 -c1 -T 1m http://@/",
        "-t1 -c2 -H 'X-A: 1' -H 'Host: other' -H bad -H X-B:2 -H 'X-C: a: b' http://@/",
        "-t1 -c2 -H 'User-Agent: me' -H 'user-agent: you' -H 'X-A: 1' -H 'X-A: 2' http://@/",
        "-t1 -c2 -H 'host: small' http://@/",
        "-t1 -c2 -H 'Content-Length: 5' -H 'Empty: ' http://@/",
        "-t1 -c2 -H 'Connection: close' http://@/",
        "http://@/ -t1 -c2",
        "-t1 -c2 http://@/ more words",
    )
]


@table(RUNS)
def test_with_a_server(case: Case, tmp_path: Path) -> None:
    assert_same(case, tmp_path)
