"""What QUIC allows, between our engine and aioquic, quic-go, quiche and quinn."""

import asyncio
import selectors
import socket
import ssl
import subprocess
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event, Thread

import pytest
from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3Connection
from aioquic.h3.events import DataReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import HandshakeCompleted, QuicEvent
from aioquic.quic.packet import QuicProtocolVersion
from aioquic.tls import SessionTicket

from bakeoff.installation import engine_path
from bakeoff.model.load import LoadResult
from bakeoff.model.protocol import Certificate
from bakeoff.start import Keeper
from bakeoff.start.certificate import make_certificate
from tests.e2e.test_contenders import built, entry_of, started
from tests.e2e.test_http3 import null
from tests.verify.http3_server import Http3, good, http_3
from tests.verify.protocols import BODY

pytestmark = pytest.mark.e2e
TAKES_EARLY_DATA = {"caddy": 38}
"""How many of 40 requests each server of others takes ahead of the handshake; none, if not here."""
CLOSE = ("--close", "--resume")
HELLO = b"Hello, World!"
UPDATES_KEYS_AFTER = {"go-nethttp": 100_000}
"""Packets of a connection, by its own setting."""


@pytest.fixture
def run(tmp_path: Path) -> Certificate:
    return make_certificate(tmp_path / "tls")


@pytest.fixture(params=["go-nethttp", "caddy", "tokio-quiche", "hyper"])
def peer(
    request: pytest.FixtureRequest, run: Certificate, tmp_path: Path
) -> Iterator[tuple[str, int]]:
    """A contender on a QUIC that is not ours to choose, and its port."""
    chosen = request.config.getoption("--contenders")
    if chosen and request.param not in chosen.split():
        pytest.skip(f"{request.param} is not among --contenders")
    contender, folder = built(request.param, tmp_path)
    entry = entry_of(contender, folder, request.param)
    with Keeper(tmp_path / "scratch") as keeper:
        handle = started(keeper, entry, tmp_path / "log", "h3", run)
        yield request.param, int(handle.address.rpartition(":")[2])


