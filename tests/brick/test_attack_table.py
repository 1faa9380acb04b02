"""What `make brick-attacks` does, with few attackers."""

import json
import sys
from pathlib import Path

import pytest

from tests.brick.conftest import ROOT, ended, program

pytestmark = pytest.mark.e2e
BENCH = ROOT / "brick" / "bench"
CLIENTS = 50


def test_each_attack_has_a_row_between_two_of_peace(tmp_path: Path) -> None:
    program("brick-besieged")
    record = tmp_path / "attacks.json"
    words = ["--io", "epoll", "--seconds", "1", "--idle", str(CLIENTS)]
    done = ended(
        sys.executable, BENCH / "attacks.py", *words, "--only", "idle", "nonsense", "--out", record
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(record.read_text())["attacks"]
    assert [row["attack"] for row in rows] == ["nobody", "idle", "nonsense", "nobody"]
    assert rows[1]["came"] == CLIENTS
    assert all(row["requests"] > 0 and row["errors"] == {} for row in rows)
    assert all(row["memory_bytes"] > 0 and row["server_ran"] > 0 for row in rows)
    assert len(done.stdout.splitlines()) == 1 + len(rows)


def test_an_attack_that_is_unknown_is_named() -> None:
    done = ended(sys.executable, BENCH / "attacks.py", "--only", "locusts")
    assert done.returncode == 2
    assert "locusts" in done.stderr and "slow head" in done.stderr
