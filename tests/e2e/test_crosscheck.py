"""`bakeoff crosscheck` with the real engine and the real wrk, against the engine's null server."""

import shutil

import pytest

from bakeoff.model.crosscheck import FIGURES, Crosscheck
from tests.e2e.conftest import Place, interrupt
from tests.ratios import known
from tests.waiting import wait_for

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not shutil.which("wrk"), reason="wrk is not installed"),
]
SHORT = ("--tools", "wrk", "-c", "8", "-d", "1", "--rounds", "5")


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
