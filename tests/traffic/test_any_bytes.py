"""Files of others may hold anything: there is a recording, or one message that names the file."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bakeoff.model.errors import BadFile
from bakeoff.traffic import (
    Choices,
    Recording,
    draft,
    read_access_log,
    read_har,
    read_openapi,
    toml_of,
)
from tests.traffic.recorded import combined, entry

READERS: list[Callable[[Path], Recording]] = [read_access_log, read_har, read_openapi]


def made_of(content: bytes, reader: Callable[[Path], Recording], folder: Path) -> None:
    """Read it, and write what it comes to."""
    path = folder / "any"
    path.write_bytes(content)
    try:
        toml_of(draft(reader(path), Choices("any")))
    except BadFile as error:
        assert str(error).startswith(str(path)) and "\n" not in str(error)


@pytest.mark.parametrize("reader", READERS)
@given(content=st.binary())
@example(content=b"")
@example(content=b"\xff\xfe{\x00}\x00")
@example(content=b"\x1f\x8b\x08")
@example(content=b'{"log": {"entries": [1, null, {}]}}')
@example(content=b"[" * 50_000)
@example(content=b"{" * 50_000)
@example(content=b"- " * 2_000)
def test_bytes(
    reader: Callable[[Path], Recording],
    tmp_path_factory: pytest.TempPathFactory,
    content: bytes,
) -> None:
    made_of(content, reader, tmp_path_factory.getbasetemp())


ANY: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.just([{}])
)
HAR_KEYS = ["method", "url", "headers", "postData", "status", "content", "text", "encoding"]
ENTRIES = st.builds(
    lambda url, status, more, of_request: {
        **entry(url, status=status, **more),
        "request": {**entry(url)["request"], **of_request},
    },
    st.sampled_from(["http://a/", "http://a/1?x", "//", "http://[", "ws://a", "http://a:b/"])
    | st.text().map(lambda text: f"http://a/{text}"),
    st.sampled_from([200, 304, 0, 99]),
    st.dictionaries(st.sampled_from(["response", "_fromCache", "_resourceType"]), ANY, max_size=2),
    st.dictionaries(st.sampled_from(HAR_KEYS), ANY, max_size=3),
)


@given(st.lists(ENTRIES, max_size=4))
def test_entries_of_a_har(
    tmp_path_factory: pytest.TempPathFactory, entries: list[dict[str, Any]]
) -> None:
    content = json.dumps({"log": {"entries": entries}}).encode()
    made_of(content, read_har, tmp_path_factory.getbasetemp())


LINES = st.one_of(
    st.text(max_size=20),
    st.text(max_size=20).map(combined),
    st.lists(st.sampled_from(['"', "\\", "[", "]", " ", "-", "GET /", "200", "\\x2"])).map("".join),
    st.dictionaries(
        st.sampled_from(["request", "method", "uri", "status", "host", "request_uri"]),
        ANY | st.just("GET / HTTP/1.1") | st.just("200"),
    ).map(json.dumps),
)


@given(st.lists(LINES, max_size=6))
def test_lines_of_a_log(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    content = "\n".join(lines).encode(errors="replace")
    made_of(content, read_access_log, tmp_path_factory.getbasetemp())
