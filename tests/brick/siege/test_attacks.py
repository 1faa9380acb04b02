"""slowhttptest's attacks: hundreds of clients that take their time."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.brick.siege.conftest import Besieged, Starter
from tests.waiting import wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
VOLLEY = Path(sys.executable).parent / "volley"
ATTACKERS = 500
AT_ONCE = 250  # They come as fast as the machine lets them; the first are cut off meanwhile.
ATTACKS = {
    "slow head": ["-H", "-i", "1", "-u", "/"],
    "slow body": ["-B", "-i", "10", "-s", "8192", "-u", "/echo"],
    "slow read": ["-X", "-n", "1", "-w", "512", "-y", "1024", "-z", "32", "-u", "/stream"],
}
LIMITS = ["--head-timeout", "3", "--body-timeout", "3", "--send-timeout", "3"]
# Else the kernel takes megabytes for each slow reader, and copying them is what they cost.
SEND_BUFFER = ["--send-buffer", "65535"]
REQUESTS = 20_000
# What the attackers cost the server themselves is in it; the machine's other work isn't.
MOST_TIMES_CPU = 5


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


def cpu_s_of_requests(server: Besieged) -> float:
    """The server's own CPU time while it answers others, each of them well."""
    before = server.cpu_s()
    done = subprocess.run(
        [VOLLEY, "load", "--json", "-c", "8", "-n", str(REQUESTS), server.url + "/"],
        capture_output=True,
        text=True,
        check=True,
    )
    counted = json.loads(done.stdout)
    assert counted["errors"] == {} and counted["requests"] == REQUESTS
    return server.cpu_s() - before


@pytest.mark.skipif(not shutil.which("slowhttptest"), reason="slowhttptest isn't installed")
@pytest.mark.parametrize("attack", ATTACKS)
def test_others_are_served_and_attackers_cut_off(besieged: Starter, attack: str) -> None:
    server = besieged(*LIMITS, *SEND_BUFFER)
    in_peace = cpu_s_of_requests(server)
    with attacked(server, ATTACKS[attack]):
        wait_for(lambda: server.connections() > AT_ONCE)
        under_attack = cpu_s_of_requests(server)
        # Well before its minute is over the attack has nobody left there.
        wait_for(lambda: server.connections() == 0)
    assert under_attack < in_peace * MOST_TIMES_CPU
    assert server.answers()
