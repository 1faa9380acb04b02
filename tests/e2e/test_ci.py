"""`bakeoff ci` on real repositories, with real servers. See tests/ci_bench for small effects."""

import subprocess
from pathlib import Path

import pytest

from bakeoff.model.ci import Ci
from bakeoff.model.why import Why
from tests.e2e.conftest import BAKEOFF, Place
from tests.repositories import WHO, commit, git, new_repository

SERVER = """
require("http").createServer((request, response) => {
  let sum = 0;
  for (let n = 0; n < LOOPS; n++) sum += n;
  response.end("Hi");
}).listen(process.env.PORT);
"""
OF_A_MIX = """
const work = { "/login": 0, "/cart": 2000, "/search": LOOPS };
let logins = 0;
require("http").createServer((request, response) => {
  if (request.url === "/login") return response.end(JSON.stringify({ token: `t${++logins}` }));
  if (!/^Bearer t\\d/.test(request.headers.authorization)) response.statusCode = 401;
  let sum = 0;
  for (let n = 0; n < work[request.url]; n++) sum += n;
  response.end("Hi");
}).listen(process.env.PORT);
"""
TRAFFIC = """
name = "shop"
[[once]]
path = "/login"
take = { token = "json /token" }
[[request]]
path = "/cart"
weight = 3
headers = { Authorization = "Bearer {{token}}" }
[[request]]
name = "search"
path = "/search"
headers = { Authorization = "Bearer {{token}}" }
"""
PROJECT = 'contender = "node server.js"\nwarm_up = "1s"\nconnections = 8\n'
BUILT = """
name = "shop"
title = "Shop"
language = "sh"
kind = "server"
[build]
command = "sh build.sh"
[run]
command = "sh {out}/run.sh"
[serves]
get = "/"
"""


@pytest.fixture
def shop(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A repository whose first commit is the base."""
    for name, value in {**WHO, "XDG_CACHE_HOME": str(place.path / "cache")}.items():
        monkeypatch.setenv(name, value)
    files = {"server.js": SERVER.replace("LOOPS", "20000"), "bakeoff.toml": PROJECT}
    return Place(new_repository(place.path / "a shop", files))


def change(shop: Place, files: dict[str, str]) -> None:
    git(shop.path, "checkout", "--quiet", "-b", "change")
    commit(shop.path, files, "a change")


@pytest.mark.e2e
@pytest.mark.alone
@pytest.mark.slow
def test_ten_times_the_work_is_slower(shop: Place) -> None:
    change(shop, {"server.js": SERVER.replace("LOOPS", "200000")})
    done = shop.bakeoff("ci", "-d", "24s", "--json", "ci.json", timeout_s=300)
    assert done.status == 1, done.out + done.err
    result = Ci.read_json(shop.path / "ci.json")
    assert result.outcome == "slower" and result.race.decided
    assert result.race.measured_s < 20
    assert (Path(shop.path, "runs/latest/race/report.html")).exists()
    causes = Why.read_json(shop.path / "runs/latest/why/why.json")
    (pair,) = causes.pairs
    assert (pair.name, pair.other) == ("head", "base") and pair.cpu.is_told
    if "stacks" not in causes.missing:
        assert pair.finding.because[0].code == "in_function"


@pytest.mark.e2e
@pytest.mark.alone
@pytest.mark.slow
def test_of_a_mix_the_request_that_became_slower_is_named(shop: Place) -> None:
    """Each connection logs in, and has twenty times the work in one of its two requests."""
    project = f'{PROJECT}workload = "traffic.toml"\n'
    files = {"bakeoff.toml": project, "traffic.toml": TRAFFIC}
    commit(shop.path, {**files, "server.js": OF_A_MIX.replace("LOOPS", "20000")}, "traffic")
    change(shop, {"server.js": OF_A_MIX.replace("LOOPS", "400000")})
    done = shop.bakeoff("ci", "-d", "24s", "--json", "ci.json", timeout_s=400)
    assert done.status == 1, done.out + done.err
    result = Ci.read_json(shop.path / "ci.json")
    assert result.outcome == "slower"
    assert [request.name for request in result.race.requests] == ["GET /cart", "search"]
    assert all(each.ratio for request in result.race.requests for each in request.pairs)
    said = " ".join(done.out.split())
    assert "Request by request" in said and "in search head has 0." in said


@pytest.mark.e2e
@pytest.mark.alone
@pytest.mark.slow
def test_a_comment_is_no_alarm(shop: Place) -> None:
    change(shop, {"server.js": f"// Nothing.\n{SERVER.replace('LOOPS', '20000')}"})
    done = shop.bakeoff("ci", "-d", "9s", timeout_s=180)
    assert done.status == 0, done.out + done.err


@pytest.mark.e2e
def test_a_base_that_does_not_build_is_named_and_not_slower(shop: Place) -> None:
    broken = "echo compiling; echo 'line 3: oops' >&2; exit 1\n"
    commit(shop.path, {"contender.toml": BUILT, "build.sh": broken}, "broken")
    change(shop, {"build.sh": "exit 0\n"})
    done = shop.bakeoff("ci", "--contender", ".", "--junit", "junit.xml", "--summary", "s.md")
    assert done.status == 3
    assert "base (main, " in done.err and "does not build" in done.err
    assert "line 3: oops" in done.err and "Traceback" not in done.err
    assert "line 3: oops" in (shop.path / "s.md").read_text()
    assert not (shop.path / "runs").exists()


@pytest.mark.e2e
def test_a_head_that_does_not_start_is_not_slower(shop: Place) -> None:
    change(shop, {"server.js": "process.exit(7);"})
    done = shop.bakeoff("ci", "-d", "1s", timeout_s=120)
    assert done.status == 3, done.out + done.err
    assert "head: exited with status 7" in " ".join(done.err.split())


TMPFS = 'mount -t tmpfs -o "$1" none "$2" && shift 2 && exec "$@"'


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("mounted", "says"),
    [
        ("ro", ("Read-only file system; set XDG_CACHE_HOME",)),
        # Room for one file.
        ("size=4k", ("there is no space left: set XDG_CACHE_HOME", "git says")),
    ],
)
def test_a_cache_without_room_or_right_to_write_is_named(
    shop: Place, mounted: str, says: tuple[str, ...]
) -> None:
    if subprocess.run(["unshare", "--mount", "true"], check=False).returncode:
        pytest.skip("this machine lets nobody mount")
    change(shop, {"server.js": f"// Nothing.\n{SERVER}"})
    cache = shop.path.parent / "cache"
    cache.mkdir()
    words = ["unshare", "--mount", "sh", "-c", TMPFS, "sh", mounted, str(cache), str(BAKEOFF), "ci"]
    done = subprocess.run(words, cwd=shop.path, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    assert all(each in done.stderr for each in says), done.stderr
    assert "Traceback" not in done.stderr
    assert git(shop.path, "worktree", "list").count("\n") == 0
