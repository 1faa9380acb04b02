"""Our engine as a load tool."""

import hashlib

import pytest

from bakeoff.load.tools.output import Unreadable
from bakeoff.load.tools.volley import in_place_of, parse, words
from bakeoff.model.load import LoadResult
from tests.load.tools.given import asked, printed


def read(name: str, path: str = "") -> LoadResult:
    return parse(printed(name), asked(url=f"http://127.0.0.1:18395/{path}"))


def test_the_command() -> None:
    line = " ".join(words(asked(duration_s=2.5, threads=8, cpus=(2, 3))))
    assert line == "volley load -c 10 -t 2 -d 2.5 --cpus 2,3 --json http://127.0.0.1:8080/"


def test_everything_that_a_tool_can_be_asked() -> None:
    line = words(
        asked(
            requests=100,
            duration_s=None,
            http="1.0",
            connection="close",
            cpus=(),
            host="example.org",
            expected_body=b"Hello, World!",
        )
    )
    assert line[2:-2] == (
        *("-c", "10", "-t", "1", "-n", "100", "--http1.0", "--close"),
        *("-H", "Host: example.org", "--expect-body=Hello, World!"),
    )


def test_a_rate_makes_it_an_open_loop() -> None:
    assert words(asked(rate=2000))[10:12] == ("-R", "2000")


def test_it_stands_in_for_another_program() -> None:
    line = in_place_of(("ab", "-n", "10", "http://127.0.0.1:8080/"))
    assert " ".join(line) == "volley ab -n 10 --json http://127.0.0.1:8080/"


def test_there_are_no_more_threads_than_connections() -> None:
    assert words(asked(connections=1, cpus=(2, 3)))[4:6] == ("-t", "1")


@pytest.mark.parametrize("body", [b"\xff\x00", b"two\nlines", b"x" * 1000])
def test_a_body_that_is_no_short_text_is_checked_by_its_hash(body: bytes) -> None:
    expectation = words(asked(expected_body=body))[-3]
    assert expectation == f"--expect-sha256={hashlib.sha256(body).hexdigest()}"


@pytest.mark.parametrize(
    ("name", "path", "requests", "errors"),
    [
        ("volley-keep-alive", "", 20661, {}),
        ("volley-http-1.0", "", 2000, {}),
        ("volley-mismatch", "", 1797, {"mismatch_length": 2985}),
        ("volley-non-2xx", "missing", 9805, {"status": 15688}),
    ],
)
def test_a_run(name: str, path: str, requests: int, errors: dict[str, int]) -> None:
    result = read(name, path)
    assert (result.tool, result.requests, result.errors) == ("volley", requests, errors)


def test_nobody_listens() -> None:
    with pytest.raises(Unreadable, match=r"cannot reach .* Connection refused"):
        read("volley-refused")


def test_another_urls_result_is_not_this_runs() -> None:
    with pytest.raises(Unreadable):
        read("volley-keep-alive", "elsewhere")
