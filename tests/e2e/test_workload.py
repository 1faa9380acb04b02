"""A session in a real browser becomes a workload, and the workload a race."""

import json
import os
import shutil
import subprocess
import tomllib
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import create_server

import pytest
from playwright.sync_api import Browser

from bakeoff.model.verdict import Verdict
from tests.e2e.conftest import Place
from tests.waiting import wait_for

pytestmark = pytest.mark.e2e
SHOP = Path(__file__).parent / "shop" / "shop.js"


@contextmanager
def shop(port: int) -> Iterator[str]:
    """The shop's address, while it is open."""
    url = f"http://127.0.0.1:{port}/"

    def answers() -> bool:
        try:
            return bool(urllib.request.urlopen(url, timeout=5).status == 200)
        except (urllib.error.URLError, ConnectionError):
            return False

    env = {**os.environ, "PORT": str(port)}
    with subprocess.Popen(["node", SHOP], env=env) as server:
        try:
            wait_for(answers)
            yield url
        finally:
            server.kill()


def free_port() -> int:
    with create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def browse(browser: Browser, har: Path) -> str:
    """Visit the shop in Chromium, which saves what it asks. Returns the shop's host."""
    if shutil.which("node") is None:
        pytest.skip("no Node to visit a shop with: apt-get install nodejs")
    with shop(free_port()) as url, shop(free_port()) as ads:
        context = browser.new_context(record_har_path=har)
        page = context.new_page()
        page.goto(f"{url}?ads={ads}")
        page.wait_for_function("document.title === 'done'")
        context.close()
        return url.removeprefix("http://").rstrip("/")


@pytest.fixture(scope="module")
def session(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """What Chromium saved of a visit, and the shop's host."""
    har = tmp_path_factory.mktemp("session") / "shop.har"
    return har, browse(browser, har)


@pytest.fixture
def visited(place: Place, session: tuple[Path, str]) -> Place:
    """A folder with the HAR in it."""
    shutil.copy(session[0], place.path)
    return place


def test_a_session_in_a_browser_becomes_a_workload(
    visited: Place, session: tuple[Path, str]
) -> None:
    place, host = visited, session[1]
    ended = place.bakeoff_here("workload", "from", "har", "shop.har")
    assert (ended.status, ended.err) == (0, "")
    assert "wrote shop.toml: 8 requests" in ended.out and host in ended.out
    assert "1 request to other hosts" in ended.out
    assert "Authorization in 2" in ended.out
    text = (place.path / "shop.toml").read_text()
    assert "s3cr3t" not in text
    assert 'data = "shop.csv"' in text
    written = {(each["method"], each["path"]): each for each in tomllib.loads(text)["request"]}
    weights = {f"{method} {path}": each["weight"] for (method, path), each in written.items()}
    page = next(path for path in weights if path.startswith("GET /?ads="))
    assert weights == {
        page: 1,
        "GET /style.css": 1,
        "GET /app.js": 1,
        "GET /api/items?page={{page}}": 3,
        "GET /api/items/{{items_id}}": 6,
        "GET /api/search?q={{q}}": 4,
        "POST /api/cart": 2,
        "GET /api/cart": 1,
    }
    item = written["GET", "/api/items/{{items_id}}"]["expect"]
    assert item["json"] == {
        "id": "number",
        "name": "string",
        "price": "number",
        "note": "string|null",
        "at": "number",
    }
    assert item["headers"] == {"content-type": "application/json"}
    added = written["POST", "/api/cart"]
    assert added["body"] == "{{cart_body}}" and added["expect"]["status"] == 201
    shown = place.bakeoff_here("workload", "show", "shop.toml").out
    assert "31.6%" in shown and "GET /api/items/{{items_id}}" in shown


def test_the_engine_takes_its_requests_as_they_are(visited: Place) -> None:
    assert visited.bakeoff_here("workload", "from", "har", "shop.har").status == 0
    # A workload's name and title are none of the engine's business.
    lines = (visited.path / "shop.toml").read_text().splitlines()
    begin = next(at for at, line in enumerate(lines) if line.startswith("data ="))
    (visited.path / "requests.toml").write_text("\n".join(lines[begin:]))
    with shop(free_port()) as url:
        words = ("load", "--request-file", "requests.toml", "-n", "200", "-c", "2", "--json")
        ended = visited.bakeoff(*words, url)
    assert ended.status == 0, ended.err
    told = json.loads(ended.out)
    assert told["requests"] == 200 and told["first_bad"] is None, ended.out


def raced(place: Place, slowed: str, *words: str, timeout_s: float) -> tuple[Verdict, str]:
    """The verdict on two shops and what was printed; the second takes longer for one request."""
    assert place.bakeoff_here("workload", "from", "har", "shop.har").status == 0
    shutil.copy(SHOP, place.path)
    servers = ("old=node shop.js", f"new=env EXTRA={slowed} node shop.js")
    options = ("--workload", "shop.toml", "--no-twin", "--boots", "1", "--json", "verdict.json")
    ended = place.bakeoff("race", *servers, *options, *words, timeout_s=timeout_s)
    assert ended.status == 0, ended.err
    return Verdict.read_json(place.path / "verdict.json"), " ".join(ended.out.split())


def test_a_session_is_raced_as_it_was_recorded(visited: Place) -> None:
    verdict, _ = raced(visited, "search:1", "-d", "3", "-c", "4", "--warm-up", "1s", timeout_s=180)
    assert [round(19 * request.share) for request in verdict.requests] == [6, 4, 3, 2, 1, 1, 1, 1]
    for entry in verdict.entries:
        assert entry.valid, entry
    for request in verdict.requests:
        assert all(each.requests and not each.error_kinds for each in request.entries), request


@pytest.mark.slow
@pytest.mark.alone
def test_a_race_of_a_session_names_the_request_that_takes_longer(visited: Place) -> None:
    verdict, said = raced(visited, "search:0.03", "-d", "90", "-c", "4", timeout_s=600)
    named = {finding.values["request"] for finding in verdict.by_request}
    assert named == {"GET /api/search?q={{q}}"}
    assert "In GET /api/search?q={{q}} new has 0.9" in said