def load(run: Certificate, port: int, *words: str, body: bytes = BODY, n: int = 40) -> LoadResult:
    """Right answers on two connections, or on as many as answers."""
    asked = ["-n", str(n), "-c", "2", "--protocol", "h3", "--expect-body", body.decode(), *words]
    trusted = ["--ca", "/dev/stdin", "--server-name", "localhost"]
    ended = subprocess.run(
        [engine_path(), "load", f"https://127.0.0.1:{port}/", "--json", *trusted, *asked],
        input=run.ca_pem,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr + ended.stdout
    result = LoadResult.from_json(ended.stdout, "stdout")
    assert (result.requests, result.misses, dict(result.errors)) == (n, 0, {})
    return result


def updating(connection: Http3, stream: int, body: bytes) -> None:
    if stream == 20:  # Another update has to wait until this one is acknowledged.
        connection.update_keys()
    good(connection, stream, body)


def test_our_client_shakes_hands_and_answers_a_retry(run: Certificate) -> None:
    for retries in (False, True):
        with http_3(run, retries=retries) as port:
            kept, closing = load(run, port), load(run, port, "--close")
        assert closing.datagrams and closing.datagrams.retries == (40 if retries else 0)
        assert kept.agreed and (kept.agreed.alpn, kept.agreed.tls_version) == ("h3", "1.3")
        assert (closing.handshakes, closing.resumed) == (40, 0)


def test_our_client_follows_updates_of_keys(run: Certificate) -> None:
    with http_3(run, updating) as port:
        assert load(run, port, "--streams", "4").connects == 2


@pytest.mark.parametrize("retries", [False, True])
def test_our_client_resumes_and_sends_requests_ahead(run: Certificate, retries: bool) -> None:
    with http_3(run, retries=retries) as port:
        resumed, early = load(run, port, *CLOSE), load(run, port, *CLOSE, "--early-data")
    assert (resumed.resumed, resumed.early_accepted) == (38, None)
    assert (early.resumed, early.early_accepted, early.early_rejected) == (38, 38, 0)


def test_our_client_sends_rejected_requests_again(run: Certificate) -> None:
    with http_3(run, forgets=3) as port:
        early = load(run, port, *CLOSE, "--early-data")
    assert (early.resumed, early.early_accepted, early.early_rejected) == (26, 26, 12)
    with http_3(run, resumes=False) as port:
        early = load(run, port, *CLOSE, "--early-data")
    assert (early.resumed, early.early_accepted, early.early_rejected) == (0, 0, 0)


def test_our_client_agrees_resumes_and_follows_updates_of_keys_with_other_servers(
    peer: tuple[str, int], run: Certificate
) -> None:
    name, port = peer
    load_it = partial(load, run, port, body=HELLO)
    kept, closing = load_it(), load_it("--close")
    assert kept.agreed and (kept.agreed.alpn, kept.agreed.tls_version) == ("h3", "1.3")
    assert (kept.connects, closing.handshakes, closing.resumed) == (2, 40, 0)
    resumed, early = load_it(*CLOSE), load_it(*CLOSE, "--early-data")
    assert (resumed.resumed, resumed.early_accepted) == (38, None)
    taken = TAKES_EARLY_DATA.get(name, 0)
    assert (early.resumed, early.early_accepted, early.early_rejected) == (38, taken, 0)
    if packets := UPDATES_KEYS_AFTER.get(name):
        assert load_it("--streams", "8", n=2 * packets).connects == 2


def test_our_client_has_each_answer_of_other_servers_though_datagrams_are_lost(
    peer: tuple[str, int], run: Certificate
) -> None:
    with losing(peer[1]) as port:
        found = load(run, port, "--streams", "8", body=HELLO, n=2000)
    assert found.datagrams and found.datagrams.lost > 0


@contextmanager
def losing(port: int) -> Iterator[int]:
    """The port of a relay to a server that drops each fiftieth datagram of either direction."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as near:
        near.bind(("127.0.0.1", 0))
        over = Event()
        relay = Thread(target=_relay, args=(near, port, over))
        relay.start()
        try:
            yield near.getsockname()[1]
        finally:
            over.set()
            relay.join()


def _relay(near: socket.socket, port: int, over: Event) -> None:
    far: dict[tuple[str, int], socket.socket] = {}
    passed: Counter[bool] = Counter()
    with selectors.DefaultSelector() as ready:
        ready.register(near, selectors.EVENT_READ)
        while not over.is_set():
            for key, _ in ready.select(0.05):
                to_server = key.fileobj is near
                arrived = near if to_server else far[key.data]
                datagram, client = arrived.recvfrom(65_536)
                passed[to_server] += 1
                if passed[to_server] % 50 == 0:
                    continue
                if not to_server:
                    near.sendto(datagram, key.data)
                    continue
                if client not in far:
                    far[client] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                    far[client].connect(("127.0.0.1", port))
                    ready.register(far[client], selectors.EVENT_READ, client)
                far[client].send(datagram)
    for each in far.values():
        each.close()


class Asking(QuicConnectionProtocol):
    """A connection that asks once."""

    http: H3Connection | None = None
    shaken: HandshakeCompleted | None = None

    def ask(self) -> None:
        self.http, self.body = H3Connection(self._quic), b""
        self.is_answered = asyncio.get_running_loop().create_future()
        stream = self._quic.get_next_available_stream_id()
        fields = [(b":method", b"GET"), (b":scheme", b"https")]
        fields += [(b":authority", b"localhost"), (b":path", b"/")]
        self.http.send_headers(stream, fields, end_stream=True)
        self.transmit()

    def update_keys(self) -> None:
        self._quic.request_key_update()

    def quic_event_received(self, event: QuicEvent) -> None:
        if isinstance(event, HandshakeCompleted):
            self.shaken = event
        for each in self.http.handle_event(event) if self.http else ():
            if isinstance(each, DataReceived):
                self.body += each.data
                if each.stream_ended and not self.is_answered.done():
                    self.is_answered.set_result(self.body)


async def ask(port: int, settings: QuicConfiguration, tickets: list[SessionTicket]) -> Asking:
    """A connection after its answer, and after new keys; with a ticket it asks ahead (0-RTT)."""
    is_early = settings.session_ticket is not None
    async with connect(
        "127.0.0.1",
        port,
        configuration=settings,
        create_protocol=Asking,
        session_ticket_handler=tickets.append,
        wait_connected=not is_early,
    ) as connection:
        assert isinstance(connection, Asking)
        connection.ask()
        assert await asyncio.wait_for(connection.is_answered, 5) == HELLO
        await connection.ping()
        if not is_early:
            connection.update_keys()
            await connection.ping()
        return connection


def test_our_server_resumes_takes_requests_ahead_and_follows_updates_of_keys(
    run: Certificate,
) -> None:
    tickets: list[SessionTicket] = []
    versions: list[int] = [QuicProtocolVersion.VERSION_2, QuicProtocolVersion.VERSION_1]
    with null(run, "h3") as port:
        for expected in (False, True):
            settings = QuicConfiguration(alpn_protocols=["h3"], verify_mode=ssl.CERT_NONE)
            # It negotiates for version 1.
            settings.supported_versions = versions if not tickets else versions[1:]
            settings.original_version = settings.supported_versions[0]
            settings.session_ticket = tickets[-1] if tickets else None
            # A browser of an earlier test may have an event loop in this thread.
            with ThreadPoolExecutor(1) as thread:
                shaken = thread.submit(asyncio.run, ask(port, settings, tickets)).result().shaken
            assert shaken and shaken.alpn_protocol == "h3"
            assert (shaken.session_resumed, shaken.early_data_accepted) == (expected, expected)
