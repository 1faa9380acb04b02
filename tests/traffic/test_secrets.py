"""Secrets are left out of everything that is written."""

import json
from collections import Counter

import pytest

from bakeoff.traffic.recording import Recording, Request
from bakeoff.traffic.secrets import without_secrets
from bakeoff.traffic.tokens import is_secret

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"


def cleaned(asked: Request) -> tuple[Request, dict[str, int]]:
    recording, counts = without_secrets(Recording("a.har", requests=Counter({asked: 3})))
    [(clean, count)] = recording.requests.items()
    assert count == 3
    return clean, counts


@pytest.mark.parametrize(
    "name",
    [
        *("Cookie", "authorization", "Proxy-Authorization", "X-Api-Key", "X-CSRF-Token"),
        *("access_token", "sessionId", "password", "client_secret", "sig", "X-Amz-Signature"),
        *("newPassword", "JSESSIONID", "user%5Bpassword%5D", "api-key"),
    ],
)
def test_secrets_are_known_by_their_names(name: str) -> None:
    assert is_secret(name, "x")


@pytest.mark.parametrize(
    "name", ["Accept", "page", "author", "sort", "key", "tokenize", "passenger", "design", "side"]
)
def test_other_names_are_left_alone(name: str) -> None:
    assert not is_secret(name, "x")


def test_some_are_known_by_their_value() -> None:
    assert is_secret("key", "AIzaSyA1234567890")
    assert is_secret("state", JWT)


def test_headers_are_left_out_and_values_replaced() -> None:
    asked = Request(
        "GET",
        f"/reset/{JWT}/now?a=1&token=abc&page=2&{JWT}",
        (("Cookie", "a=b"), ("Accept", "*/*"), ("x-request", f"Bearer {JWT}")),
    )
    clean, counts = cleaned(asked)
    assert clean.path == "/reset/LEFT-OUT/now?a=1&token=LEFT-OUT&page=2&LEFT-OUT"
    assert clean.headers == (("Accept", "*/*"),)
    assert counts == {
        "Cookie": 3,
        "X-Request": 3,
        "`token`": 3,
        "a token in the path": 3,
        "a token in the query": 3,
    }


PART = '--x\r\nContent-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'


@pytest.mark.parametrize(
    ("kind", "body", "clean"),
    [
        (
            "application/json",
            '{"user":"ann", "password":"x", "in":[{"token":1, "note":"é"}], "session": {"a": 1}}',
            '{"user": "ann", "password": "LEFT-OUT", "in": [{"token": "LEFT-OUT", "note": "é"}], '
            '"session": {"a": 1}}',
        ),
        ("application/x-www-form-urlencoded", "a=1&password=x+y", "a=1&password=LEFT-OUT"),
        (
            "multipart/form-data; boundary=x",
            PART.format("a", "1") + PART.format("password", "x\r\ny") + "--x--",
            PART.format("a", "1") + PART.format("password", "LEFT-OUT") + "--x--",
        ),
        ("application/json", '{"a":  1}', '{"a":  1}'),
        ("application/json", '{"password"', '{"password"'),
        ("text/plain", "password=x", "password=LEFT-OUT"),
    ],
)
def test_bodies_keep_all_but_the_secret(kind: str, body: str, clean: str) -> None:
    asked, counts = cleaned(Request("POST", "/", (("Content-Type", kind),), body.encode()))
    assert asked.body.decode() == clean
    assert bool(counts) == (body != clean)


def test_numbers_of_a_body_stay_what_they_are() -> None:
    text = json.dumps({"password": "x", "price": 1.5, "big": 2**70, "none": None})
    asked, _ = cleaned(Request("POST", "/", (("Content-Type", "application/json"),), text.encode()))
    assert json.loads(asked.body) == {**json.loads(text), "password": "LEFT-OUT"}
