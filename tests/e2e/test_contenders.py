"""Every contender builds, starts, answers over what it says it speaks, stops, and leaves nothing.

`--contenders "nginx gunicorn"` takes some of the catalogue; without it, all race in this test.
"""

import gzip
import socket
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from bakeoff.build import build, missing_tools, out_folder
from bakeoff.model.contender import Contender
from bakeoff.model.errors import MissingPiece
from bakeoff.model.fields import filled, numbers
from bakeoff.model.plan import Cores, Entry
from bakeoff.model.protocol import (
    ALPN,
    HTTP_2,
    OVER_TLS,
    OVER_UDP,
    WITH_STREAMS,
    Certificate,
    Protocol,
)
from bakeoff.model.receipt import Handle
from bakeoff.model.request import RequestSection
from bakeoff.model.workload import Workload
from bakeoff.plan import Catalogue, resolve_contenders
from bakeoff.start import Keeper
from bakeoff.start.certificate import make_certificate
from bakeoff.verify import admits, answers, verify
from bakeoff.verify.exchange import connect, exchange
from bakeoff.verify.mix import as_sent
from tests.e2e import curl
from tests.e2e.settings import cipher_of_quic, max_concurrent_streams

pytestmark = pytest.mark.e2e
CATALOGUE = Catalogue.shipped()
WORKLOADS = CATALOGUE.root / "workloads"
PIPELINED = 16
STREAMS = 100
SLOW_STARTS = ("Java",)
"""What is written in these is started once in `make test`, over HTTP/1.1."""
OFFERS_H2_TOO = {"actix-web", "h2o"}
"""Their TLS always agrees to HTTP/2 where a client offers both; a race offers one alone."""
NO_ALPN = {
    "aiohttp",
    "bun",
    "django",
    "fastapi",
    "flask",
    "gunicorn",
    "hono-bun",
    "litestar",
    "micronaut",
    "mojolicious",
    "spring-boot",
    "uvicorn",
}
"""They agree on nothing and speak HTTP/1.1."""
PREFERS_AES_256 = {"hypercorn"}
"""They have no setting for the ciphers of QUIC, and take this one."""
ROOMS_OF_EACH_PROCESS = {"bun", "uvicorn"}
"""With several workers each of their processes has rooms of its own."""
ANSWERS_AT_ONCE = {"bun"}
"""They close a connection on which a request comes while an earlier one waits for its answer."""
FROM_DATABASE = {"row", "page"}
"""They are asked over plain HTTP/1.1 alone: the protocol is none of the database's."""
PASSED_ON = "ws-forward"
"""Its upstream is not that of the others: what serves it has a test of its own."""
REFUSE_ODD_KEYS = {"django", "express", "fastapi", "hono", "koa", "nestjs", "php-fpm", "starlette"}
"""They blame the client for a key that is not a number; the others were not tried."""
TAKE_TIME = {"slow", "forward", "forward-1ms", "forward-10ms", "static-1m", *FROM_DATABASE}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    chosen = metafunc.config.getoption("--contenders")
    names = chosen.split() if chosen else CATALOGUE.names()
    if "proxy" in metafunc.fixturenames:
        files = {name: CATALOGUE.folder(name) / "contender.toml" for name in names}
        metafunc.parametrize(
            "proxy",
            [name for name, file in files.items() if PASSED_ON in Contender.read_toml(file).serves],
        )
    elif "protocol" in metafunc.fixturenames:
        metafunc.parametrize(("name", "protocol"), list(spoken(names)))
    elif "name" in metafunc.fixturenames:
        metafunc.parametrize("name", names)


def spoken(names: list[str]) -> Iterator[object]:
    """Each contender with each protocol that it speaks beside its first one."""
    for name in names:
        contender = Contender.read_toml(CATALOGUE.folder(name) / "contender.toml")
        marks = [pytest.mark.slow] if contender.language in SLOW_STARTS else []
        for protocol in contender.protocols:
            if protocol != contender.protocols[0]:
                yield pytest.param(name, protocol, marks=marks)


def usual(contender: Contender) -> RequestSection:
    """What shows that it is ready: a server of gRPC or WebSocket need not answer anything else."""
    if "hello" in contender.serves:
        return RequestSection()
    name, path = next(iter(contender.serves.items()))
    workload = CATALOGUE.workload(name)
    return as_sent(workload, workload.first.model_copy(update={"path": path}), {})


def sources(folder: Path) -> set[Path]:
    """Everything in a contender's folder but what a build makes."""
    return {path for path in folder.rglob("*") if ".out" not in path.parts}


def built(name: str, tmp_path: Path) -> tuple[Contender, Path]:
    """The contender and its folder, once it is built. Skips where a tool is missing."""
    (named,) = resolve_contenders([name], CATALOGUE, tmp_path)
    contender, folder = named.contender, named.folder
    assert contender and folder
    if missing := missing_tools([(contender, folder)])[0]:
        pytest.skip(str(MissingPiece("; ".join(map(str, missing)))))
    assert build(contender, folder).version
    return contender, folder


