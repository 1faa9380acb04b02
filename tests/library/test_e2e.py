"""Real servers, raced from Python."""

import sys
from pathlib import Path
from shlex import quote

import nbformat
import pytest
from nbclient import NotebookClient

import bakeoff

# The notebook's races, and what they are here: the intervals are wider, and nothing else differs.
RACE = 'duration="3s", boots=2'
SHORT = 'duration="2s", boots=1, warm_up="1s"'
NOTEBOOK = Path(__file__).parents[2] / "docs" / "library.ipynb"
pytestmark = [pytest.mark.e2e, pytest.mark.alone]


def notebook() -> nbformat.NotebookNode:
    node: nbformat.NotebookNode = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    return node


@pytest.fixture(autouse=True)
def servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The notebook's server as `old.py`, and with a loop in it as `new.py`, in a new folder."""
    monkeypatch.chdir(tmp_path)
    (source,) = (
        cell.source.partition("\n")[2]
        for cell in notebook().cells
        if cell.source.startswith("%%writefile")
    )
    Path("old.py").write_text(source)
    Path("new.py").write_text(source.replace("else 0", "else 3000"))


def test_new_is_slower() -> None:
    old, new = f"{quote(sys.executable)} old.py", f"{quote(sys.executable)} new.py"
    run = bakeoff.race(old, new, connections=8, duration="3s", boots=1, seed=1)
    assert run.slower(new, by="5 %")
    assert not run.faster(new)


def test_the_notebook_runs_and_shows_standings_and_a_forest_plot(tmp_path: Path) -> None:
    node = notebook()
    for cell in node.cells:
        cell.source = cell.source.replace(RACE, SHORT)
    NotebookClient(node, timeout=300, resources={"metadata": {"path": tmp_path}}).execute()
    shown = [
        output["data"].get("text/html", "")
        for cell in node.cells
        for output in cell.get("outputs", [])
        if "data" in output
    ]
    assert any("<svg" in html and "server.py 1000" in html for html in shown)
    assert "95 % interval" in str(node.cells[5].outputs)
    assert "it takes seconds, as in 20, 90s or 2m" in str(node.cells[-1].outputs)
    assert len(list(tmp_path.glob("runs/*/report.html"))) == 3
