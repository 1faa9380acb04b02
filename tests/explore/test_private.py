"""What is private is replaced, wherever in a text it is; what only looks like it stays."""

import getpass
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.explore.private import Private


@pytest.fixture
def private(monkeypatch: pytest.MonkeyPatch) -> Private:
    monkeypatch.setattr(socket, "gethostname", lambda: "build7.example.org")
    monkeypatch.setattr(getpass, "getuser", lambda: "jo.smith")
    monkeypatch.setattr(Path, "home", lambda: Path("/home/jo.smith"))
    monkeypatch.chdir("/")
    return Private.here([Path("/srv/secret project")], public={"nginx"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("/home/jo.smith/app/server: not found", "~/app/server: not found"),
        ("/home/somebody/app", "~/app"),
        ("/Users/somebody/app and /root/x", "~/app and ~/x"),
        ("built in /srv/secret project/out", "built in …/out"),
        ("on build7.example.org, by jo.smith", "on host, by user"),
        ("build7: no", "host: no"),
    ],
)
def test_names_and_places_are_replaced(private: Private, text: str, said: str) -> None:
    assert private(text) == said


@pytest.mark.parametrize(
    "text", ["GET /orders/12", "/usr/sbin/nginx", "build77", "/homework/x", "my-build7", "/rooted"]
)
def test_what_only_looks_like_it_stays(private: Private, text: str) -> None:
    assert private(text) == text


def test_a_contender_may_be_called_as_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "nginx")
    assert Private.here([], public={"nginx"})("nginx is faster") == "nginx is faster"


@given(st.recursive(st.text() | st.integers() | st.none(), lambda inner: st.lists(inner)
                    | st.dictionaries(st.text(), inner), max_leaves=9))  # fmt: skip
def test_a_value_without_anything_private_is_the_same(value: object) -> None:
    assert Private.here([], public=()).within(value) == value or "/" in str(value)


def test_keys_and_members_of_json_are_texts_too(private: Private) -> None:
    value = {"/home/x/a": ["by jo.smith", 1, None, {"on": "build7"}]}
    assert private.within(value) == {"~/a": ["by user", 1, None, {"on": "host"}]}
    assert private.replaced == {"~": 1, "user": 1, "host": 1}
