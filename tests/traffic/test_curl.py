"""curl's command lines, as they are typed and as browsers copy them."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bakeoff.model.errors import BadUsage
from bakeoff.traffic import read_curl
from bakeoff.traffic.recording import Request
from bakeoff.traffic.shell_words import commands

CHROMIUM = r"""curl 'https://shop.example/api/cart?x=1' \
  -X 'PUT' \
  -H 'accept: */*' \
  -H 'content-type: application/json' \
  -b 'session=abc; theme=dark' \
  -H 'sec-ch-ua: "Chromium";v="140", "Not=A?Brand";v="24"' \
  --data-raw $'{"note":"it\'s \u0021 caf\xc3\xa9\\n"}' \
  --compressed"""


def one(command: str) -> Request:
    [(asked, count)] = read_curl(command).requests.items()
    assert count == 1
    return asked


def test_what_chromium_copies_is_read_to_the_byte() -> None:
    asked = one(CHROMIUM)
    assert (asked.method, asked.path) == ("PUT", "/api/cart?x=1")
    assert asked.body == b'{"note":"it\'s ! caf\xc3\xa9\\n"}'
    assert dict(asked.headers) == {
        "Cookie": "session=abc; theme=dark",
        "accept": "*/*",
        "content-type": "application/json",
        "sec-ch-ua": '"Chromium";v="140", "Not=A?Brand";v="24"',
        "Accept-Encoding": "gzip",
    }


@pytest.mark.parametrize(
    ("command", "method", "path", "body"),
    [
        ("curl localhost:8080", "GET", "/", b""),
        ("curl -sSL http://a/b#c", "GET", "/b", b""),
        ("curl -XDELETE http://a/1", "DELETE", "/1", b""),
        ("curl -I http://a/", "HEAD", "/", b""),
        ("curl -d a=1 -d 'b=2 3' http://a/", "POST", "/", b"a=1&b=2 3"),
        (
            "curl -G -d a=1 --data-urlencode 'q=x y&z' 'http://a/?c'",
            "GET",
            "/?c&a=1&q=x+y%26z",
            b"",
        ),
        ("curl --url http://a/ --data-raw @b", "POST", "/", b"@b"),
        ("curl --json '{\"a\":1}' http://a/", "POST", "/", b'{"a":1}'),
        ('curl -d "a \\"b\\" \\c" http://a/', "POST", "/", b'a "b" \\c'),
        ("curl http://a/caf\u00e9/{x}", "GET", "/caf%C3%A9/%7Bx%7D", b""),
    ],
)
def test_options_mean_what_they_mean_to_curl(
    command: str, method: str, path: str, body: bytes
) -> None:
    asked = one(command)
    assert (asked.method, asked.path, asked.body) == (method, path, body)


def test_headers_are_added_changed_and_taken_away() -> None:
    asked = one("curl -H 'Accept: text/html' -A me -u ann:pw -H X-Empty\\; -d 1 -e /x http://a/")
    assert dict(asked.headers) == {
        "Accept": "text/html",
        "Content-Type": "application/x-www-form-urlencoded",
        "User-Agent": "me",
        "Authorization": "Basic YW5uOnB3",
        "X-Empty": "",
        "Referer": "/x",
    }
    assert one("curl -H Accept: http://a/").headers == ()


def test_files_are_read_as_curl_reads_them(tmp_path: Path) -> None:
    file = tmp_path / "b c"
    file.write_bytes(b"a\r\n\xff")
    assert one(f"curl --data-binary '@{file}' http://a/").body == b"a\r\n\xff"
    assert one(f"curl -d '@{file}' http://a/").body == b"a\xff"


def test_several_commands_are_several_requests() -> None:
    recording = read_curl("curl http://a/1 ;\ncurl http://a/2 http://a/1 &\ncurl -L http://b/3")
    assert [(request.path, count) for request, count in recording.requests.items()] == [
        ("/1", 2),
        ("/2", 1),
        ("/3", 1),
    ]
    host, redirects = sorted(recording.notes)
    assert host.startswith("b ") and "-L" in redirects


WORDS = st.lists(
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1
)


@given(WORDS)
def test_words_that_are_quoted_come_back(words: list[str]) -> None:
    single = ["'" + word.replace("'", "'\\''") + "'" for word in words]
    escapes = {"'": "\\'", "\\": "\\\\", "\n": "\\n"}
    ansi = ["$'" + "".join(escapes.get(char, char) for char in word) + "'" for word in words]
    assert commands(" ".join(single)) == [[word.replace("\r\n", "\n") for word in words]]
    assert commands(" ".join(ansi)) == [words]


UTF_8 = {"PATH": os.defpath, "LC_ALL": "C.UTF-8"}


# Nothing that runs anything: bash gets these as words of a printf.
@settings(max_examples=60)
@given(st.text(st.sampled_from("ab '\"\\$x41u2t?")))
@example(r"$'\x41\101A\n\q'")
@example('"a\\\nb"c\\\nd')
@example("a'b'\"c\"$\"d\"''")
def test_words_are_what_bash_makes_of_them(text: str) -> None:
    try:
        read = commands(f"printf '%s\\n' {text}")
    except BadUsage:
        return
    assert len(read) == 1
    argv = ["bash", "-fc", f"printf '%s\\n' {text}"]
    done = subprocess.run(argv, capture_output=True, check=True, timeout=10, env=UTF_8)
    words = read[0][2:] or [""]
    assert done.stdout == "".join(f"{word}\n" for word in words).encode(errors="surrogateescape")


@given(st.text())
def test_no_text_is_a_traceback(text: str) -> None:
    for command in (text, f"curl {text}", f"curl '{text}'"):
        try:
            read_curl(command)
        except BadUsage as error:
            assert str(error)