def around(keeper: Keeper, tmp_path: Path, *, database: bool = False) -> dict[str, str]:
    """What contenders find around them in a race, of all workloads at once."""
    workloads = [CATALOGUE.workload(path.stem) for path in WORKLOADS.glob("*.toml")]
    files = {name: size for each in workloads for name, size in each.static_files.items()}
    static = tmp_path / "static"
    static.mkdir()
    for name, size in files.items():
        (static / name).write_bytes(numbers(size))
    environment = {"STATIC_DIR": str(static)}
    upstream = behind(keeper, tmp_path, "forward-1ms", answers)
    environment["UPSTREAM"] = f"http://{upstream}"
    if database:
        address = behind(keeper, tmp_path, "row", admits, ROWS="10000", PASSWORD="x")
        environment["DATABASE_URL"] = f"postgres://bench:x@{address}/postgres"
    return environment


def behind(
    keeper: Keeper,
    tmp_path: Path,
    workload: str,
    ready: Callable[[str, int], str | None],
    **environment: str,
) -> str:
    """The address of what is behind contenders. Skips where a tool is missing."""
    upstream = CATALOGUE.upstream(CATALOGUE.workload(workload))
    assert upstream and upstream.contender and upstream.folder
    folder = Path(upstream.folder)
    if missing := missing_tools([(upstream.contender, folder)])[0]:
        pytest.skip(str(MissingPiece("; ".join(map(str, missing)))))
    build(upstream.contender, folder)
    log = tmp_path / f"{upstream.name}.log"
    return started(keeper, upstream, log, environment=environment, ready=ready).address


def entry_of(contender: Contender, folder: Path, name: str, path: str = "/") -> Entry:
    return Entry(
        name=name,
        title=contender.title,
        origin="catalogue",
        contender=contender,
        folder=str(folder),
        path=path,
    )


def started(
    keeper: Keeper,
    entry: Entry,
    log: Path,
    protocol: Protocol = "h1",
    certificate: Certificate | None = None,
    *,
    environment: dict[str, str] | None = None,
    workers: int = 1,
    ready: Callable[[str, int], str | None] | None = None,
) -> Handle:
    """A server that is ready once it answers as `ready` says, or else its usual request."""
    assert entry.contender and entry.folder
    tls = certificate.client if certificate and protocol in OVER_TLS else None
    usually = partial(answers, protocol=protocol, tls=tls, request=usual(entry.contender))
    return keeper.start(
        entry,
        out=out_folder(Path(entry.folder)),
        workers=workers,
        cores=Cores(server=(0,), client=(0,)),
        host="127.0.0.1",
        log=log,
        answers=ready or usually,
        protocol=protocol,
        certificate=certificate,
        environment=environment,
    )


