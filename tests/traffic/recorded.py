"""Recordings as browsers and servers write them."""

import base64
import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from bakeoff.cli.app import app
from bakeoff.traffic import Choices, Recording, draft, toml_of


def entry(
    url: str,
    method: str = "GET",
    *,
    status: int = 200,
    headers: dict[str, str] | None = None,
    body: str | None = None,
    kind: str = "text/html; charset=utf-8",
    answer: Any = None,
    encoding: str = "identity",
    **more: Any,
) -> dict[str, Any]:
    """One entry of a HAR; `answer` is JSON."""
    content: dict[str, Any] = {"mimeType": kind}
    if answer is not None:
        content |= {"text": json.dumps(answer), "mimeType": "application/json"}
    pairs = [{"name": name, "value": value} for name, value in (headers or {}).items()]
    request: dict[str, Any] = {"method": method, "url": url, "headers": pairs}
    if body is not None:
        request |= {"postData": {"text": body}, "bodySize": len(body)}
    encodings = [{"name": "Content-Encoding", "value": encoding}]
    response = {"status": status, "headers": encodings, "content": content}
    return {"request": request, "response": response, **more}


def binary(url: str, data: bytes) -> dict[str, Any]:
    posted = {"text": base64.b64encode(data).decode(), "encoding": "base64"}
    made = entry(url, "POST", headers={"Content-Type": "application/octet-stream"})
    made["request"] |= {"postData": posted, "bodySize": len(data)}
    return made


def har(folder: Path, *entries: dict[str, Any]) -> Path:
    path = folder / "shop.har"
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": entries}}))
    return path


def log(folder: Path, *lines: str) -> Path:
    path = folder / "access.log"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def combined(path: str, method: str = "GET", status: int = 200, before: str = "") -> str:
    when = "[23/Nov/2026:05:00:00 +0000]"
    return f'{before}10.0.0.1 - - {when} "{method} {path} HTTP/1.1" {status} 12 "-" "Mozilla/5.0"'


def written(recording: Recording, **choices: Any) -> str:
    return toml_of(draft(recording, Choices("shop", **choices)))


def bakeoff(*words: str, given: str | None = None) -> Result:
    return CliRunner().invoke(app, ["workload", *words], input=given, env={"COLUMNS": "160"})
