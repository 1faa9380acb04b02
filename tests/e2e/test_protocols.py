"""Races over TLS and HTTP/2, with real servers, certificates and the real engine."""

import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bakeoff.model.protocol import OVER_UDP, PROTOCOLS, Protocol
from bakeoff.model.samples import Block
from bakeoff.model.verdict import Verdict
from bakeoff.runs import open_run
from bakeoff.start.certificate import make_certificate
from tests.e2e.conftest import QUICK, Place
from tests.e2e.test_race import answers
from tests.waiting import wait_for

pytestmark = pytest.mark.e2e
OVER_TCP = [each for each in PROTOCOLS if each not in OVER_UDP]
FOUR = """
const fs = require("fs"), { PROTOCOL, PORT, TLS_CERT, TLS_KEY } = process.env;
const tls = () => ({ cert: fs.readFileSync(TLS_CERT), key: fs.readFileSync(TLS_KEY) });
const answer = (request, response) => response.end("Hi");
const speak = {
  "h1": () => require("http").createServer(answer),
  "h1-tls": () => require("https").createServer({ ...tls(), ALPNProtocols: ["http/1.1"] }, answer),
  "h2c": () => require("http2").createServer(answer),
  "h2": () => require("http2").createSecureServer(tls(), answer),
};
speak[PROTOCOL]().listen(PORT);
"""


@pytest.fixture
def place(place: Place) -> Place:
    (place.path / "four.js").write_text(FOUR)
    return place


@contextmanager
def up(place: Place, protocol: Protocol, folder: Path) -> Iterator[int]:
    """The port of that server, which somebody else runs."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    env = {"PROTOCOL": protocol, "PORT": str(port)}
    env |= {"TLS_CERT": str(folder / "cert.pem"), "TLS_KEY": str(folder / "key.pem")}
    with subprocess.Popen(
        ["env", *(f"{k}={v}" for k, v in env.items()), "node", "four.js"], cwd=place.path
    ) as process:
        try:
            wait_for(lambda: answers(port))
            yield port
        finally:
            process.kill()


def test_one_server_in_four_protocols_is_one_race(place: Place) -> None:
    words = ["race", "node four.js", "--protocol", ",".join(OVER_TCP), "-d", "2", *QUICK]
    ended = place.bakeoff(*words, "--json", "-")
    assert ended.status == 0, ended.err
    verdict = Verdict.from_json(ended.out, "stdout")
    assert {each.name: each.protocol for each in verdict.entries} == {
        f"four.js {protocol}": protocol for protocol in OVER_TCP
    }
    assert all(each.valid and not each.error_kinds for each in verdict.entries)
    # Whether a ratio comes of it is the machine's: the host may have disturbed all but nine blocks.
    run = place.path / "runs" / "latest"
    blocks = [each for each in open_run(run).records() if isinstance(each, Block)]
    assert {each.entry for each in blocks[0].slices} == {each.name for each in verdict.entries}
    for each in verdict.entries:
        assert each.work and each.work.audit
        agreed = each.work.agreed
        if each.protocol in ("h1-tls", "h2"):
            assert agreed and (agreed.tls_version, agreed.resumed) == ("1.3", False)
            assert agreed.alpn == ("h2" if each.protocol == "h2" else "http/1.1")
            assert each.work.audit.tls and each.work.audit.tls.key == "EC secp256r1"
        assert (each.work.audit.http2 is not None) == (each.protocol in ("h2c", "h2"))
    assert not (run / "scratch").exists()
    assert not list(run.rglob("*.pem")), "no key is kept"


def test_streams_are_as_many_places_as_connections(place: Place) -> None:
    words = ["race", "node four.js", "--protocol", "h2c", "--streams", "8", "-d", "1"]
    ended = place.bakeoff(*words, *QUICK, "--json", "-")
    assert ended.status == 0, ended.err
    verdict = Verdict.from_json(ended.out, "stdout")
    assert (verdict.protocol, verdict.streams, verdict.connections) == ("h2c", 8, 8)
    (entry,) = verdict.entries
    assert entry.valid and entry.name == "four.js"


def test_a_url_over_tls_is_believed_by_its_roots_and_by_no_other(
    place: Place, tmp_path: Path
) -> None:
    (place.path / "ca.pem").write_text(make_certificate(tmp_path / "a").ca_pem)
    (place.path / "other.pem").write_text(make_certificate(tmp_path / "b").ca_pem)
    with up(place, "h2", tmp_path / "a") as port:
        url = f"https://localhost:{port}/"
        race = ["race", url, "--protocol", "h2", "-d", "1", *QUICK]
        good = place.bakeoff(*race, "--ca", "ca.pem", "--json", "-")
        wrong = place.bakeoff(*race, "--ca", "other.pem")
        neither = place.bakeoff(*race)
        as_http_1 = place.bakeoff("race", url, "--insecure", "-d", "1", *QUICK)
    assert good.status in (0, 4), good.err  # 4: its time was up before all was measured.
    verdict = Verdict.from_json(good.out, "stdout")
    assert verdict.protocol == "h2" and [each.valid for each in verdict.entries] == [True]
    assert wrong.status == 3 and "its certificate is not trusted: " in wrong.err
    assert neither.status == 2 and "Give --ca FILE" in neither.err
    assert as_http_1.status == 3 and "Traceback" not in as_http_1.err
    assert f"no contender can take part:\n  localhost:{port}: " in as_http_1.err


def test_one_that_speaks_only_http_1_is_out_of_http_2_and_races_on(place: Place) -> None:
    (place.path / "old.js").write_text(FOUR.replace("speak[PROTOCOL]", 'speak["h1"]'))
    words = ["race", "node old.js", "--protocol", "h1,h2c", "-d", "1", *QUICK, "--json", "-"]
    ended = place.bakeoff(*words, "--ready-timeout", "5", "--keep-going")
    assert ended.status == 4, ended.err
    verdict = Verdict.from_json(ended.out, "stdout")
    assert [entry.name for entry in verdict.entries] == ["old.js h1"]
    (skipped,) = verdict.skipped
    assert skipped.name == "old.js h2c"
    assert "not ready within 5 s (--ready-timeout gives it more); the last" in skipped.reason
    assert "it speaks HTTP/1 alone" in skipped.reason
