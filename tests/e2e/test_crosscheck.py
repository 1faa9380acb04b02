"""`bakeoff crosscheck` with the real engine and real tools, against the engine's null server."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from bakeoff.installation import engine_path, shipped
from bakeoff.model.crosscheck import FIGURES, Crosscheck
from tests.e2e.conftest import Place, interrupt
from tests.ratios import known
from tests.waiting import wait_for

pytestmark = pytest.mark.e2e
WITH_WRK = pytest.mark.skipif(not shutil.which("wrk"), reason="wrk is not installed")
SHORT = ("--tools", "wrk", "-c", "8", "-d", "1", "--rounds", "5")


@WITH_WRK
def test_a_tool_is_held_against_the_engine_in_every_figure(place: Place, null_server: str) -> None:
    ended = place.bakeoff("crosscheck", null_server, *SHORT, "--seed", "1", "--json", "it.json")
    assert ended.status == 0, ended.err
    for text in ("wrk and volley load", "wrk / volley load", "5 rounds of 1 s each"):
        assert text in ended.out
    found = Crosscheck.read_json(place.path / "it.json")
    assert found.complete
    assert [(one.loader, one.n) for one in found.loadings] == [("engine", 5), ("wrk", 5)]
    assert [one.figure for one in found.compared] == list(FIGURES)
    for one in found.compared:
        ratio = known(one.ratio)
        assert known(ratio.low) <= ratio.ratio <= known(ratio.high)


@WITH_WRK
def test_interrupted_it_prints_what_there_is_and_leaves_nothing(
    place: Place, null_server: str
) -> None:
    with place.begin("crosscheck", null_server, *SHORT) as process:
        assert process.stderr and "5 rounds of engine, wrk" in process.stderr.readline()
        wait_for(lambda: place.recorded("tool-run") > 2)
        interrupt(process)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "It was ended before its time." in " ".join(out.split())
    assert "Traceback" not in err
    assert not [line for line in place.processes() if "wrk" in line or "volley load" in line]


@pytest.mark.skipif(not shutil.which("go"), reason="go is not installed")
def test_a_second_client_is_held_against_the_engine_over_http_3(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = shipped("catalogue/clients/quic-go-load")
    go = ["go", "build", "-C", str(source), "-trimpath", "-buildvcs=false", "-o", f"{tmp_path}/"]
    subprocess.run([*go, "."], check=True)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    words = [str(engine_path()), "null", "--listen", "127.0.0.1:0", "--protocol", "h3"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        url = f"https://{server.stdout.readline().split()[-1]}/"
        asked = ("--protocol", "h3", "--insecure", "--streams", "2", *SHORT, "--json", "it.json")
        ended = place.bakeoff("crosscheck", url, *asked, "--tools", "quic-go-load")
        server.kill()
    assert ended.status == 0, ended.err
    found = Crosscheck.read_json(place.path / "it.json")
    assert [(one.loader, one.n) for one in found.loadings] == [("engine", 5), ("quic-go-load", 5)]
    for tool in found.loadings:
        assert not tool.errors and known(tool.busy) > 0
        # A request and its answer, at the least; several share a datagram.
        assert known(tool.packets_per_answer) > 0.1
