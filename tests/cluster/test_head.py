"""What is said of a head that can't be reached, isn't one, or goes while it is asked."""

import os
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bakeoff.cluster import head
from bakeoff.cluster.calls import Calls
from bakeoff.model.errors import MissingPiece
from tests.cluster.listening import Listening

WITHIN_S = 30.0


@pytest.fixture
def calls() -> Iterator[Calls]:
    """Of a child that answers, in place of Ray's driver."""
    made = Calls("tests.cluster.answering")
    yield made
    made.end()


@pytest.mark.parametrize(
    ("theirs", "mends"),
    [
        ({"ray_version": "2.1.0"}, ["pip install 'ray==2.1.0'"]),
        ({"python_version": "3.9.1"}, ["install bakeoff with Python 3.9.1"]),
        (
            {"ray_version": "2.1.0", "python_version": "3.9.1"},
            ["install bakeoff with Python 3.9.1", "pip install 'ray==2.1.0'"],
        ),
    ],
)
def test_a_cluster_of_other_versions_is_refused(theirs: dict[str, str], mends: list[str]) -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed (requirements/cluster.txt)")
    from ray._private.utils import check_version_info

    ours = {"ray_version": ray.__version__, "python_version": platform.python_version()}
    with pytest.raises(RuntimeError) as error:
        check_version_info({**ours, **theirs}, "here")
    assert head._not_joined("auto", str(error.value)).endswith(f"; here: {', and '.join(mends)}")


def test_a_head_that_goes_when_it_is_reached_has_not_answered() -> None:
    listening = Listening(goes_at_once=True)
    with pytest.raises(MissingPiece, match=r"127\.0\.0\.1 port"):
        head._reached(listening.address)


def test_a_slow_answer_is_waited_for(monkeypatch: pytest.MonkeyPatch, calls: Calls) -> None:
    monkeypatch.setattr(head, "ASK_S", 0.02)
    there = head.Head(Listening().address, calls)
    threading.Timer(0.2, calls.begin, ["go_on"]).start()
    assert there.ask("wait") == "waited"


@pytest.mark.parametrize("asked", ["wait", "hold_up", "fail", "die"])
def test_where_the_head_is_gone_that_is_why_nothing_is_answered(asked: str, calls: Calls) -> None:
    listening = Listening()
    there = head.Head(listening.address, calls)
    there.ask("pid")
    listening.go()
    with pytest.raises(MissingPiece, match=f" head {listening.address} "):
        there.ask(asked)


RAY = {
    "__init__": """
import ctypes, os, pathlib, socket, sys, time

def init(address, **_):
    pathlib.Path(os.environ["ASKED"]).write_text(str(os.getpid()))
    {does}
""",
    "cloudpickle": "",
    "exceptions": "class ActorAlreadyExistsError(Exception): pass\nclass RayError(Exception): pass",
    "util/__init__": "",
    "util/scheduling_strategies": "class NodeAffinitySchedulingStrategy: pass",
}
"""As much of Ray as is imported; `init` writes its process down."""
DOES = {
    "waits": "time.sleep(600)",
    # As Ray's does while it registers with a raylet whose head is gone.
    "holds up all threads": "ctypes.PyDLL(None).sleep(600)",
    "ends its process": """
    host, port = address.split(":")
    while True:
        try:
            socket.create_connection((host, int(port))).close()
        except OSError:
            print("Check failed: it is gone", "*** StackTrace ***", sep="\\n", file=sys.stderr)
            os.abort()
        time.sleep(0.01)
""",
    "raises": """
    host, port = address.split(":")
    while True:
        socket.create_connection((host, int(port))).close()
        time.sleep(0.01)
""",
}


@pytest.mark.parametrize("ray", DOES)
def test_a_head_lost_while_ray_joins_ends_bakeoff_with_one_line(tmp_path: Path, ray: str) -> None:
    for name, text in RAY.items():
        file = tmp_path / "ray" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("{does}", DOES[ray]))
    asked = tmp_path / "asked"
    listening = Listening()
    racing = subprocess.Popen(
        [sys.executable, "-m", "bakeoff", "race", "true", "--cluster", listening.address],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[2]}",
            "ASKED": str(asked),
        },
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        until_s = time.monotonic() + WITHIN_S
        while not (asked.exists() and asked.read_text()):
            assert time.monotonic() < until_s and racing.poll() is None
            time.sleep(0.01)
        listening.go()
        _, err = racing.communicate(timeout=WITHIN_S)
    finally:
        racing.kill()
    assert racing.returncode == MissingPiece.exit_status
    joining, line = err.splitlines()
    assert joining == f"joining the cluster {listening.address}"
    assert line.startswith(f"bakeoff: the cluster's head {listening.address} is gone")
    assert not Path(f"/proc/{asked.read_text()}").exists()
