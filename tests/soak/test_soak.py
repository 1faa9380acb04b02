"""Five minutes of random races of well- and ill-behaved servers; `make soak` takes an hour."""

import os
import random
from pathlib import Path

import pytest

from tests.soak.__main__ import main

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.alone]


def test_every_race_ends_with_a_verdict_or_a_reason_and_leaves_nothing(tmp_path: Path) -> None:
    """SOAK_SEED repeats it; each failure is printed with the command that repeats it alone."""
    seed = os.environ.get("SOAK_SEED") or f"{random.randrange(10**8)}"
    assert main(["--minutes", "5", "--seed", seed, "--kept", str(tmp_path)]) == 0
