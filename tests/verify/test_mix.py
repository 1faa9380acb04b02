"""Each request of a mix is asked once, and the first wrong answer of a server is named."""

import base64
import gzip
import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bakeoff.model.receipt import Verification
from bakeoff.model.workload import Workload
from bakeoff.verify import audit, verify
from tests.verify.serving import handle_and_entry, serving

Answer = tuple[int, bytes, dict[str, str]]


@contextmanager
def shop(answer: Callable[[str, str, bytes], Answer]) -> Iterator[tuple[int, list[str]]]:
    """A server that answers method, path and body; and the requests that it saw."""
    seen: list[str] = []

    def serve(connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as lines:
            while line := lines.readline():
                method, path, _ = line.decode("latin-1").split()
                headers = {}
                while (head := lines.readline()) not in (b"\r\n", b""):
                    name, _, value = head.decode("latin-1").partition(":")
                    headers[name.lower()] = value.strip()
                body = lines.read(int(headers.get("content-length", 0)))
                seen.append(f"{method} {path} {headers.get('x-token', '')}{body!r}")
                status, content, more = answer(method, path, body)
                more = {"Content-Length": str(len(content)), **more}
                fields = "".join(f"{name}: {value}\r\n" for name, value in more.items())
                connection.sendall(f"HTTP/1.1 {status} X\r\n{fields}\r\n".encode() + content)
                if headers.get("connection") == "close":
                    return

    with serving(serve) as port:
        yield port, seen


def mix(*requests: dict[str, Any], **more: Any) -> Workload:
    files = more.pop("files", {})
    given = {"name": "shop", "request": list(requests), **more}
    whole = Workload.checked(given, "shop.toml")
    encoded = {name: base64.b64encode(content).decode() for name, content in files.items()}
    return whole.model_copy(update={"files": encoded})


def verified(
    workload: Workload, answer: Callable[[str, str, bytes], Answer]
) -> tuple[Verification, list[str]]:
    with shop(answer) as (port, seen):
        handle, entry = handle_and_entry("x", port)
        return verify(handle, entry, workload), seen


def page(method: str, path: str, body: bytes) -> Answer:
    """JSON that tells what came; nothing at /gone."""
    if path == "/gone":
        return 404, b"", {}
    said = {"path": path, "length": len(body), "tags": ["a"]}
    return 201 if method == "POST" else 200, json.dumps(said).encode(), {}


def test_each_request_is_asked_once_with_a_row_of_the_data() -> None:
    workload = mix(
        {"path": "/", "weight": 3},
        {"path": "/users/{{id}}?n={{random 1 9}}&h={{hex 4}}"},
        {"path": "/orders", "body": '{"user": "{{name}}"}', "expect": {"status": 201}},
        {"path": "/raw", "body_file": "raw", "expect": {"status": 201}},
        data="users.csv",
        files={"users.csv": b"id,name\n7,ann\n8,bob\n", "raw": b"\xff{{id}}"},
    )
    found, seen = verified(workload, page)
    assert found.problems == ()
    assert seen == [
        "GET / b''",
        "GET /users/7?n=1&h=0000 b''",
        'POST /orders b\'{"user": "ann"}\'',
        "POST /raw b'\\xff{{id}}'",
    ]


def test_what_fits_a_rule_is_right() -> None:
    expect = {
        "length_between": [40, 50],
        "body_contains": ["path", '"a"'],
        "body_matches": '"length": [0-9]+',
        "json": {"path": "string|null", "length": "number", "tags": ["string"], "note?": "string"},
    }
    assert verified(mix({"path": "/12", "expect": expect}), page)[0].problems == ()


def test_a_compressed_body_is_held_to_its_own_bytes_and_not_looked_into() -> None:
    packed = gzip.compress(b"hello", mtime=0)

    def answer(*_: object) -> Answer:
        return 200, packed, {"Content-Encoding": "gzip"}

    found, _ = verified(mix({"path": "/", "expect": {"body": "hello"}}, {"path": "/b"}), answer)
    assert found.problems == ()
    assert base64.b64decode(found.bodies_base64["GET /"]) == packed
    (problem,) = verified(mix({"path": "/", "expect": {"body_contains": ["h"]}}), answer)[
        0
    ].problems
    assert "its body is compressed (gzip)" in problem


CHAIN: dict[str, Any] = {
    "once": [
        {
            "path": "/login",
            "body": "ann",
            "take": {"token": "json /session/0", "sid": "cookie sid", "csrf": "header X-CSRF"},
        }
    ]
}


def login(method: str, path: str, _body: bytes) -> Answer:
    if path != "/login":
        return 200, path.encode(), {}
    headers = {"Set-Cookie": "sid=s1; Path=/", "X-CSRF": "c1"}
    return 200, b'{"session": ["t1"]}', headers


def test_a_chain_hands_its_tokens_on() -> None:
    request = {"path": "/{{sid}}/{{csrf}}", "headers": {"X-Token": "{{token}}"}}
    found, seen = verified(mix(request, {"path": "/b"}, **CHAIN), login)
    assert found.problems == ()
    assert seen == ["POST /login b'ann'", "GET /s1/c1 t1b''", "GET /b b''"]


def test_a_token_that_is_missing_is_named() -> None:
    empty = b'{"session": []}'
    found, _ = verified(mix({"path": "/{{sid}}"}, **CHAIN), lambda *_: (200, empty, {}))
    assert "{{token}} can't be taken: there is no json /session/0 in" in found.problems[0]


def test_the_audit_asks_the_first_request_filled_in() -> None:
    workload = mix({"path": "/users/{{id}}"}, {"path": "/b"}, data="u", files={"u": b"id\n7\n"})
    with shop(page) as (port, seen):
        handle, entry = handle_and_entry("x", port)
        entry = entry.model_copy(update={"path": "/users/{{id}}"})
        found = audit([(handle, entry)], workload, sleep=lambda _: None)
    assert found["x"].kept == 20
    assert {each.split()[1] for each in seen} == {"/users/7"}
