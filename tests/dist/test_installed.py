"""The wheel as an ordinary user has it: no clone, no root, nothing to write to but his home."""

import json
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import bakeoff
from tests.dist.conftest import INSTALL_S, ROOT, Stranger

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.xdist_group("dist")]
QUICK = ("-c", "4", "--boots", "1", "--no-twin", "--warm-up", "1s")
PYTHON = "python3 -m http.server {port} --bind 127.0.0.1"
NODE = "node x.js"
SERVER = 'require("http").createServer((_, answer) => answer.end("Hi")).listen(process.env.PORT)\n'


@pytest.fixture(scope="module", autouse=True)
def node_server(stranger: Stranger) -> None:
    """A server of his own."""
    if shutil.which("node", path=stranger.env["PATH"]) is None:
        pytest.skip("node is not installed: one of the two own servers is its")
    (stranger.home / "x.js").write_text(SERVER)


def measured(verdict: Path) -> set[str]:
    """Who answered; whether that was enough for a rank is a matter of the machine's mood."""
    entries = json.loads(verdict.read_text())["entries"]
    return {each["name"] for each in entries if each["requests_per_s"]}


def test_it_says_what_it_is(stranger: Stranger, installed: Path) -> None:
    said = stranger.run(installed / "bakeoff", "--version").stdout.splitlines()
    assert said[0] == f"bakeoff {bakeoff.__version__}"
    assert said[1].startswith(f"volley {bakeoff.__version__}  {stranger.home}")
    assert (installed.parent / "share/man/man1/bakeoff.1").exists()


def test_two_own_commands(stranger: Stranger, installed: Path) -> None:
    words = ("race", PYTHON, NODE, *QUICK, "-d", "2", "--json", "own.json")
    said = stranger.run(installed / "bakeoff", *words).stdout
    assert measured(stranger.home / "own.json") == {"http.server", "x.js"}
    report = said.partition("Report: ")[2].strip()
    assert report.startswith("runs/") and (stranger.home / report).exists()


def test_two_own_commands_in_a_later_python(
    stranger: Stranger, wheel: Path, later_python: Path
) -> None:
    # Where it was copied from, its library can't be read. Its runs are in a history of its own.
    env = {
        "LD_LIBRARY_PATH": str(later_python.parents[1] / "lib"),
        "XDG_DATA_HOME": str(stranger.home / f"data-{later_python.name}"),
    }
    own = stranger.install(f"venv-{later_python.name}", wheel.name, python=later_python, env=env)
    words = ("race", PYTHON, NODE, *QUICK, "-d", "2", "--json", own / "own.json")
    stranger.run(own / "bakeoff", *words, env=env)
    assert measured(own / "own.json") == {"http.server", "x.js"}


def test_the_history_has_what_was_raced(stranger: Stranger, installed: Path) -> None:
    """Its database is made by scripts that the wheel has to have."""
    if not (stranger.home / "own.json").exists():
        test_two_own_commands(stranger, installed)
    said = stranger.run(installed / "bakeoff", "history").stdout
    # Whether two seconds were enough for a ratio is a matter of the machine's mood.
    assert said.startswith("1 run of") and ": race: " in " ".join(said.split())
    assert (stranger.home / ".local/share/bakeoff").exists()


def test_the_explorer_with_its_extra_makes_a_site_with_all_that_it_shows(
    stranger: Stranger, installed: Path, wheel: Path
) -> None:
    if not (stranger.home / "own.json").exists():
        test_two_own_commands(stranger, installed)
    lacking = stranger.run(installed / "bakeoff", "explore", "--export", "none", status=3)
    assert "pip install 'bakeoff[explore]'" in " ".join(lacking.stderr.split())
    exploring = stranger.install("exploring", f"{stranger.home / wheel.name}[explore]")
    stranger.run(exploring / "bakeoff", "explore", "--export", "a site", "runs")
    page = (stranger.home / "a site/index.html").read_text()
    run = re.search(r'href="(run/[^"]+)"', page)
    assert run and "x.js" in (stranger.home / "a site" / run[1]).read_text()
    named = re.findall(r'(?:src|href)="([^":?#]+[.](?:css|js|svg))"', page)
    assert {Path(each).suffix for each in named} >= {".css", ".js"}
    assert all((stranger.home / "a site" / each).exists() for each in named)


