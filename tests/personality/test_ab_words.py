"""What ab is told: each flag, rightly and wrongly."""

from pathlib import Path

from tests.personality.comparison import Case, assert_same, commands, table

POST = {"post.txt": "a=1&b=2"}
REFUSED = "http://127.0.0.1:1/"

USAGE = commands(
    "ab {}",
    f"""
    | -h | -V | -h http://x/ | -V -n | --help | -z | -n | -n 5 {REFUSED} extra | {REFUSED} -n 5
    | -Q {REFUSED} | -QJ {REFUSED}
    """,
)
NUMBERS = commands(
    f"ab {{}} {REFUSED}",
    """
    -n abc | -n 0 | -n -5 | -n 0x3 | -n 10x | -n '' | -c 0 | -c -1 | -c 200001 -n 300000
    | -c 30 -n 20 | -c 2 | -s 0 | -s abc | -s -1 | -t abc | -t 0 | -b abc | -v abc
    """,
)
URLS = commands(
    "ab {}",
    f"""
    http://127.0.0.1:1 | 127.0.0.1:1 | localhost:1/ | {REFUSED} | [::1]:1/ | http://[::1]:1/
    | ftp://127.0.0.1/ | HTTP://127.0.0.1:1/ | http://:80/ | http:/// | http://127.0.0.1:99999/
    | http://127.0.0.1:65536/ | http://127.0.0.1:0/ | http://127.0.0.1:abc/ | http://127.0.0.1:/
    | http://user:secret%40127.0.0.1:1/ | '' | / | // | http://nosuch.invalid/
    | https://nosuch.invalid/
    """,
)
METHODS = commands(
    f"ab {{}} {REFUSED}",
    """
    -p nofile | -u nofile | -p . | -u . | -i -p post.txt | -p post.txt -i | -i -u post.txt
    | -p post.txt -u post.txt | -u post.txt -p post.txt | -m DELETE -p post.txt
    | -p post.txt -m DELETE | -u post.txt -m PUT | -i -m GET | -m GET -i | -m ''
    """,
    files=POST,
)
OTHERS = commands(
    f"ab {{}} {REFUSED}",
    f"""
    -A noColon | -P noColon | -A {"x" * 2000}:p | -P {"x" * 2000} | -X nope | -X 127.0.0.1:99999
    | -X :80 | -X 127.0.0.1:1 | -B 256.1.1.1 | -B 192.0.2.1 | -C noequals | -H noColon
    | -e nofolder/x | -w | -v 4 | -n 3 -c 3 | -n 200 | -q -n 200 | -r -n 2 | -r -n 25
    | -r -n 25 -c 5 | -k -r -n 5 | -f TLS1.2
    """,
)


@table(USAGE, NUMBERS, URLS, METHODS, OTHERS)
def test_without_a_server(case: Case, tmp_path: Path) -> None:
    assert_same(case, tmp_path)


RUNS = commands(
    "ab {}",
    """
    @/ | http://@/ | -- @/ | -n3 @/ | -n ' 3' @/ | -n 3.7 @/ | -n 3abc @/ | -n 20 -c 4 @/
    | -n 200 -c 4 @/ | -q -n 200 -c 4 @/ | -n 160 -c 1 @/ | -n 1500 -c 10 @/ | -kn2 @/
    | -k -n 20 @/ | -n 3 '@/?a=b#fragment' | -n 2 '@/a b' | -n 2 http://@/deep/er?x=http://y/
    | -n 2 -b 1024 @/ | -n 2 -B 127.0.0.1 @/ | -t 5 -n 5 @/ | -n 5 -l @/ | -n 5 -S @/ | -n 5 -d @/
    | -n 5 -d -S -q @/ | -n 1 -S @/ | -n 2 -T text/x @/ | -n 2 -X @ http://example.org/path?q
    | -n 2 -X @ -P a:b http://example.org:8080/path?q | -n 2 -X @ example.org/path
    | -n 2 -X @ -k -A a:b http://example.org/ | -n 2 -H 'X-A: 1' -H 'X-B: 2' @/
    | -n 2 -H 'Host: other' -H 'User-Agent: me' -H 'Accept: text/plain' @/
    | -n 2 -H 'host: other' -H 'user-agent: me' -H 'accept: text/plain' @/
    | -n 2 -H noColon @/ | -n 2 -H '' @/ | -n 2 -H 'Connection: close' -k @/ | -n 2 -C a=1 @/
    | -n 2 -C a=1 -C b=2 @/ | -n 2 -C 'a=1; b=2' @/ | -n 2 -C noequals @/ | -n 2 -A u:p @/
    | -n 2 -A u:p -P pu:pp @/ | -n 2 -A '  u:p' -A x:y @/ | -n 2 -m DELETE @/
    | -n 2 -m delete -k @/ | -n 2 -m PUT -T a/b @/ | -n 2 -e nofolder/x @/ | -n 2 -g nofolder/x @/
    | -n 2 -I -f TLS1.2 -Z ALL @/
    """,
)
BODIES = commands(
    "ab {} @/",
    """
    -n 2 -p post.txt | -n 2 -p post.txt -T application/json | -n 2 -T application/json -p post.txt
    | -n 2 -p post.txt -H 'Content-Type: q' | -n 2 -p post.txt -H 'Content-length: 7'
    | -n 3 -k -p post.txt | -n 2 -u post.txt | -n 2 -p post.txt -X 127.0.0.1:1 -X
    | -n 2 -u post.txt -T a/b -H 'X-A: 1' -C a=1 -A u:p -P pu:pp -k
    """,
    files=POST,
)
FILES = [
    Case("ab -n 2 -p post.txt @/", note, files={"post.txt": text})
    for note, text in {
        "an empty file": "",
        "64 KiB": "x" * 65536,
        "every byte": "\0\r\n\r\n\x01",
    }.items()
]
LONG = [
    Case("ab -t 1 @/", "fifty thousand at most", exact=False),
    Case("ab -n 5 -t 1 @/", "-t forgets -n", exact=False),
    *commands(
        "ab -n 100000 -c 2 {} @/",
        "| -k -w",
        note="interrupted",
        exact=False,
        interrupted_after_s=0.5,
    ),
]


@table(RUNS, BODIES, FILES, LONG)
def test_with_a_server(case: Case, tmp_path: Path) -> None:
    assert_same(case, tmp_path)
