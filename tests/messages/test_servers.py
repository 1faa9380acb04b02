"""Servers that fail: when they are built and started, and in the middle of a run."""

import os
import socket
import sys
from pathlib import Path

from tests.messages.case import Case, Scene, Section, Situation
from tests.messages.page import check
from tests.messages.worlds import A, B, away, both, later, real, world
from tests.runs.test_hold import found
from tests.runs.world import World

CONTENDER = """\
name = "x"
title = "X"
language = "sh"
kind = "server"
[run]
command = "COMMAND"
ready_timeout_s = 0.3
[serves]
hello = "/"
"""
NOCC = '[requires.nocc]\ncheck = "nocc --version"\napt = ["nocc-dev"]\n'
LISTENS = """\
import socket, sys, time
sockets = [socket.create_server((sys.argv[1], int(port))) for port in sys.argv[2:]]
time.sleep(9)
"""


def python(scene: Scene) -> None:
    """python3 is on PATH."""
    (scene.folder.parent / "bin" / "python3").symlink_to(os.path.realpath(sys.executable))
    real(scene)


def _taken(scene: Scene) -> None:
    real(scene)
    taken = scene.until_end.enter_context(socket.create_server(("127.0.0.1", 0)))
    scene.stands_for["PORT"] = str(taken.getsockname()[1])


def _full(scene: Scene) -> None:
    def fail(path: Path, _data: bytes) -> None:
        raise OSError(28, "No space left on device", str(path))

    scene.patch.setattr(Path, "write_bytes", fail)


def _contender(command: str) -> dict[str, str | bytes]:
    return {"x/contender.toml": CONTENDER.replace("COMMAND", command)}


def fails(at_slice: int, error: BaseException) -> Situation:
    """Something fails in a slice."""

    def on_slice(_one: World, count: int) -> None:
        if count == at_slice:
            raise error

    return world(on_slice=on_slice)


KILLED = "was killed by signal SIGKILL"
WRONG = "GET /: answered with status 503, not 200"
LOOKED = {"a": found({"id": 1}, {"id": 2}), "b": found({"id": "1"}, {"id": "2"})}
BOTH = dict.fromkeys(("a", "b", "a (twin)"), KILLED)
ALL_BUT_ONE = {f"a#{n}": KILLED for n in range(2, 7)}
ONE = f"race {A} --no-twin -d 2 --seed 1"
TWO = f"race {A} {B} -d 2 --seed 1"
FORWARD = "race nginx --workload forward -d 2 --seed 1"
BOOTS = f"race {A} {B} -d 2 --seed 1 --boots 2 --instances 1"
FEWER = "instead of"
SAID = r"^bakeoff: |^  (?!it had)\S|^\S+( \(twin\))? is out: (?!it )|^ended early"

