"""Help names all flags; whatever the words, a personality ends by itself and never panics."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.personality.programs import Program, ours, real, run

# Nobody listens at port 1, so nothing is ever loaded.
URLS = [
    "http://127.0.0.1:1/",
    "https://127.0.0.1:1/x?y#z",
    "127.0.0.1:1/",
    "http://[::1]:1/",
    "http://",
    "http://127.0.0.1:99999/",
]
FLAG = re.compile(r"(?<![\w-])--?[a-zA-Z]\w*")
FLAGS = [f"-{letter}" for letter in "abcdefghijklmnopqrstuvwxyzABCDEFGHILPRSTUVXZ0129?"] + [
    "--latency",
    "--rate",
    "--timeout",
    "--u_latency",
    "--clients=",
    "--proxy",
    "--get",
    "--lat",
    "--json",
    "--io=epoll",
    "--io=",
    "--",
    "-",
]
VALUES = ["0", "1", "-1", "10k", "1e9", "99999999999999999999", "1s", "a:b", "a: b", "x.lua", ""]
WORDS = st.sampled_from(URLS + FLAGS + VALUES) | st.text(
    st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=12
)


@pytest.mark.parametrize("name", ["ab", "wrk", "wrk2", "webbench"])
@given(words=st.lists(WORDS, max_size=8))
@settings(
    max_examples=30,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_no_words_make_it_panic(name: str, words: list[str], tmp_path: Path) -> None:
    ended = run(ours(name), words, tmp_path)
    assert 0 <= ended.status < 128 and ended.status != 101, ended
    assert "panicked" not in ended.err


@pytest.mark.parametrize("name", ["ab", "wrk"])
def test_names_each_flag(name: str, tmp_path: Path) -> None:
    theirs, own = flags(real(name), tmp_path), flags(ours(name), tmp_path)
    assert len(theirs) > 8
    assert theirs <= own


def flags(program: Program, folder: Path) -> set[str]:
    ended = run(program, [], folder)
    return set(FLAG.findall(ended.out + ended.err))