def test_a_contender_keeps_its_promises(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "a place"
    place.mkdir()
    contender, folder = built(name, place)
    before = sources(folder)
    home = place / "home"  # Where programs like to leave things.
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_STATE_HOME", str(place / "state"))  # Where we say what we started.
    protocol = contender.protocols[0]
    certificate = make_certificate(place / "certificate") if protocol in OVER_TLS else None
    with Keeper(place / "scratch") as keeper:
        environment = around(keeper, place, database=not FROM_DATABASE.isdisjoint(contender.serves))
        handles = []
        for copy in ("one", "two"):
            entry, log = entry_of(contender, folder, copy), tmp_path / f"{copy}.log"
            handles.append(
                started(
                    keeper, entry, log, protocol, certificate, environment=environment, workers=2
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
    assert not (place / "scratch").exists()


def test_a_contender_speaks_the_protocols_that_it_names(
    name: str, protocol: Protocol, tmp_path: Path
) -> None:
    place = tmp_path / "a place"
    place.mkdir()
    contender, folder = built(name, place)
    certificate = make_certificate(place / "certificate")
    ca = place / "ca.pem"
    ca.write_text(certificate.ca_pem)
    entry = entry_of(contender, folder, name)
    tls = certificate.client if protocol in OVER_TLS else None
    with Keeper(place / "scratch") as keeper:
        environment, log = around(keeper, place), place / "log"
        handle = started(
            keeper, entry, log, protocol, certificate, environment=environment, workers=2
        )
        for workload_name in contender.serves.keys() - FROM_DATABASE - {PASSED_ON}:
            workload, path = CATALOGUE.workload(workload_name), contender.serves[workload_name]
            asked = entry.model_copy(update={"path": path})
            lacking = WITH_STREAMS if workload.websocket else OVER_UDP if workload.held else ()
            if protocol in lacking:
                continue
            assert verify(handle, asked, workload).problems == ()
            if workload.exchange or protocol in OVER_UDP:
                continue  # curl knows neither trailers nor messages, and Debian's no HTTP/3.
            met = curl.ask(handle.address, protocol, workload.request, path, ca)
            check_answer(met, workload)
            check_terms(met, name, protocol)
        if tls and protocol in OVER_UDP:
            chosen = "256_GCM_SHA384" if name in PREFERS_AES_256 else "128_GCM_SHA256"
            assert cipher_of_quic(handle.address, tls) == f"TLS_AES_{chosen}"
        elif tls and "hello" in contender.serves:
            check_terms_with_others(handle.address, name, protocol, ca)
        if protocol in HTTP_2:
            assert max_concurrent_streams(handle.address, ca if tls else None) >= STREAMS
        stopped = keeper.stop(name)
        assert (stopped.how, stopped.survivors) == ("SIGTERM", ())


def test_a_proxy_passes_messages_on(proxy: str, tmp_path: Path) -> None:
    place = tmp_path / "a place"
    place.mkdir()
    contender, folder = built(proxy, place)
    certificate = make_certificate(place / "certificate")
    workload = CATALOGUE.workload(PASSED_ON)
    with Keeper(place / "scratch") as keeper:
        upstream = behind(keeper, place, PASSED_ON, answers, DELAY_MS="0")
        environment = {"UPSTREAM": f"http://{upstream}", "STATIC_DIR": str(place)}
        for protocol in ("h1", "h1-tls"):
            path = contender.serves[PASSED_ON]
            entry, log = entry_of(contender, folder, f"{proxy} {protocol}", path), place / protocol
            handle = started(keeper, entry, log, protocol, certificate, environment=environment)
            assert verify(handle, entry, workload, PIPELINED).problems == ()


def check_answer(met: curl.Met, workload: Workload) -> None:
    """The same answer as over HTTP/1.1 in cleartext."""
    assert met.status == workload.expect.status
    for header, begins in workload.expect.headers.items():
        assert met.headers.get(header, "").startswith(begins)
    if workload.expect.events:
        return
    compressed = met.headers.get("content-encoding") == "gzip"
    body = gzip.decompress(met.body) if compressed else met.body
    assert body == (workload.expect.content or b"")


def check_terms(met: curl.Met, name: str, protocol: Protocol) -> None:
    """What client and server agreed on is what a race compares, the same for all."""
    if protocol in HTTP_2:
        assert met.version == "2"
    else:
        assert met.version == "1.1"
    if protocol in OVER_TLS:
        assert (met.tls, met.cipher) == ("TLSv1.3", "TLS_AES_128_GCM_SHA256")
        silent = protocol == "h1-tls" and name in NO_ALPN
        assert met.alpn == ("" if silent else ALPN[protocol])


def check_terms_with_others(address: str, name: str, protocol: Protocol, ca: Path) -> None:
    """TLS 1.2 is spoken, too; and HTTP/1.1, where it is asked for, with a client that has both."""
    request = CATALOGUE.workload("hello").request
    old = curl.ask(address, protocol, request, "/", ca, "--tls-max", "1.2")
    assert (old.tls, old.cipher) == ("TLSv1.2", "ECDHE-ECDSA-AES128-GCM-SHA256")
    if protocol == "h1-tls":
        both = curl.ask(address, protocol, request, "/", ca, "--http2")
        assert both.version == ("2" if name in OFFERS_H2_TOO else "1.1")


def check_answers(handle: Handle, entry: Entry, contender: Contender) -> None:
    """Each workload that it serves, by each kind of client."""
    name = contender.name
    for workload_name, path in contender.serves.items():
        if workload_name == PASSED_ON:
            continue
        workload = CATALOGUE.workload(workload_name)
        if workload.room and name in ROOMS_OF_EACH_PROCESS:
            continue
        asked = entry.model_copy(update={"path": path})
        ahead = PIPELINED if workload.websocket else 1
        found = verify(handle, asked, workload, ahead)
        assert found.problems == ()
        assert found.keeps_alive, "a race keeps connections open"
        if handle.protocol in WITH_STREAMS or workload.websocket or workload.expect.events:
            continue  # Of a stream, each event has been read above.
        sent = filled(path, workload.row())
        check_old_clients(handle.address, sent, workload)
        if workload_name == "row" and name in REFUSE_ODD_KEYS:
            with connect(handle.address) as connection:
                odd = exchange(
                    connection, workload.request, "/row?id=x", handle.address, close=True
                )
            assert 400 <= odd.status < 500, "the key is not a number"
        if contender.pipelines and not (name in ANSWERS_AT_ONCE and workload_name in TAKE_TIME):
            check_pipelining(handle.address, sent, workload)


def check_old_clients(address: str, path: str, workload: Workload) -> None:
    """A connection per request, and a client that speaks HTTP/1.0."""
    body = workload.expected_body(workload.expect) or b""
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
        raw = bytearray()
        while raw.count(b"HTTP/1.1 200") < PIPELINED:
            data = connection.recv(65536)
            assert data, f"it answered {raw.count(b'HTTP/1.1 200')} of {PIPELINED} and closed"
            raw += data


def request_bytes(address: str, path: str, workload: Workload, version: str) -> bytes:
    """A request as an old or a hasty client sends it."""
    asked = workload.request
    headers = {"Host": address, **asked.headers}
    if asked.content:
        headers["Content-Length"] = str(len(asked.content))
    lines = [f"{asked.method} {path} HTTP/{version}", *(f"{k}: {v}" for k, v in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode() + asked.content


def read_to_end(connection: socket.socket) -> bytes:
    raw = b""
    while data := connection.recv(65536):
        raw += data
    return raw
