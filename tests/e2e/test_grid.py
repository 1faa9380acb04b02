"""A grid of races with real servers and the real engine."""

import pytest

from bakeoff.model.grid import Grid
from tests.e2e.conftest import QUICK, Place

pytestmark = pytest.mark.e2e


def test_a_pipeline_is_a_cell_of_its_own(place: Place) -> None:
    """One answers whatever is sent ahead; the other answers one request, and ends the rest."""
    able = place.server("able")
    answer_all = "        for request in whole:\n"
    text = (place.path / "able.py").read_text()
    assert answer_all in text
    drop = "        if len(whole) > 1: self.transport.write(KEPT); self.transport.close(); return\n"
    (place.path / "unable.py").write_text(text.replace(answer_all, drop + answer_all))
    words = [able, able.replace("able.py", "unable.py"), "--pipeline", "1,8"]
    ended = place.bakeoff(
        "race", *words, "-d", "2", *QUICK, "--keep-going", "--json", "-", timeout_s=120
    )
    assert ended.status == 4, ended.err
    assert "2 cells of 1 s of measuring" in ended.err
    flat, deep = Grid.from_json(ended.out, "stdout").cells
    assert (flat.name, deep.name) == ("p1", "p8")
    assert flat.verdict and all(entry.valid for entry in flat.verdict.entries)
    assert deep.verdict and deep.verdict.pipeline == 8
    (alone,) = deep.verdict.entries
    assert alone.valid, alone.reasons
    (skipped,) = deep.verdict.skipped
    assert "1 of 8 requests that were sent ahead were answered" in skipped.reason
    run = place.path / "runs" / "latest"
    assert all((run / name / "report.html").exists() for name in ("p1", "p8", "."))