def test_servers_of_the_catalogue_are_built_in_the_cache(
    stranger: Stranger, installed: Path
) -> None:
    needed = {"nginx": "nginx", "go-nethttp": "go"}
    names = [name for name, tool in needed.items() if shutil.which(tool, path=stranger.env["PATH"])]
    if names != list(needed):
        pytest.skip(f"of nginx and Go only what {names} need is installed")
    words = ("race", *names, *QUICK, "-d", "2", "--json", "two.json")
    stranger.run(installed / "bakeoff", *words, timeout_s=300)
    assert measured(stranger.home / "two.json") == set(names)
    built = stranger.home / ".cache/bakeoff" / bakeoff.__version__ / "contenders/go-nethttp/out"
    assert {"receipt.json", "server"} <= {path.name for path in built.iterdir()}
    listed = stranger.run(installed / "bakeoff", "contenders", env={"COLUMNS": "300"}).stdout
    (line,) = [line for line in listed.splitlines() if line.startswith("go-nethttp ")]
    assert line.split()[1] == "built"


def test_what_is_built_from_our_library_finds_it(stranger: Stranger, installed: Path) -> None:
    done = stranger.run(installed / "bakeoff", "contenders", env={"COLUMNS": "300"}).stdout
    (line,) = [line for line in done.splitlines() if line.startswith("brick ")]
    if "needs" in line:
        pytest.skip(f"{line.split('needs')[1].strip()}: not installed")
    said = stranger.run(installed / "bakeoff", "setup", "brick", timeout_s=600).stdout
    assert "1 of 1 ready" in said


def test_an_article(stranger: Stranger, installed: Path) -> None:
    if shutil.which("go", path=stranger.env["PATH"]) is None:
        pytest.skip("Go is not installed: the article is about it")
    words = ("replay", "go-vs-node-2012", "--scale", "0.01", "--json", "article.json")
    stranger.run(installed / "bakeoff", *words, timeout_s=400)
    replayed = json.loads((stranger.home / "article.json").read_text())
    assert replayed["schema"].startswith("bakeoff.replay/")


