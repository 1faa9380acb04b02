"""A server with a few threads serves many connections in turn."""

import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from bakeoff.build import build, missing_tools, out_folder
from bakeoff.model.plan import Cores, Entry
from bakeoff.model.request import RequestSection
from bakeoff.plan import Catalogue, resolve_contenders
from bakeoff.start import Keeper
from bakeoff.verify import answers
from bakeoff.verify.exchange import connect

pytestmark = pytest.mark.e2e
CONNECTIONS = 200
WAITS_S = 0.2 * CONNECTIONS / 5
"""Each of Puma's five threads waits so long, in all, if it waits after each answer for the next
request of the same connection."""


def test_pumas_threads_wait_for_no_connection_while_others_wait_for_them(tmp_path: Path) -> None:
    (named,) = resolve_contenders(["puma"], Catalogue.shipped(), tmp_path)
    assert named.contender and named.folder
    if missing_tools([(named.contender, named.folder)])[0]:
        pytest.skip("puma is not installed")
    build(named.contender, named.folder)
    entry = Entry(
        name="puma",
        title="Puma",
        origin="catalogue",
        contender=named.contender,
        folder=str(named.folder),
        path="/",
    )
    with Keeper(tmp_path / "scratch") as keeper, ExitStack() as stack:
        handle = keeper.start(
            entry,
            out=out_folder(named.folder),
            workers=1,
            cores=Cores(server=(0,), client=(0,)),
            host="127.0.0.1",
            log=tmp_path / "puma.log",
            answers=partial(answers, request=RequestSection()),
            environment={"STATIC_DIR": str(tmp_path)},
        )
        opened = [stack.enter_context(connect(handle.address)) for _ in range(CONNECTIONS)]
        began_s = time.monotonic()
        for each in opened:
            each.sendall(b"GET / HTTP/1.1\r\nHost: puma\r\n\r\n")
        for each in opened:
            answer = each.recv(65536)
            assert answer.startswith(b"HTTP/1.1 200 "), answer
        assert time.monotonic() - began_s < WAITS_S / 2
