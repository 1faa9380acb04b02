"""Servers that fail: when they are built and started, and in the middle of a run."""

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.messages.case import Case, Scene, Section, case, cases
from tests.messages.setup import NOCC, contender
from tests.messages.worlds import A, B, away, later, real, world
from tests.runs.test_inferring import found
from tests.runs.world import World

LISTENS = """\
import socket, sys, time
sockets = [socket.create_server((sys.argv[1], int(port))) for port in sys.argv[2:]]
time.sleep(9)
"""


def python(scene: Scene) -> None:
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


def raises(at_slice: int, error: BaseException) -> Callable[[World, int], None]:
    def on_slice(_one: World, count: int) -> None:
        if count == at_slice:
            raise error

    return on_slice


KILLED = "was killed by signal SIGKILL"
WRONG = "GET /: answered with status 503, not 200"
SAMPLES = {"a": found({"id": 1}, {"id": 2}), "b": found({"id": "1"}, {"id": "2"})}
BOTH = dict.fromkeys(("a", "b", "a (twin)"), KILLED)
ALL_BUT_ONE = {f"a#{n}": KILLED for n in range(2, 7)}
ONE = f"race {A} --no-twin -d 2 --seed 1"
TWO = f"race {A} {B} -d 2 --seed 1"
FORWARD = "race nginx --workload forward -d 2 --seed 1"
BOOTS = f"race {A} {B} -d 2 --seed 1 --boots 2 --instances 1"
DRAWS = f"draws {A} -d 2 --seed 1"
DAY = f"day {A} {B} -d 2m --seed 1"
FEWER = "instead of"
SAID = r"^bakeoff: |^  (?!it had)\S|^\S+( \(twin\))? is out: (?!it )|^ended early"


def said(typed: str, given: str, shows: str = "", **fields: Any) -> Case:
    """What is said of servers in a world with these `fields`."""
    return case(typed, given, world(**fields), shows=shows)


SECTION = Section(
    "Servers that fail",
    (
        *(
            case("race ./x --no-twin -d 1", given, situation, files=contender(command))
            for command, given, situation in (
                ("./nosuch", "its command is ./nosuch", real),
                ("nosuch", "its command is nosuch", real),
                ("sh -c 'echo no config; exit 7'", "it exits with status 7", real),
                ("sh -c 'kill -SEGV $$'", "it crashes", real),
                ("sh -c 'sleep 9 &'", "it leaves a process in the background and exits", real),
                ("sleep 9", "it never listens, and has a second", real),
                ("python3 {here}/listens.py 127.0.0.1 0", "it listens on another port", python),
                (
                    "python3 {here}/listens.py 127.0.0.2 {port}",
                    "it listens on another address",
                    python,
                ),
            )
        ),
        case(
            "race ./x --no-twin -d 1",
            "it needs nocc, which is not here",
            real,
            files=contender(more=NOCC),
        ),
        *cases(
            "race 'sleep 1' --no-twin -d 1 --protocol h2",
            ("cryptography is not installed", real, away("cryptography")),
            ("the disk is full", real, _full),
        ),
        case("race 'sleep 1' --port PORT --no-twin -d 1", "another process has PORT", _taken),
        said(
            "race nginx --no-twin -d 2 --seed 1",
            "its build fails",
            unbuildable={"nginx": "its build failed"},
        ),
        said(ONE, "it doesn't start", unstartable={"a": "exited with status 1"}),
        said(TWO, "b doesn't start", unstartable={"b": "exited with status 1"}),
        said(TWO, "b is killed in its warm-up", on_slice=later(4, dead={"b": KILLED})),
        said(TWO, "b is killed while it is measured", on_slice=later(30, dead={"b": KILLED})),
        said(BOOTS, "neither starts a second time", on_slice=later(60, unstartable=BOTH)),
        said(
            BOOTS,
            "both stop answering in the second boot",
            on_slice=later(68, stalls={"a": 0.0, "b": 0.0}),
        ),
        said(
            f"{TWO} --instances 2",
            "b is killed while it is measured",
            on_slice=later(40, dead={"b": KILLED}),
        ),
        said(f"{TWO} --solo", "a starts only once", on_slice=later(5, unstartable={"a": KILLED})),
        said(TWO, "each takes 400 s to start", starts_s={"a": 400.0, "b": 400.0}),
        said(TWO, "b answers wrongly", wrong={"b": WRONG}),
        said(TWO, "b has room for 8 connections in its listen queue", queues={"b": 8}, shows=FEWER),
        said(TWO, "b serves 8 connections at a time", served={"b": 8}, shows=FEWER),
        said(f"{TWO} -c 64", "b has room for 8 connections in its listen queue", places={"b": 8}),
        said(f"{TWO} -c 64", "b serves 8 connections at a time", served={"b": 8}),
        said(f"{TWO} --same-answers", "b answers otherwise than a", samples=SAMPLES),
        said(ONE, "it is killed while it is measured", on_slice=later(30, dead={"a": KILLED})),
        said(DRAWS, "all but one are killed under load", on_slice=later(60, dead=ALL_BUT_ONE)),
        said(ONE, "it is killed in its warm-up", on_slice=later(1, dead={"a": KILLED})),
        said(TWO, "both stop answering", stalls={"a": 0.0, "b": 0.0}),
        said(FORWARD, "the upstream can't be built", unbuildable={"upstream": "its build failed"}),
        said(FORWARD, "the upstream doesn't start", unstartable={"upstream": KILLED}),
        said(
            f"{TWO} --protocol h2",
            "no certificate can be made",
            no_certificate="no certificate can be made",
        ),
        said(DRAWS, "it doesn't start", unstartable={"a": KILLED}),
        said(DRAWS, "all but one don't start", unstartable=ALL_BUT_ONE),
        said(DRAWS, "all are killed at once", dead={"a": KILLED, **ALL_BUT_ONE}),
        said("contenders --audit nginx", "it doesn't start", unstartable={"nginx": KILLED}),
        said(
            f"capacity {A} --slo p99=50ms --seed 1 -d 20",
            "it does 600 requests/s",
            requests_per_s={"a": 600.0},
        ),
        said(
            f"capacity {A} --slo p99=10ms --seed 1 -d 30",
            "it doesn't start",
            unstartable={"a": KILLED},
        ),
        said(DAY, "neither starts", unstartable={"a": KILLED, "b": KILLED}),
        said(DAY, "neither starts a second time", unstartable_again={"a": KILLED, "b": KILLED}),
        said(FORWARD, "the upstream ends", dead={"upstream": KILLED}, stalls={"nginx": 0.3}),
        said(
            TWO,
            "the disk is full",
            on_slice=raises(10, OSError(28, "No space left on device", "runs/x/samples.jsonl")),
        ),
        said(TWO, "you press Ctrl-C", on_slice=raises(10, KeyboardInterrupt()), shows="nterrupted"),
        said(
            TWO,
            "you press Ctrl-C later",
            on_slice=raises(90, KeyboardInterrupt()),
            shows="nterrupted",
        ),
    ),
    files={"x/listens.py": LISTENS},
    shows=SAID,
)
