"""Races over HTTP/3 with real servers and the real engine, and servers without it."""

import shlex
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import pytest

from bakeoff.installation import engine_path
from bakeoff.model.ci import Ci
from bakeoff.model.protocol import Certificate
from bakeoff.model.samples import Block
from bakeoff.model.verdict import Verdict
from bakeoff.runs import open_run
from bakeoff.start.certificate import make_certificate
from bakeoff.verify import answers
from tests.e2e.conftest import QUICK, Place
from tests.repositories import WHO, commit, git, new_repository
from tests.verify.http3_server import closed, of_another_alpn, silent
from tests.verify.protocols import a_server
from tests.waiting import wait_for

pytestmark = pytest.mark.e2e


@pytest.fixture
def run(tmp_path: Path) -> Certificate:
    return make_certificate(tmp_path / "tls")


@pytest.fixture
def server(place: Place) -> str:
    """The command of a server of each protocol over TLS."""
    speaks = '--protocol $PROTOCOL --listen $HOST:$PORT --cert "$TLS_CERT" --key "$TLS_KEY"'
    (place.path / "null.sh").write_text(f"exec {shlex.quote(str(engine_path()))} null {speaks}\n")
    return "sh null.sh"


def test_three_protocols_of_one_server_are_one_race(place: Place, server: str) -> None:
    words = ["race", server, "--protocol", "h1-tls,h2,h3", "-d", "2", *QUICK, "--json", "-"]
    ended = place.bakeoff(*words)
    assert ended.status == 0, ended.err
    verdict = Verdict.from_json(ended.out, "stdout")
    by_protocol = {each.protocol: each for each in verdict.entries}
    assert by_protocol.keys() == {"h1-tls", "h2", "h3"}
    assert all(each.valid and not each.error_kinds for each in verdict.entries)
    over_quic = by_protocol["h3"]
    assert over_quic.work and over_quic.work.agreed and over_quic.work.audit
    assert (over_quic.work.agreed.alpn, over_quic.work.agreed.tls_version) == ("h3", "1.3")
    assert over_quic.work.audit.segments is None and over_quic.work.audit.http2 is None
    assert over_quic.work.audit.tls and over_quic.work.audit.tls.alpn == "h3"
    assert over_quic.cpu_us_per_request.server and over_quic.memory_mib.loaded
    assert over_quic.datagrams and over_quic.datagrams.received >= over_quic.requests
    assert [each.protocol for each in verdict.entries if each.datagrams] == ["h3"]
    records = open_run(place.path / "runs" / "latest").records()
    blocks = [each for each in records if isinstance(each, Block)]
    seen = {each.entry: each.event.datagrams for block in blocks for each in block.slices}
    assert [name for name, datagrams in seen.items() if datagrams] == [over_quic.name]


def test_streams_and_a_connection_for_each_request(place: Place, server: str) -> None:
    for more, made in (["--streams", "4"], False), (["--close"], True):
        words = ["race", server, "--protocol", "h3", "-d", "1", *QUICK, *more, "--json", "-"]
        ended = place.bakeoff(*words)
        assert ended.status == 0, ended.err
        (entry,) = Verdict.from_json(ended.out, "stdout").entries
        assert entry.valid and not entry.error_kinds
        assert (entry.connects > entry.requests / 2) == made


def test_two_revisions_are_raced(
    place: Place, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**WHO, "XDG_CACHE_HOME": str(place.path / "cache")}.items():
        monkeypatch.setenv(name, value)
    program = (place.path / "null.sh").read_text()
    files = {"null.sh": program, "bakeoff.toml": f'contender = "{server}"\nprotocol = "h3"\n'}
    shop = Place(new_repository(place.path / "a shop", files))
    git(shop.path, "checkout", "--quiet", "-b", "change")
    commit(shop.path, {"null.sh": f"# again\n{program}"}, "a change")
    words = ["-c", "8", "--warm-up", "1s", "-d", "2", "--gate", "head >= 0.2 * base"]
    ended = shop.bakeoff("ci", *words, "--json", "ci.json")
    assert ended.status == 0, ended.err
    made = Ci.read_json(shop.path / "ci.json")
    assert made.passes and {each.protocol for each in made.race.entries} == {"h3"}
    assert all(each.valid and each.datagrams for each in made.race.entries)


@contextmanager
def null(run: Certificate, protocol: str) -> Iterator[int]:
    """The port of a server that somebody else runs."""
    with socket.socket(type=socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = ["null", "--protocol", protocol, "--listen", f"127.0.0.1:{port}"]
    with subprocess.Popen(
        [engine_path(), *words, "--cert", run.cert, "--key", run.key], stdout=subprocess.DEVNULL
    ) as process:
        try:
            wait_for(lambda: answers("127.0.0.1", port, "h3", run.client) is None)
            yield port
        finally:
            process.kill()


def test_a_url_is_raced_and_the_process_behind_its_udp_port_is_found(
    place: Place, run: Certificate
) -> None:
    (place.path / "ca.pem").write_text(run.ca_pem)
    with null(run, "h3") as port:
        url = f"https://localhost:{port}/"
        words = ["race", url, "--protocol", "h3", "-d", "1", *QUICK, "--ca", "ca.pem"]
        ended = place.bakeoff(*words, "--json", "-")
        as_h2 = place.bakeoff("race", url, "--protocol", "h2", "-d", "1", *QUICK, "--insecure")
    assert ended.status == 0, ended.err
    (entry,) = Verdict.from_json(ended.out, "stdout").entries
    assert entry.protocol == "h3" and entry.cpu_us_per_request.server
    assert as_h2.status == 3 and "nothing listens at 127.0.0.1:" in as_h2.err


@contextmanager
def without(run: Certificate) -> Iterator[int]:
    with a_server("h2", run) as port, suppress(OSError):
        yield port


@pytest.mark.parametrize(
    ("other", "fault"),
    [
        (closed, "nothing listens at UDP 127.0.0.1:{}; nothing listens at its TCP port either"),
        (silent, "QUIC's handshake was not answered within 5 s: UDP is blocked, or "),
        (without, "nothing listens at UDP 127.0.0.1:{}; over TCP it offers h2"),
        (of_another_alpn, "offered h3 by ALPN, it selected none, and refused the handshake"),
    ],
)
def test_a_server_without_it_is_out_with_what_it_offers_instead(
    other: Callable[[Certificate], AbstractContextManager[int]],
    fault: str,
    place: Place,
    run: Certificate,
) -> None:
    with other(run) as port:
        url = f"https://127.0.0.1:{port}/"
        words = ["race", url, "--protocol", "h3", "--insecure", "-d", "1", *QUICK]
        ended = place.bakeoff(*words)
    assert ended.status == 3 and "Traceback" not in ended.err
    assert f"GET /: {fault.format(port)}" in " ".join(ended.err.split())
