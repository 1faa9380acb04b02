"""The engine's request file, as it is written from a workload."""

import base64
import tomllib
from pathlib import Path
from typing import Any

from bakeoff.load import job
from bakeoff.load.request_file import toml
from bakeoff.model.receipt import Handle, Verification
from bakeoff.model.workload import Workload
from tests.judge.races import Race

SERVER = Handle(name="a", address="127.0.0.1:8080", host="localhost:8080", port=8080)
MIX: dict[str, Any] = {
    "name": "shop",
    "data": "../users.csv",
    "order": "sequential",
    "request": [
        {"path": "/a", "weight": 3, "expect": {"body": "hello"}},
        {
            "name": 'a "quoted"\\\n\x7f name',
            "path": "/users/{{id}}",
            "headers": {"X-A b": "{{id}}"},
            "body_file": "x/body.bin",
            "expect": {
                "status": 201,
                "length_between": [1, 2],
                "json": {"a?": ["string|null"], "b": []},
                "headers": {"x-b": "c"},
            },
        },
    ],
    "once": [{"path": "/login", "take": {"token": "json /token"}}],
}
FILES = {"../users.csv": b"id\n1\n", "x/body.bin": b"\xff"}


def workload(given: dict[str, Any], **files: bytes) -> Workload:
    encoded = {name: base64.b64encode(content).decode() for name, content in files.items()}
    return Workload.checked(given, "x").model_copy(update={"files": encoded})


def written(folder: Path, asked: Workload, bodies: dict[str, str]) -> tuple[Path, dict[str, Any]]:
    """The file of the one target, and what it says."""
    plan = Race({"a": 1.0}).plan().model_copy(update={"workload": asked})
    seen = Verification(name="a", status=200, bodies_base64=bodies)
    (target,) = job(plan, [(SERVER, seen)], folder).targets
    assert target.requests and target.request is None
    assert (target.requests.host, target.requests.seed) == ("localhost:8080", plan.seed)
    file = Path(target.requests.file)
    return file, tomllib.loads(file.read_text())


def test_it_has_the_requests_and_beside_it_the_files(tmp_path: Path) -> None:
    packed = {"GET /a": base64.b64encode(b"packed").decode()}
    file, said = written(tmp_path, workload(MIX, **FILES), packed)
    assert file.parent == tmp_path / "requests"
    assert (file.parent / said["data"]).read_bytes() == b"id\n1\n"
    first, second = said["request"]
    assert (file.parent / first["expect"].pop("body_file")).read_bytes() == b"packed"
    assert first["expect"] == {"status": 200}, "a body as the server gives it"
    assert (first["name"], first["weight"], first["path"]) == ("GET /a", 3, "/a")
    assert (file.parent / second.pop("body_file")).read_bytes() == b"\xff"
    assert second == {
        "name": 'a "quoted"\\\n\x7f name',
        "weight": 1,
        "method": "POST",
        "path": "/users/{{id}}",
        "headers": {"X-A b": "{{id}}"},
        "expect": {
            "status": 201,
            "length_between": [1, 2],
            "json": {"a?": ["string|null"], "b": []},
        },
    }
    (once,) = said["once"]
    assert once["take"] == {"token": "json /token"}
    assert said["order"] == "sequential"


def test_one_request_has_the_path_of_its_entry(tmp_path: Path) -> None:
    asked = workload({"name": "x", "request": {"path": "/x"}, "expect": {"body_contains": ["a"]}})
    _, said = written(tmp_path, asked, {})
    (request,) = said["request"]
    assert request["path"] == Race({"a": 1.0}).plan().entry("a").path
    assert request["expect"] == {"status": 200, "body_contains": ["a"]}


def test_it_is_written_once(tmp_path: Path) -> None:
    file, _ = written(tmp_path, workload(MIX, **FILES), {})
    before = file.stat().st_mtime_ns
    written(tmp_path, workload(MIX, **FILES), {})
    assert file.stat().st_mtime_ns == before


def test_any_value_is_toml() -> None:
    value = {"a b": ["\x00\x1f\x7f\u2028é😀", {"k?": ""}], "n": 3}
    assert tomllib.loads(f"v = {toml(value)}")["v"] == value
