"""The documents say what is true: their commands run, their examples and links are checked."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

from bakeoff.model.ci import Ci
from bakeoff.model.contender import Contender
from bakeoff.model.verdict import Verdict
from bakeoff.plan.workloads import read_workload
from tests.docs.conftest import ROOT, blocks, run
from tests.docs.picture import PICTURE, picture
from tests.docs.recording import RECORDING, frames
from tests.docs.recording import picture as recorded
from tests.plan.places import contender
from tests.repositories import WHO
from tests.runs.world import World
from tests.screen import Typed

BYTES_MAX = {"README.md": 6000, "ARCHITECTURE.md": 15_000}
COMMANDS = "docs/COMMANDS.md"
CONTRIBUTING = "docs/CONTRIBUTING.md"
PERSONALITIES = "docs/personalities.md"
DOCUMENTS = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "engine" / "README.md",
    ROOT / "records" / "README.md",
]


@pytest.mark.parametrize(("name", "most"), BYTES_MAX.items())
def test_a_document_is_short(name: str, most: int) -> None:
    assert (ROOT / name).stat().st_size <= most


def test_every_block_of_the_readme_is_run_or_names_a_target() -> None:
    """`sh` is run below; `make` installs, which the Makefile's own tests do with other tools."""
    fences = re.findall(r"^ *```(.*)$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert set(fences[::2]) == {"sh", "make"}
    typed = "".join(blocks("README.md", "make")).splitlines()
    assert [line.partition("#")[0].strip() for line in typed] == ["make install"]


def test_the_readmes_picture_is_that_of_its_record() -> None:
    assert PICTURE.read_text() == picture(), "run: python -m tests.docs.picture"
    assert PICTURE.relative_to(ROOT).as_posix() in (ROOT / "README.md").read_text()


def test_the_recording_is_of_the_readmes_race_and_loads_nothing() -> None:
    root = ElementTree.parse(RECORDING).getroot()
    assert [root.findtext("{*}title", "") + "\n"] == blocks("README.md", "sh")[1:2]
    *_, last = root.findall("{*}g")
    assert any("Report: runs/" in text for text in last.itertext())
    assert RECORDING.relative_to(ROOT).as_posix() in (ROOT / "README.md").read_text()
    text = RECORDING.read_text()
    assert "prefers-color-scheme:dark" in text and "prefers-reduced-motion" in text
    assert not re.search(r"url\(|href|@import|<script|@font-face", text)


def test_a_recording_has_whole_redraws_and_ends_with_what_is_left() -> None:
    table = "\x1b[1mserver\x1b[0m  \x1b[32m<fast>\x1b[0m  1×\r\n"
    shown = Typed(0, [(1.0, table[:9]), (1.01, table[9:]), (8.0, "\x1b[1A\x1b[2Kresult\r\n")])
    begins = [at_s for at_s, _ in frames(shown)]
    assert begins == [1.01, 8.0]
    root = ElementTree.fromstring(recorded("bakeoff race", frames(shown), "2026-01-02"))
    first, last = ([(e.text, e.get("x"), e.get("class")) for e in g] for g in root.findall("{*}g"))
    assert first == [
        ("$ bakeoff race", "12.0", "bold"),
        ("server", "12.0", "bold"),
        ("<fast>", "79.2", "green"),
        ("1×", "146.4", None),
    ]
    assert last[1:] == [("result", "12.0", None)]


@pytest.mark.e2e
@pytest.mark.alone
@pytest.mark.slow
def test_the_readmes_commands_run_one_after_another(tmp_path: Path) -> None:
    commands = "\n".join(blocks("README.md", "sh"))
    env = {**WHO, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    # Should one fail, the servers that run already must not outlive the test.
    done = run(f"trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n{commands}", tmp_path, env)
    assert done.returncode == 0, done.stderr
    by_command, by_url = sorted(tmp_path.glob("runs/2*/verdict.json"))
    raced = {
        by_command: ("plain.js", "busy.js"),
        by_url: ("127.0.0.1:8081", "127.0.0.1:8082"),
    }
    for path, (plain, busy) in raced.items():
        pair = Verdict.read_json(path).pair(plain, busy)
        assert pair is not None and pair.finding == "faster"
    (revisions,) = tmp_path.glob("shop/runs/2*/ci.json")
    assert Ci.read_json(revisions).outcome == "slower"


@pytest.mark.e2e
@pytest.mark.alone
@pytest.mark.slow
def test_the_commands_of_the_commands_page_run_one_after_another(tmp_path: Path) -> None:
    servers = blocks("README.md", "sh")[0]
    done = run("\n".join([servers, *blocks(COMMANDS, "sh")]), tmp_path)
    assert done.returncode == 0, done.stderr
    verdict = Verdict.read_json(tmp_path / "verdict.json")
    assert verdict.entries[0].valid


@pytest.mark.e2e
def test_who_takes_the_steps_of_contributing_has_a_contender(tmp_path: Path) -> None:
    done = run("\n".join(blocks(CONTRIBUTING, "sh")), tmp_path)
    assert done.returncode == 0, done.stderr
    made = Contender.read_toml(tmp_path / "catalogue/contenders/my-server/contender.toml")
    assert {"hello", "empty", "json"} <= set(made.serves)
    assert made.version and all(tool.apt for tool in made.requires.values())


def test_the_python_of_the_commands_page_runs(
    world: World,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In a world of known speeds, where a race takes no time."""
    (tmp_path / "node").touch(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    shutil.copytree(ROOT / "catalogue" / "workloads", tmp_path / "workloads", dirs_exist_ok=True)
    for name in ("old", "new"):
        contender(tmp_path, name)
    speeds = {"plain.js": 50_000.0, "busy.js": 20_000.0, "old": 20_000.0, "new": 19_900.0}
    world.requests_per_s |= speeds
    (source,) = blocks(COMMANDS, "python")
    names: dict[str, Any] = {}
    exec(compile(source, COMMANDS, "exec"), names)
    assert "busy.js" in capsys.readouterr().out
    names["test_new_is_not_slower"]()
    world.requests_per_s["new"] = 15_000.0
    with pytest.raises(AssertionError):
        names["test_new_is_not_slower"]()


@pytest.mark.e2e
@pytest.mark.first
def test_the_engines_commands_run_one_after_another(tmp_path: Path) -> None:
    commands = "\n".join(blocks("engine/README.md", "sh"))
    # Should one fail, the server that the first of them started must not outlive the test.
    done = run(f"trap 'kill $SERVER 2>/dev/null || true' EXIT\n{commands}", tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("errors       none") == len(
        re.findall(r"^(?:requests|messages)/s  ", done.stdout, re.MULTILINE)
    )
    assert json.loads((tmp_path / "result.json").read_text())["requests"] == 1000
    intervals = (tmp_path / "load.csv").read_text().splitlines()
    assert len(intervals) >= 31 and intervals[0].startswith("start_s,requests,errors")
    log = HistogramLogReader(str(tmp_path / "load.hlog"), HdrHistogram(1, 3600 * 10**9, 3))
    whole = log.get_next_interval_histogram()
    assert whole is not None and whole.get_total_count() > 0


@pytest.mark.e2e
def test_the_commands_of_the_personalities_run_one_after_another(tmp_path: Path) -> None:
    commands = "\n".join(blocks(PERSONALITIES, "sh"))
    done = run(f"trap 'kill $SERVER 2>/dev/null || true' EXIT\n{commands}", tmp_path)
    assert done.returncode == 0, done.stderr
    printed = done.stdout
    assert [int(n) for n in re.findall(r"Complete requests: +(\d+)", printed)] == [1000, 5000]
    assert re.findall(r"Failed requests: +(\d+)", printed) == ["0", "0"]
    assert len(re.findall(r"^Running [12]s test @ ", printed, re.MULTILINE)) == 3
    assert "Socket errors" not in printed and "Non-2xx" not in printed
    assert re.search(r"^asked [1-9]\d* times, half of them within \d+ us$", printed, re.MULTILINE)
    assert re.search(r"^Requests: [1-9]\d* susceed, 0 failed\.$", printed, re.MULTILINE)
    figures = {name: json.loads((tmp_path / f"{name}.json").read_text()) for name in ("wrk", "ab")}
    assert {name: one["personality"] for name, one in figures.items()} == {"wrk": "wrk", "ab": "ab"}
    assert figures["ab"]["requests"] == 1000 and figures["wrk"]["requests"] > 0


def test_make_has_the_targets_that_the_documents_name() -> None:
    text = "".join((ROOT / name).read_text() for name in ("Makefile", "bench.mk"))
    targets = set(re.findall(r"^([a-z-]+):", text, re.MULTILINE))
    named = {
        target
        for document in DOCUMENTS
        for target in re.findall(r"^(?:.*`)?make ([a-z-]+)\b(?!/)", document.read_text(), re.M)
    }
    assert {"race", "test", "setup", "lint", "bench", "fuzz", "help", "clean"} <= targets
    assert named <= targets


def test_the_example_of_a_workload_keeps_the_contract(tmp_path: Path) -> None:
    (example,) = blocks(COMMANDS, "toml")
    (tmp_path / "shop.toml").write_text(example)
    (tmp_path / "users.csv").write_text("id,name\n7,ann\n")
    asked = read_workload(tmp_path / "shop.toml").by_name
    assert list(asked) == ["GET /", "search", "POST /orders"]


def anchors(document: Path) -> set[str]:
    """Those of a document's headings, as GitHub names them."""
    headings = re.findall(r"^#+ (.*)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_lead_somewhere() -> None:
    for document in DOCUMENTS:
        for path, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", document.read_text()):
            if path.startswith("https://"):
                continue
            target = document.parent / path if path else document
            assert target.exists(), f"{document.name} links to {path}"
            if anchor:
                assert anchor in anchors(target), f"{document.name} links to {path}#{anchor}"


def test_a_requests_life_names_files_and_functions_of_the_engine() -> None:
    named = re.findall(r"`([^`]+)`", (ROOT / "docs" / "engine-request.md").read_text())
    files = {name for name in named if name.endswith(".rs")}
    sources = [
        path for path in (ROOT / "engine").glob("*/src/**/*.rs") if "bench" not in path.parts
    ]
    assert len(files) > 15
    assert [
        name for name in files if not any(path.as_posix().endswith(f"/{name}") for path in sources)
    ] == []
    words = {word for path in sources for word in re.findall(r"\w+", path.read_text())}
    called = {name for name in named if re.fullmatch(r"[A-Za-z_]+(::[A-Za-z_]+)?", name)}
    assert {part for name in called for part in name.split("::")} <= words


def test_a_connections_states_are_those_of_the_engine() -> None:
    page = (ROOT / "docs" / "engine-request.md").read_text()
    section = page.split("\n## A connection's states\n", 1)[1]
    pool = (ROOT / "engine" / "load" / "src" / "pool.rs").read_text()
    variants = re.findall(r"^    (\w+),$", pool.split("enum State {", 1)[1].split("\n}")[0], re.M)
    assert re.findall(r"^\| `(\w+)`", section, re.M) == variants
    passive = re.search(r"fn is_active\(self\) -> bool \{\s*!matches!\(self, (.*?)\)", pool)
    named = re.search(r"\(all but (.*?)\)", section, re.S)
    assert passive is not None and named is not None
    assert re.findall(r"`(\w+)`", named[1]) == re.findall(r"Self::(\w+)", passive[1])


def test_every_room_has_its_sentence() -> None:
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    rooms = {line.split("/")[0] for line in tracked.splitlines() if "/" in line}
    page = (ROOT / "ARCHITECTURE.md").read_text()
    for room in rooms - {".ci", ".github"}:
        assert f"\n| `{room}/" in page, f"ARCHITECTURE has no sentence for {room}/"
