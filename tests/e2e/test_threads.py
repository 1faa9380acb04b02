"""A server with a few threads serves many connections in turn."""

import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from bakeoff.start import Keeper
from bakeoff.verify.exchange import connect
from tests.e2e.test_contenders import built, entry_of, started

pytestmark = pytest.mark.e2e
CONNECTIONS = 200
WAITS_S = 0.2 * CONNECTIONS / 5
"""Each of Puma's five threads waits so long, in all, if it waits after each answer for the next
request of the same connection."""


def test_pumas_threads_wait_for_no_connection_while_others_wait_for_them(tmp_path: Path) -> None:
    contender, folder = built("puma", tmp_path)
    with Keeper(tmp_path / "scratch") as keeper, ExitStack() as stack:
        entry, log = entry_of(contender, folder, "puma"), tmp_path / "puma.log"
        handle = started(keeper, entry, log, environment={"STATIC_DIR": str(tmp_path)})
        opened = [stack.enter_context(connect(handle.address)) for _ in range(CONNECTIONS)]
        began_s = time.monotonic()
        for each in opened:
            each.sendall(b"GET / HTTP/1.1\r\nHost: puma\r\n\r\n")
        for each in opened:
            answer = each.recv(65536)
            assert answer.startswith(b"HTTP/1.1 200 "), answer
        assert time.monotonic() - began_s < WAITS_S / 2
