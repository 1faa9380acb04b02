"""slowhttptest's attacks: hundreds of clients that take their time."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.brick.siege.conftest import Besieged, Starter, becomes_true

pytestmark = pytest.mark.e2e
VOLLEY = Path(sys.executable).parent / "volley"
ATTACKERS = 500
AT_ONCE = 250  # They come as fast as the machine lets them; the first are cut off meanwhile.
ATTACKS = {
    "slow head": ["-H", "-i", "1", "-u", "/"],
    "slow body": ["-B", "-i", "10", "-s", "8192", "-u", "/echo"],
    "slow read": ["-X", "-n", "1", "-w", "512", "-y", "1024", "-z", "32", "-u", "/stream"],
}
LIMITS = ["--head-timeout", "3", "--body-timeout", "3", "--send-timeout", "3"]
# Attackers take time of the machine, too. A server that they hold up comes nowhere near.
LEAST_SHARE = 1 / 5


@contextmanager
def attacked(server: Besieged, words: list[str]) -> Iterator[None]:
    """For a minute at most."""
    *how, path = words
    attack = subprocess.Popen(
        ["slowhttptest", *how, server.url + path, "-c", str(ATTACKERS), "-r", "500", "-l", "60"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        attack.kill()
        attack.wait()


def requests_per_s(server: Besieged) -> float:
    done = subprocess.run(
        [VOLLEY, "load", "--json", "-c", "8", "-d", "1s", server.url + "/"],
        capture_output=True,
        text=True,
        check=True,
    )
    counted = json.loads(done.stdout)
    assert counted["errors"] == {}
    return float(counted["requests_per_s"])


@pytest.mark.skipif(not shutil.which("slowhttptest"), reason="slowhttptest isn't installed")
@pytest.mark.parametrize("attack", ATTACKS)
def test_others_are_served_and_attackers_cut_off(besieged: Starter, attack: str) -> None:
    server = besieged(*LIMITS)
    in_peace = requests_per_s(server)
    with attacked(server, ATTACKS[attack]):
        assert becomes_true(lambda: server.connections() > AT_ONCE, within_s=15)
        under_attack = requests_per_s(server)
        # Well before its minute is over the attack has nobody left there.
        assert becomes_true(lambda: server.connections() == 0, within_s=30)
    assert under_attack > in_peace * LEAST_SHARE
    assert server.answers()