SECTION = Section(
    "Servers that fail",
    (
        *(
            Case("race ./x --no-twin -d 1", given, situation, _contender(command), shows=SAID)
            for command, given, situation in (
                ("./nosuch", "its command is ./nosuch", real),
                ("nosuch", "its command is nosuch", real),
                ("sh -c 'echo no config; exit 7'", "it exits with status 7", real),
                ("sh -c 'kill -SEGV $$'", "it crashes", real),
                ("sh -c 'sleep 9 &'", "it leaves a process in the background and exits", real),
                ("sleep 9", "it never listens, and has 0.3 s", real),
                ("python3 {here}/listens.py 127.0.0.1 0", "it listens on another port", python),
                (
                    "python3 {here}/listens.py 127.0.0.2 {port}",
                    "it listens on another address",
                    python,
                ),
            )
        ),
        Case(
            "race ./x --no-twin -d 1",
            "it needs nocc, which is not here",
            real,
            {"x/contender.toml": CONTENDER + NOCC},
            shows=SAID,
        ),
        Case(
            "race 'sleep 1' --no-twin -d 1 --protocol h2",
            "cryptography is not installed",
            both(real, away("cryptography")),
            shows=SAID,
        ),
        Case(
            "race 'sleep 1' --no-twin -d 1 --protocol h2",
            "the disk is full",
            both(real, _full),
            shows=SAID,
        ),
        Case(
            "race 'sleep 1' --port PORT --no-twin -d 1",
            "another process has PORT",
            _taken,
            shows=SAID,
        ),
        Case(
            "race nginx --no-twin -d 2 --seed 1",
            "its build fails",
            world(unbuildable={"nginx": "its build failed"}),
            shows=SAID,
        ),
        Case(ONE, "it doesn't start", world(unstartable={"a": "exited with status 1"}), shows=SAID),
        Case(TWO, "b doesn't start", world(unstartable={"b": "exited with status 1"}), shows=SAID),
        Case(
            TWO,
            "b is killed in its warm-up",
            world(on_slice=later(4, dead={"b": KILLED})),
            shows=SAID,
        ),
        Case(
            TWO,
            "b is killed while it is measured",
            world(on_slice=later(30, dead={"b": KILLED})),
            shows=SAID,
        ),
        Case(
            BOOTS,
            "neither starts a second time",
            world(on_slice=later(60, unstartable=BOTH)),
            shows=SAID,
        ),
        Case(
            BOOTS,
            "both stop answering in the second boot",
            world(on_slice=later(60, stalls={"a": 0.0, "b": 0.0})),
            shows=SAID,
        ),
        Case(
            f"{TWO} --instances 2",
            "b is killed while it is measured",
            world(on_slice=later(40, dead={"b": KILLED})),
            shows=SAID,
        ),
        Case(
            f"{TWO} --solo",
            "a starts only once",
            world(on_slice=later(5, unstartable={"a": KILLED})),
            shows=SAID,
        ),
        Case(
            TWO, "each takes 400 s to start", world(starts_s={"a": 400.0, "b": 400.0}), shows=SAID
        ),
        Case(TWO, "b answers wrongly", world(wrong={"b": WRONG}), shows=SAID),
        Case(
            TWO,
            "b has room for 8 connections in its listen queue",
            world(queues={"b": 8}),
            shows=FEWER,
        ),
        Case(TWO, "b serves 8 connections at a time", world(served={"b": 8}), shows=FEWER),
        Case(
            f"{TWO} -c 64",
            "b has room for 8 connections in its listen queue",
            world(places={"b": 8}),
            shows=SAID,
        ),
        Case(
            f"{TWO} -c 64", "b serves 8 connections at a time", world(served={"b": 8}), shows=SAID
        ),
        Case(
            f"{TWO} --same-answers", "b answers otherwise than a", world(looked=LOOKED), shows=SAID
        ),
        Case(
            ONE,
            "it is killed while it is measured",
            world(on_slice=later(30, dead={"a": KILLED})),
            shows=SAID,
        ),
        Case(
            f"draws {A} -d 2 --seed 1",
            "all but one are killed under load",
            world(on_slice=later(60, dead=ALL_BUT_ONE)),
            shows=SAID,
        ),
        Case(
            ONE,
            "it is killed in its warm-up",
            world(on_slice=later(1, dead={"a": KILLED})),
            shows=SAID,
        ),
        Case(TWO, "both stop answering", world(stalls={"a": 0.0, "b": 0.0}), shows=SAID),
        Case(
            FORWARD,
            "the upstream can't be built",
            world(unbuildable={"upstream": "its build failed"}),
            shows=SAID,
        ),
        Case(
            FORWARD,
            "the upstream doesn't start",
            world(unstartable={"upstream": KILLED}),
            shows=SAID,
        ),
        Case(
            f"{TWO} --protocol h2",
            "no certificate can be made",
            world(no_certificate="no certificate can be made"),
            shows=SAID,
        ),
        Case(
            f"draws {A} -d 2 --seed 1",
            "it doesn't start",
            world(unstartable={"a": KILLED}),
            shows=SAID,
        ),
        Case(
            f"draws {A} -d 2 --seed 1",
            "all but one don't start",
            world(unstartable=ALL_BUT_ONE),
            shows=SAID,
        ),
        Case(
            f"draws {A} -d 2 --seed 1",
            "all are killed at once",
            world(dead={"a": KILLED, **ALL_BUT_ONE}),
            shows=SAID,
        ),
        Case(
            "contenders --audit nginx",
            "it doesn't start",
            world(unstartable={"nginx": KILLED}),
            shows=SAID,
        ),
        Case(
            f"capacity {A} --slo p99=50ms --seed 1 -d 20",
            "it does 600 requests/s",
            world(requests_per_s={"a": 600.0}),
            shows=SAID,
        ),
        Case(
            f"capacity {A} --slo p99=10ms --seed 1 -d 30",
            "it doesn't start",
            world(unstartable={"a": KILLED}),
            shows=SAID,
        ),
        Case(
            f"day {A} {B} -d 2m --seed 1",
            "neither starts",
            world(unstartable={"a": KILLED, "b": KILLED}),
            shows=SAID,
        ),
        Case(
            f"day {A} {B} -d 2m --seed 1",
            "neither starts a second time",
            world(unstartable_again={"a": KILLED, "b": KILLED}),
            shows=SAID,
        ),
        Case(
            FORWARD,
            "the upstream ends",
            world(dead={"upstream": KILLED}, stalls={"nginx": 0.3}),
            shows=SAID,
        ),
        Case(
            TWO,
            "the disk is full",
            fails(10, OSError(28, "No space left on device", "runs/x/samples.jsonl")),
            shows=SAID,
        ),
        Case(TWO, "you press Ctrl-C", fails(10, KeyboardInterrupt()), shows="nterrupted"),
        Case(TWO, "you press Ctrl-C later", fails(90, KeyboardInterrupt()), shows="nterrupted"),
    ),
    files={"x/listens.py": LISTENS},
)


def test_messages_about_servers_that_fail() -> None:
    check(SECTION)
