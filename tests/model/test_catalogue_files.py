"""Every contender.toml and workload that we ship keeps its contract."""

import hashlib
import json
import re
import shlex
from itertools import compress
from pathlib import Path

import pytest

from bakeoff.model.contender import Contender
from bakeoff.model.protocol import HTTP_2
from bakeoff.model.workload import Workload
from bakeoff.plan import Catalogue

CATALOGUE = Catalogue.shipped()
WORKLOADS = sorted(path.stem for path in (CATALOGUE.root / "workloads").glob("*.toml"))


@pytest.mark.parametrize("name", CATALOGUE.names())
def test_a_contender_is_complete(name: str) -> None:
    contender = Contender.read_toml(CATALOGUE.folder(name) / "contender.toml")
    assert contender.name == name
    assert contender.version, "a receipt needs a version"
    served = set(contender.serves)
    alone = (
        {"grpc-hello", "grpc-stream"},
        {"ws-echo", "ws-echo-64k", "ws-echo-deflate", "ws-fanout"},
        {"forward", "forward-1ms", "forward-10ms", "stream-forward"},
    )
    assert {"hello", "empty", "json"} <= served or served in alone
    assert "grpc-hello" not in served or HTTP_2.issuperset(contender.protocols)
    assert set(contender.serves) <= set(WORKLOADS)
    assert all(requirement.apt for requirement in contender.requires.values())


@pytest.mark.parametrize("name", CATALOGUE.names())
def test_a_shells_words_keep_together_in_a_folder_with_a_space(name: str) -> None:
    contender = Contender.read_toml(CATALOGUE.folder(name) / "contender.toml")
    build = contender.build.command if contender.build else ()
    assert contender.version
    for command in (*build, contender.run.command, contender.version.command):
        words = shlex.split(command)
        if words[:2] == ["sh", "-c"]:
            bare = re.findall(r'(?<!")\{(?:out|here)\}', words[2])
            assert not bare, f"{command}: quote what is filled in"


def test_the_readme_of_the_project_says_how_many_there_are() -> None:
    said = (CATALOGUE.root.parent / "README.md").read_text()
    assert f"the catalogue of {len(CATALOGUE.names())} servers" in said


def test_the_readme_says_who_speaks_what() -> None:
    lines = (CATALOGUE.root / "contenders" / "README.md").read_text().splitlines()
    head = lines.index("| contender | h1-tls | h2c | h2 | h3 |")
    said = {}
    for line in lines[head + 2 : lines.index("", head)]:
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        said[name] = {"h1", *compress(("h1-tls", "h2c", "h2", "h3"), cells)}
    files = (CATALOGUE.folder(name) / "contender.toml" for name in CATALOGUE.names())
    contenders = map(Contender.read_toml, files)
    # Servers of gRPC have a sentence, and so has the one of HTTP/3 alone.
    spoken = {each.name: set(each.protocols) for each in contenders if "h1" in each.protocols}
    assert said == spoken


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_workload_has_the_name_of_its_file(name: str) -> None:
    path = CATALOGUE.root / "workloads" / f"{name}.toml"
    assert Workload.read_toml(path).name == name


def test_what_is_uploaded_has_the_digest_that_is_expected() -> None:
    upload = CATALOGUE.workload("upload")
    assert len(upload.request.content) == 1024 * 1024
    assert upload.expect.body == hashlib.sha256(upload.request.content).hexdigest()


@pytest.mark.parametrize("name", [name for name in WORKLOADS if name.startswith("static-")])
def test_a_file_is_what_is_expected_of_who_serves_it(name: str) -> None:
    workload = CATALOGUE.workload(name)
    ((file, length),) = workload.static_files.items()
    assert workload.request.path == f"/static/{file}"
    assert workload.expect.body_bytes == length


@pytest.mark.parametrize("name", ["row", "page"])
def test_every_row_that_is_asked_for_is_in_the_database(name: str) -> None:
    workload = CATALOGUE.workload(name)
    columns, rows = workload.table()
    shelves = range(1, (workload.database_rows or 0) // 20 + 1)
    for row in rows:
        values = dict(zip(columns, row, strict=True))
        assert int(values["shelf"]) in shelves
        if name == "row":
            shelf, place = divmod(int(values["id"]), 100)
            assert shelf == int(values["shelf"]) and 1 <= place <= 20


def test_a_page_has_twenty_rows_of_the_kind_that_row_has() -> None:
    row, page = (json.loads(known_body(CATALOGUE.workload(name))) for name in ("row", "page"))
    assert len(page) == 20
    assert all(list(each) == list(row) == ["id", "shelf", "name"] for each in page)
    assert [each["id"] % 100 for each in page] == list(range(1, 21))


def known_body(workload: Workload) -> bytes:
    body = workload.expected_body(workload.expect)
    assert body
    return body


FEW = (
    *("get", "json-gzip", "grpc-hello", "grpc-stream"),
    *("events", "stream-forward", "ws-echo", "ws-echo-64k", "ws-echo-deflate", "ws-forward"),
    *("ws-fanout", "beside-streams"),
)
"""What only some can do."""


@pytest.mark.parametrize("name", [name for name in WORKLOADS if name not in FEW])
def test_at_least_ten_serve_a_workload(name: str) -> None:
    files = [CATALOGUE.folder(each) / "contender.toml" for each in CATALOGUE.names()]
    workload = CATALOGUE.workload(name)
    assert sum(bool(Contender.read_toml(path).path_for(workload)) for path in files) >= 10


def test_each_request_of_the_mix_is_what_the_workload_of_its_name_asks_for() -> None:
    mix = CATALOGUE.workload("mix")
    assert mix.is_mix
    for name, request in mix.by_name.items():
        own = CATALOGUE.workload(name)
        sent = own.first.model_copy(update={"weight": request.weight, "name": name})
        assert request == sent
        assert own.static_files.items() <= mix.static_files.items()


def test_a_browsers_request_has_a_browsers_size() -> None:
    headers = CATALOGUE.workload("headers").request.headers
    assert len(headers) >= 20
    assert 1400 < sum(len(f"{name}: {value}\r\n") for name, value in headers.items()) < 2500


def test_the_default_line_up_is_in_the_catalogue() -> None:
    assert set(CATALOGUE.default_line_up()) <= set(CATALOGUE.names())


def test_a_small_answer_is_the_same_before_and_after_compression() -> None:
    plain, compressed = map(CATALOGUE.workload, ("json", "json-gzip"))
    assert plain.expect.body == compressed.expect.body
    assert plain.request.path == compressed.request.path


def test_no_file_of_ours_names_a_registry() -> None:
    hints = ("regis" + "try.", "index" + "-url")
    for path in Path(CATALOGUE.root, "contenders").rglob("*"):
        if path.is_file() and ".out" not in path.parts:
            text = path.read_text(errors="replace")
            assert not [hint for hint in hints if hint in text], path
