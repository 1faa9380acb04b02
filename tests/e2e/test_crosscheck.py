"""`bakeoff crosscheck` with the real engine and the real wrk, against the engine's null server."""

import shutil
import subprocess
from collections.abc import Iterator

import pytest

from bakeoff.load import engine_path
from bakeoff.model.crosscheck import FIGURES, Crosscheck
from tests.e2e.conftest import Place, interrupt

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not shutil.which("wrk"), reason="wrk is not installed"),
]
SHORT = ("--tools", "wrk", "-c", "8", "-d", "1", "--rounds", "5")


@pytest.fixture
def url(place: Place) -> Iterator[str]:
    """A server that answers everything alike."""
    words = [str(engine_path()), "null", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(words, cwd=place.path, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        yield f"http://{server.stdout.readline().split()[-1]}/"
        server.kill()


def test_a_tool_is_held_against_the_engine_in_every_figure(place: Place, url: str) -> None:
    ended = place.bakeoff("crosscheck", url, *SHORT, "--seed", "1", "--json", "it.json")
    assert ended.status == 0, ended.err
    for said in ("wrk and volley load", "wrk / volley load", "5 rounds of 1 s each"):
        assert said in ended.out
    found = Crosscheck.read_json(place.path / "it.json")
    assert found.complete
    assert [(one.loader, one.n) for one in found.loadings] == [("engine", 5), ("wrk", 5)]
    assert [one.figure for one in found.compared] == list(FIGURES)
    for one in found.compared:
        assert one.ratio and one.low and one.high and one.low <= one.ratio <= one.high


def test_interrupted_it_prints_what_there_is_and_leaves_nothing(place: Place, url: str) -> None:
    with place.begin("crosscheck", url, *SHORT) as process:
        assert process.stderr and "5 rounds of engine, wrk" in process.stderr.readline()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=4)
        interrupt(process)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "It was ended before its time." in out
    assert "Traceback" not in err
    assert not [line for line in place.ours() if "wrk" in line or "volley load" in line]
