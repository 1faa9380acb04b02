"""What wrk is told: each flag, rightly and wrongly."""

from pathlib import Path

from tests.personality.comparison import Case, assert_same, commands, table

REFUSED = "http://127.0.0.1:1/"

USAGE = commands(
    "wrk {}",
    f"""
    | -h | --help | -v | --version | -v {REFUSED} | -V | -z {REFUSED} | -r {REFUSED} | -dz {REFUSED}
    | --nope {REFUSED} | --t 1 {REFUSED} | --latency=yes {REFUSED} | -c | -s | --header | --timeout
    | -H {REFUSED}
    """,
)
NUMBERS = commands(
    f"wrk {{}} {REFUSED}",
    """
    -c x | -c '' | -c -5 | -c 0 | -c 1 | -c1 -t2 | -c 1kk | -c 1q | -c 1k | -c 1K | -c '1 k'
    | -c ' 10' | -c 0x10 | -c 010 | -c +10 | -t 0 | -t20 | -t -1 | -t 1K -c 1 | -t 1m -c 1 | -d 0
    | -d 1.5 | -d 500ms | -d 1x | -d 1s | -d 1S | -d 1M | -d 1h | -d '' | -T 1 | -T 0 | -T 1m
    | -T 100ms | --timeout 0 | --timeout abc | --connections=0
    | --connections 12 --threads=3 --duration 1s --timeout=2s | --conn 12 --thr 3 --dur 1 | --lat
    | -L
    """,
)
URLS = commands(
    "wrk {}",
    f"""
    {REFUSED} | http://127.0.0.1:1 | http://[::1]:1/ | http://[::1/ | http:// | http:///
    | http://:80/ | 127.0.0.1:1/ | localhost | / | '' | 'http://127.0.0.1:1/a b'
    | http://127.0.0.1:abc/ | http://127.0.0.1:99999/ | http://127.0.0.1:65536/
    | http://127.0.0.1:/ | http://127.0.0.1:1?x | ftp://127.0.0.1:1/ | HTTP://127.0.0.1:1/
    | https://127.0.0.1:1/ | http://nosuch.invalid/ | https://nosuch.invalid/x
    | http://nosuch.invalid:8080/ | http://user:secret%40127.0.0.1:1/ | {REFUSED} extra words
    | -t1 -c1 -- {REFUSED} -c x | {REFUSED} -c 1 -t 2 | -s nofile.lua {REFUSED} | -s . {REFUSED}
    """,
)
RUNS = commands(
    "wrk -d1 {}",
    """
    -t1 -c2 http://@/ | -t1 -c2 http://@ | -t1 -c2 'http://@?x=1' | -t1 -c2 'http://@/p/q?x=1#f'
    | -t2 -c5 --latency http://@/ | http://@/ | -c 10 -t 2 -L http://@/ | -t1 -c1 -T 1m http://@/
    | -t1 -c2 -H 'X-A: 1' -H 'Host: other' -H bad -H X-B:2 -H 'X-C: a: b' http://@/
    | -t1 -c2 -H 'User-Agent: me' -H 'user-agent: you' -H 'X-A: 1' -H 'X-A: 2' http://@/
    | -t1 -c2 -H 'host: small' http://@/ | -t1 -c2 -H 'Content-Length: 5' -H 'Empty: ' http://@/
    | -t1 -c2 -H 'Connection: close' http://@/ | http://@/ -t1 -c2 | -t1 -c2 http://@/ more words
    """,
    exact=False,
)


@table(USAGE, NUMBERS, URLS, RUNS)
def test_words(case: Case, tmp_path: Path) -> None:
    assert_same(case, tmp_path)
