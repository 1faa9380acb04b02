"""What the recorder expects, and the options of bakeoff that request just that."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ORDER = '{"id": 7, "name": "Zoë"}'
UPLOAD = "x" * 100_000
TYPED = {"accept": r"\*/\*"}
"""A request that is typed has what curl sends."""


@dataclass(frozen=True)
class Traffic:
    """Options for the command line, files that they name, and the requests that are expected."""

    options: Sequence[str]
    requests: Sequence[dict[str, Any]]
    files: dict[str, str] = field(default_factory=dict)
    closes: bool = False


def request(
    method: str,
    path: str,
    headers: dict[str, str] | None = None,
    body: str = "",
    answer: str = "Hi",
) -> dict[str, Any]:
    given = {"method": method, "path": path, "headers": headers or {}}
    return {**given, "body": body, "answer": answer}


MIX = """
name = "shop"
data = "users.csv"
[[request]]
path = "/users/{{id}}"
weight = 3
headers = { Accept = "application/json" }
[[request]]
path = "/orders?n={{random 1 9}}"
body = '{"user": {{id}}}'
"""
CHAIN = """
name = "session"
[[once]]
path = "/login"
body = '{"user": "ann"}'
take = { token = "json /token" }
[[request]]
path = "/cart"
headers = { Authorization = "Bearer {{token}}" }
"""
KEYED = Traffic(
    ("--request", "/api?x=1", "-H", "X-Key: k"),
    [request("GET", r"/api\?x=1", {**TYPED, "x-key": "k"})],
)
POSTED = Traffic(
    ("--request", "POST /api/orders", "-H", "Content-Type: application/json", "-b", "@order.json"),
    [
        request(
            "POST",
            "/api/orders",
            {**TYPED, "content-type": "application/json"},
            ORDER,
            '{"ok": true}',
        )
    ],
    {"order.json": ORDER},
)
TRAFFIC = {
    "header": KEYED,
    "post": POSTED,
    "upload": Traffic(
        ("--request", "PUT /file", "-b", "@upload"),
        [request("PUT", "/file", {**TYPED, "content-length": "100000"}, UPLOAD)],
        {"upload": UPLOAD},
    ),
    "mix": Traffic(
        ("--workload", "./mix.toml"),
        [
            request("GET", r"/users/[1-3]", {"accept": "application/json"}),
            *(request("POST", r"/orders\?n=[1-9]", {}, f'{{"user": {n}}}') for n in (1, 2, 3)),
        ],
        {"mix.toml": MIX, "users.csv": "id\n1\n2\n3\n"},
    ),
    "chain": Traffic(
        ("--workload", "./chain.toml"),
        [
            request("POST", "/login", {}, '{"user": "ann"}', '{"token": "t0ken"}'),
            request("GET", "/cart", {"authorization": "Bearer t0ken"}),
        ],
        {"chain.toml": CHAIN},
    ),
}


def furnish(folder: Path, traffic: Traffic) -> Path:
    """The files of `traffic` in `folder`; the one that the recorder reads."""
    for name, content in traffic.files.items():
        (folder / name).write_text(content)
    expected = folder / "expected.json"
    expected.write_text(json.dumps({"requests": traffic.requests, "closes": traffic.closes}))
    return expected
