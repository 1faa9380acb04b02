"""Every contender builds, starts, answers, stops, and leaves nothing.

`--contenders "nginx gunicorn"` takes some of the catalogue; without it, all race in this test.
"""

import socket
from pathlib import Path

import pytest

from bakeoff.build import build, missing_tools, out_folder
from bakeoff.model.contender import Contender
from bakeoff.model.errors import MissingPiece
from bakeoff.model.plan import Cores, Entry
from bakeoff.model.receipt import Handle
from bakeoff.model.workload import Workload
from bakeoff.plan import Catalogue, resolve_contenders
from bakeoff.start import Keeper
from bakeoff.verify import answers, verify
from bakeoff.verify.exchange import connect, exchange

pytestmark = pytest.mark.e2e
CATALOGUE = Catalogue.shipped()
PIPELINED = 16


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    chosen = metafunc.config.getoption("--contenders")
    if "name" in metafunc.fixturenames:
        metafunc.parametrize("name", chosen.split() if chosen else CATALOGUE.names())


def sources(folder: Path) -> set[Path]:
    """Everything in a contender's folder but what a build makes."""
    return {path for path in folder.rglob("*") if ".out" not in path.parts}


def test_a_contender_keeps_its_promises(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (named,) = resolve_contenders([name], CATALOGUE, tmp_path)
    contender, folder = named.contender, named.folder
    assert contender and folder
    if missing := missing_tools(contender, folder):
        pytest.skip(str(MissingPiece("; ".join(map(str, missing)))))
    before = sources(folder)
    assert build(contender, folder).version
    home = tmp_path / "home"  # Where programs like to leave things.
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    with Keeper(tmp_path / "scratch") as keeper:
        handles = []
        for copy in ("one", "two"):
            entry = Entry(
                name=copy,
                title=name,
                origin="catalogue",
                contender=contender,
                folder=str(folder),
                path="/",
            )
            handles.append(
                keeper.start(
                    entry,
                    out=out_folder(folder),
                    workers=2,
                    cores=Cores(server=(0,), client=(0,)),
                    host="127.0.0.1",
                    log=tmp_path / f"{copy}.log",
                    answers=answers,
                )
            )
            check_answers(handles[-1], entry, contender)
        for copy in ("one", "two"):
            stopped = keeper.stop(copy)
            assert stopped.survivors == ()
            assert stopped.how == "SIGTERM", "it ends when it is asked to"
    for handle in handles:
        with pytest.raises(OSError):
            connect(handle.address, timeout_s=1).close()
    assert sources(folder) == before
    assert not list(home.iterdir())
    assert not (tmp_path / "scratch").exists()


def check_answers(handle: Handle, entry: Entry, contender: Contender) -> None:
    """Each workload that it serves, by each kind of client."""
    for workload_name, path in contender.serves.items():
        workload = CATALOGUE.workload(workload_name)
        asked = entry.model_copy(update={"path": path})
        found = verify(handle, asked, workload, "keep-alive")
        assert found.problems == ()
        assert found.keeps_alive, "a race keeps connections open"
        check_old_clients(handle.address, path, workload)
        if contender.pipelines:
            check_pipelining(handle.address, path, workload)


def check_old_clients(address: str, path: str, workload: Workload) -> None:
    """A connection per request, and a client that speaks HTTP/1.0."""
    body = (workload.expect.body or "").encode()
    with connect(address) as connection:
        answer = exchange(connection, workload.request, path, address, close=True)
        assert answer.content == body
        assert connection.recv(1) == b"", "the server closes when it is asked to"
    if workload.expect.headers.get("content-encoding"):
        return  # Whether HTTP/1.0 may be compressed is each server's own affair.
    with connect(address) as connection:
        connection.sendall(request_bytes(address, path, workload, "1.0"))
        raw = read_to_end(connection)
    assert raw.startswith((b"HTTP/1.1 200", b"HTTP/1.0 200"))
    assert raw.endswith(b"\r\n\r\n" + body)


def check_pipelining(address: str, path: str, workload: Workload) -> None:
    """Requests that don't wait for answers are all answered."""
    with connect(address) as connection:
        connection.sendall(PIPELINED * request_bytes(address, path, workload, "1.1"))
        raw = b""
        while raw.count(b"HTTP/1.1 200") < PIPELINED:
            data = connection.recv(65536)
            assert data, f"it answered {raw.count(b'HTTP/1.1 200')} of {PIPELINED} and closed"
            raw += data


def request_bytes(address: str, path: str, workload: Workload, version: str) -> bytes:
    """A request as an old or a hasty client sends it."""
    asked = workload.request
    headers = {"Host": address, **asked.headers}
    if asked.body:
        headers["Content-Length"] = str(len(asked.body))
    lines = [f"{asked.method} {path} HTTP/{version}", *(f"{k}: {v}" for k, v in headers.items())]
    return "\r\n".join([*lines, "", asked.body]).encode()


def read_to_end(connection: socket.socket) -> bytes:
    """All bytes until the other side closes."""
    raw = b""
    while data := connection.recv(65536):
        raw += data
    return raw
