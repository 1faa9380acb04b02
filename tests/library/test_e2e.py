"""Real servers, raced from Python."""

import sys
from pathlib import Path
from shlex import quote
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

import bakeoff

# The notebook's races, and what they are here: the intervals are wider, and nothing else differs.
RACE = 'duration="3s", boots=2'
SHORT = 'duration="1s", boots=1, warm_up="1s"'
NOTEBOOK = Path(__file__).parents[2] / "docs" / "library.ipynb"
pytestmark = pytest.mark.e2e


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
    Path("new.py").write_text(source.replace("else 0", "else 30000"))


def test_new_is_slower() -> None:
    old, new = f"{quote(sys.executable)} old.py", f"{quote(sys.executable)} new.py"
    run = bakeoff.race(old, new, connections=8, duration="2s", boots=1, seed=1)
    assert run.slower(new, by="5 %")
    assert not run.faster(new)


LOGIN = """
const known = new Set();
require("http").createServer((request, response) => {
  if (request.url === "/login") {
    known.add(`t${known.size}`);
    return response.end(JSON.stringify({ token: `t${known.size - 1}` }));
  }
  const token = (request.headers.authorization || "").replace("Bearer ", "");
  response.statusCode = known.has(token) ? 200 : 401;
  response.end("Hi");
}).listen(process.env.PORT);
"""


def test_each_connection_of_a_chain_given_in_python_has_a_token_of_its_own() -> None:
    Path("login.js").write_text(LOGIN)
    mine = {"Authorization": "Bearer {{token}}"}
    shop: dict[str, Any] = {
        "once": [{"path": "/login", "take": {"token": "json /token"}}],
        "request": [{"path": "/cart", "headers": mine}, {"path": "/items", "headers": mine}],
    }
    short: dict[str, Any] = {
        "connections": 4,
        "duration": "1s",
        "boots": 1,
        "warm_up": "1s",
        "twin": False,
    }
    run = bakeoff.race("node login.js", workload=shop, **short)
    (entry,) = run.verdict.entries
    assert entry.valid and entry.errors.total == 0
    assert [request.name for request in run.verdict.requests] == ["GET /cart", "GET /items"]
    shop["once"][0]["take"] = {"token": "json /id"}
    with pytest.raises(bakeoff.BakeoffError, match="json /id "):
        bakeoff.race("node login.js", workload=shop, **short)


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
    assert "20, 90s or 2m" in str(node.cells[-1].outputs)
    assert len(list(tmp_path.glob("runs/*/report.html"))) == 3
