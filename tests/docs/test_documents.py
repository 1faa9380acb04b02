"""The documents say what is true: their commands run, their examples and tables are checked.

`BAKEOFF_GOLDEN=write pytest tests/docs` writes the README's standings from the record they name.
"""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from bakeoff.model.contender import Contender
from bakeoff.model.verdict import Verdict
from bakeoff.report import markdown

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(ROOT.glob("*.md"))
STANDINGS = re.compile(
    r"(<!-- standings of (?P<record>\S+) -->\n)(?P<text>.*?)(<!-- end -->)", re.DOTALL
)


def blocks(document: str, language: str) -> list[str]:
    """The fenced blocks of one language."""
    text = (ROOT / document).read_text()
    return re.findall(rf"^ *```{language}\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)


@pytest.mark.e2e
def test_the_readmes_commands_run_one_after_another(tmp_path: Path) -> None:
    commands = "\n".join(blocks("README.md", "sh"))
    assert "bakeoff race" in commands
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "node plain.js is faster than node busy.js" in " ".join(done.stdout.split())
    verdict = Verdict.read_json(tmp_path / "verdict.json")
    assert verdict.entries[0].valid


def test_make_has_the_targets_that_the_documents_name() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        target
        for document in DOCUMENTS
        for target in re.findall(r"^(?:.*`)?make ([a-z]+)\b", document.read_text(), re.MULTILINE)
    }
    assert {"race", "test", "setup", "lint", "bench", "fuzz", "help", "clean"} <= targets
    assert named <= targets


def test_the_example_of_a_contender_keeps_the_contract() -> None:
    (example,) = blocks("CONTRIBUTING.md", "toml")
    assert Contender.checked(tomllib.loads(example), "CONTRIBUTING.md").name == "my-server"


def test_links_lead_somewhere() -> None:
    for document in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#]+)", document.read_text()):
            if not target.startswith("https://"):
                assert (ROOT / target).exists(), f"{document.name} links to {target}"


def test_every_room_has_its_sentence() -> None:
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    rooms = {line.split("/")[0] for line in tracked.splitlines() if "/" in line}
    readme = (ROOT / "README.md").read_text()
    for room in rooms - {".ci"}:
        assert f"| `{room}/` |" in readme, f"README has no sentence for {room}/"


def test_the_readmes_standings_are_those_of_a_record() -> None:
    readme = ROOT / "README.md"
    found = STANDINGS.search(readme.read_text())
    assert found
    verdict = Verdict.read_json(ROOT / found["record"])
    expected = standings(verdict)
    if os.environ.get("BAKEOFF_GOLDEN") == "write":
        spliced = STANDINGS.sub(lambda match: match[1] + expected + match[4], readme.read_text())
        readme.write_text(spliced)
    else:
        assert found["text"] == expected


def standings(verdict: Verdict) -> str:
    """What the README shows of a verdict: headline, table, noise floor, machine, date."""
    head, _, rest = markdown(verdict).partition("## Standings")
    headline = head.split("\n\n")[1]
    parts = [part for part in rest.split("\n\n") if part][:4]
    machine = verdict.machine
    where = (
        f"{machine.taken_at[:10]}, {machine.cpus} × {machine.cpu_model}, "
        f"{machine.virtualisation or 'bare metal'}, {machine.kernel}."
    )
    return "\n".join(["", headline, "", *(f"{part}\n" for part in parts), where, "", ""])
