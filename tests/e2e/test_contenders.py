"""Every contender of the catalogue builds, starts, answers, stops, and leaves nothing."""

import socket
from pathlib import Path

import pytest

from bakeoff.build import build, missing_tools, out_folder
from bakeoff.model.errors import MissingPiece
from bakeoff.model.plan import Cores, Entry
from bakeoff.model.workload import RequestSection, Workload
from bakeoff.plan import Catalogue, name_contenders
from bakeoff.start import Keeper
from bakeoff.verify import answers, verify
from bakeoff.verify.exchange import connect, exchange

pytestmark = pytest.mark.e2e
CATALOGUE = Catalogue.shipped()


def sources(folder: Path) -> set[Path]:
    """Everything in a contender's folder but what a build makes."""
    return {path for path in folder.rglob("*") if ".out" not in path.parts}


@pytest.mark.parametrize("name", CATALOGUE.names())
def test_a_contender_keeps_its_promises(name: str, tmp_path: Path) -> None:
    (named,) = name_contenders([name], CATALOGUE, tmp_path)
    contender, folder = named.contender, named.folder
    assert contender and folder
    if missing := missing_tools(contender, folder):
        pytest.skip(str(MissingPiece("; ".join(map(str, missing)))))
    before = sources(folder)
    assert build(contender, folder).version
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
                    workers=1,
                    cores=Cores(server=(0,), client=(0,)),
                    host="127.0.0.1",
                    log=tmp_path / f"{copy}.log",
                    answers=answers,
                )
            )
            for workload_name, path in contender.serves.items():
                workload = CATALOGUE.workload(workload_name)
                asked = entry.model_copy(update={"path": path})
                found = verify(handles[-1], asked, workload, "keep-alive")
                assert found.problems == ()
                assert found.keeps_alive, "a race keeps connections open"
                check_old_clients(handles[-1].address, path, workload)
        for copy in ("one", "two"):
            stopped = keeper.stop(copy)
            assert stopped.survivors == ()
            assert stopped.how == "SIGTERM", "it ends when it is asked to"
    for handle in handles:
        with pytest.raises(OSError):
            connect(handle.address, timeout_s=1).close()
    assert sources(folder) == before
    assert not (tmp_path / "scratch").exists()


def check_old_clients(address: str, path: str, workload: Workload) -> None:
    """A connection per request, and a client that speaks HTTP/1.0."""
    with connect(address) as connection:
        answer = exchange(connection, RequestSection(), path, address, close=True)
        assert answer.body == (workload.expect.body or "").encode()
        assert connection.recv(1) == b"", "the server closes when it is asked to"
    with connect(address) as connection:
        connection.sendall(f"GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n".encode())
        raw = read_to_end(connection)
    assert raw.startswith((b"HTTP/1.1 200", b"HTTP/1.0 200"))
    assert raw.endswith(b"\r\n\r\n" + (workload.expect.body or "").encode())


def read_to_end(connection: socket.socket) -> bytes:
    """All bytes until the other side closes."""
    raw = b""
    while data := connection.recv(65536):
        raw += data
    return raw