@pytest.fixture
def url(stranger: Stranger) -> Iterator[str]:
    """A server that runs already."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    env = {**stranger.env, "PORT": str(port)}
    server = subprocess.Popen(["node", stranger.home / "x.js"], env=env)
    until_s = time.monotonic() + 30
    while time.monotonic() < until_s:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            break
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}/"
    server.kill()
    server.wait()


def test_wrk(stranger: Stranger, installed: Path, url: str) -> None:
    said = stranger.run(installed / "bakeoff", "wrk", "-t1", "-c2", "-d1s", url).stdout
    assert said.startswith(f"Running 1s test @ {url}")
    assert "Requests/sec:" in said


def test_the_library(stranger: Stranger, installed: Path) -> None:
    program = (
        "import bakeoff\n"
        f"run = bakeoff.race({PYTHON!r}, {NODE!r}, duration=2, boots=1, twin=False, "
        "warm_up=1, connections=4, out='library runs')\n"
        "print(run.to_markdown())\n"
    )
    said = stranger.run(installed / "python", "-c", program).stdout
    assert NODE in said
    assert (stranger.home / "library runs/latest/report.html").exists()


def test_the_doctor_says_where_it_builds_and_what_to_install(
    stranger: Stranger, installed: Path
) -> None:
    said = stranger.run(installed / "bakeoff", "doctor").stdout
    cache = stranger.home / ".cache/bakeoff" / bakeoff.__version__
    assert f"ok  contenders are built in {cache}" in said
    nowhere = {"PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": "/proc/nowhere"}
    said = stranger.run(installed / "bakeoff", "doctor", env=nowhere).stdout
    assert (
        f"warning  contenders can't be built in /proc/nowhere/bakeoff/{bakeoff.__version__}" in said
    )
    if not Path("/usr/bin/go").exists():
        assert "note  go-nethttp needs go: apt-get install golang-go" in said
        assert "to have them all: sudo apt-get install " in said


def test_a_cache_that_cannot_be_written_is_named(stranger: Stranger, installed: Path) -> None:
    words = (installed / "bakeoff", "setup", "go-nethttp")
    said = stranger.run(*words, status=1, env={"XDG_CACHE_HOME": "/proc/nowhere"}).stderr
    assert "go-nethttp is out: can't be built into /proc/nowhere/bakeoff/" in said
    assert "set XDG_CACHE_HOME to a folder that can be written" in said


FULL = """
mount -t tmpfs -o size=64k none "$1" && mkdir -m 777 "$1/full" && cd "$1/full" && shift &&
exec setpriv --reuid 65534 --regid 65534 --clear-groups -- "$@"
"""


def test_a_disk_without_room_is_named_and_nothing_is_left(
    stranger: Stranger, installed: Path
) -> None:
    words = ("race", f"node {stranger.home}/x.js", *QUICK, "-d", "2")
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", FULL, "sh", ROOT, installed / "bakeoff", *words],
        env=stranger.env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert "No space left on device" in done.stderr
    assert done.returncode == 3


def test_completion_is_installed_and_completes(stranger: Stranger, installed: Path) -> None:
    # The shell is the one that calls; it must have something left to do, else it would be replaced.
    path = {"PATH": f"{installed}{os.pathsep}{stranger.env['PATH']}"}
    stranger.run("bash", "-c", "bakeoff --install-completion && true", env=path)
    asks = (
        "source .bash_completions/bakeoff.sh; COMP_WORDS=(bakeoff race ngi); COMP_CWORD=2; "
        "_bakeoff_completion bakeoff; echo ${COMPREPLY[@]}"
    )
    assert stranger.run("bash", "-c", asks, env=path).stdout.split() == ["nginx"]


@pytest.fixture(scope="module")
def tools(stranger: Stranger, installed: Path) -> Path:
    """uv and pipx, in an environment that is thrown away."""
    pinned = (ROOT / "requirements/dist.txt").read_text().splitlines()
    wanted = [line.split()[0] for line in pinned if line.startswith(("uv==", "pipx=="))]
    return stranger.install("tools", *wanted)


RACE = ("race", PYTHON, NODE, *QUICK, "-d", "2")


def as_pip(stranger: Stranger) -> dict[str, str]:
    """For uv, what pip was told of wheels and certificates."""
    told = {"PIP_FIND_LINKS": "UV_FIND_LINKS", "PIP_CERT": "SSL_CERT_FILE"}
    return {uv: stranger.env[pip] for pip, uv in told.items() if pip in stranger.env}


def test_uv_tool_install(stranger: Stranger, tools: Path, wheel: Path) -> None:
    words = (tools / "uv", "tool", "install", "--python", "/usr/bin/python3", wheel.name)
    stranger.run(*words, timeout_s=INSTALL_S, env=as_pip(stranger))
    stranger.run(stranger.home / ".local/bin/bakeoff", *RACE)


def test_uvx(stranger: Stranger, tools: Path, wheel: Path) -> None:
    words = (tools / "uvx", "--python", "/usr/bin/python3", "--from", stranger.home / wheel.name)
    stranger.run(*words, "bakeoff", *RACE, timeout_s=INSTALL_S, env=as_pip(stranger))


def test_pipx(stranger: Stranger, tools: Path, wheel: Path) -> None:
    folders = {"PIPX_HOME": stranger.home / "pipx", "PIPX_BIN_DIR": stranger.home / "pipx-bin"}
    env = as_pip(stranger) | {name: str(folder) for name, folder in folders.items()}
    stranger.run(
        tools / "pipx", "install", stranger.home / wheel.name, timeout_s=INSTALL_S, env=env
    )
    stranger.run(folders["PIPX_BIN_DIR"] / "bakeoff", *RACE)
