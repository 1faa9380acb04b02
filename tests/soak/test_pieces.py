"""The soak's own pieces: what it draws, what it takes for right, and what it finds left."""

import json
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.misbehaving import server as misbehaving
from tests.soak import expected
from tests.soak.__main__ import main
from tests.soak.cases import KINDS, Case, Fault, Server, case_of
from tests.soak.footprint import Footprint
from tests.soak.record import record
from tests.soak.trial import Outcome, Trial, Typed

GOOD, FAIR, FINE = (Server(name) for name in ("good", "fair", "fine"))


def bad(name: str, at: str, figure: float = 0.0, *processes: str, status: int | None = 7) -> Server:
    return Server("bad", Fault(name, at, figure, processes, status))


def case(*servers: Server, kind: str = "race", words: tuple[str, ...] = ()) -> Case:
    return Case(1, kind, servers, (KINDS[kind][1], *words))


OUT = bad("exits", "--when-ready")
UNSURE = bad("exits", "--after-requests", 20_000)


def test_a_number_of_a_seed_is_always_the_same_case() -> None:
    assert [case_of("a", n) for n in range(1, 30)] == [case_of("a", n) for n in range(1, 30)]
    assert case_of("a", 1) != case_of("b", 1)


def test_cases_take_every_kind_and_every_fault_at_every_moment() -> None:
    cases = [case_of("all", number) for number in range(1, 3000)]
    faults = [server.fault for each in cases for server in each.servers if server.fault]
    assert {each.kind for each in cases} == set(KINDS)
    assert {fault.name for fault in faults} == set(misbehaving.FAULTS)
    assert len({(fault.name, fault.at) for fault in faults}) == 6 * len(misbehaving.FAULTS)
    assert {each.cut for each in cases} == {"", "interrupted", "killed"}
    assert {len(each.servers) for each in cases} == {1, 2, 3}


def test_the_server_takes_the_words_of_every_case() -> None:
    for number in range(1, 300):
        for server in case_of("words", number).servers:
            name, _, command = server.operand.partition("=")
            assert name == server.name
            misbehaving.options_of(shlex.split(command)[2:])


@pytest.mark.parametrize(
    ("server", "fate"),
    [
        (GOOD, "fine"),
        (bad("ignores_sigterm", "--at-start"), "fine"),
        (bad("exits", "--when-asked-to-stop"), "fine"),
        (bad("wrong", "--at-start", status=None), "fine"),
        (bad("wrong", "--at-start", status=500), "out"),
        (bad("exits", "--at-start"), "out"),
        (bad("hangs", "--after-requests", 70), "out"),
        (bad("resets", "--after-seconds", 0.3), "out"),
        (bad("no_descriptors", "--when-ready"), "out"),
        (bad("no_descriptors", "--after-requests", 2), "unsure"),
        (bad("exits", "--after-requests", 20_000), "unsure"),
        (bad("exits", "--at-start", 0, "--only-process", "2"), "unsure"),
        (bad("slow", "--at-start"), "unsure"),
    ],
)
def test_what_becomes_of_a_contender(server: Server, fate: str) -> None:
    assert expected.fate(server, struck=True) == fate


def test_a_fault_that_never_struck_changes_nothing() -> None:
    assert expected.fate(UNSURE, struck=False) == "fine"


@pytest.mark.parametrize(
    ("this", "right"),
    [
        (case(GOOD, FAIR), {0}),
        (case(GOOD), {0}),
        (case(GOOD, OUT), {3}),
        (case(OUT), {3}),
        (case(GOOD, FAIR, OUT), {4}),
        (case(GOOD, UNSURE), {0, 3, 4}),
        (case(GOOD, OUT, kind="capacity"), {3, 4}),
        (case(OUT, kind="capacity"), {3}),
        (case(GOOD, FAIR, kind="gate", words=("--gate", "good >= 0.2 * fair")), {0}),
        (case(GOOD, FAIR, kind="gate", words=("--gate", "good >= 5 * fair")), {1}),
    ],
)
def test_the_statuses_that_are_right(this: Case, right: set[int]) -> None:
    assert expected.statuses(this, {"bad"}) == right


def test_without_enough_blocks_there_is_no_verdict() -> None:
    said = f"Can't tell:\n{expected.TOO_LITTLE}."
    assert expected.statuses(case(GOOD, FAIR), (), said) == {0, 3}
    assert expected.statuses(case(GOOD, FAIR, kind="capacity"), (), said) == {0}


def test_the_announced_time_is_read() -> None:
    assert expected.announced_s("about 15 s besides builds, 1 min 20 s at most: 3 servers") == 80
    assert expected.announced_s("about 2 min besides builds, 1 h 5 min at most") == 3900
    assert expected.announced_s("starting good, bad") is None


def test_a_bound_is_what_was_announced_or_our_own() -> None:
    said = "about 15 s besides builds, 40 s at most"
    assert expected.bound_s(case(GOOD), said) == 40 + expected.ALLOWANCE_S
    draws = "10 s in all besides builds and starts"
    longer = expected.bound_s(case(GOOD, kind="draws"), draws)
    assert longer == expected.bound_s(case(GOOD, kind="draws"), "") + 20
    assert expected.bound_s(case(GOOD, FAIR), "") > expected.bound_s(case(GOOD), "")


@pytest.mark.parametrize(
    "said",
    [
        'Traceback (most recent call last):\n  File "/x/bakeoff/cli/app.py", line 3, in main',
        "AssertionError",
        "bad is out: \nstarting good",
        "the last attempt said:",
        "a rate of None requests",
        "1.0 (nan to 2.0)",
        "bad is out: 0 of 0 requests had no answer",
        "its answer is not HTTP: bytearray(b'x')",
    ],
)
def test_what_must_not_be_said(said: str) -> None:
    assert list(expected.blemishes(said))


def test_the_end_of_a_servers_log_may_have_its_own_traceback() -> None:
    tail = 'bad is out: exited with status 1:\n  File "/x/bakeoff/build/a place/server.py", line 9'
    assert not list(expected.blemishes(tail + "\nMemoryError\nNone of them answered"))


def test_the_reason_of_one_that_is_out_has_to_be_named() -> None:
    pair = case(GOOD, OUT)
    assert not list(expected.unnamed(pair, {"bad"}, "bad is out: exited with status 7"))
    assert not list(expected.unnamed(pair, {"bad"}, "bad is out: it exited\nwith status 7"))
    assert list(expected.unnamed(pair, {"bad"}, "No verdict"))
    assert list(expected.unnamed(pair, {"bad"}, "bad is out: it was not measured"))
    not_so = "bad: exited with status 7: the run ended before its turn"
    assert list(expected.unnamed(pair, {"bad"}, not_so))


def test_a_result_has_a_reason_for_one_that_is_out(tmp_path: Path) -> None:
    pair, result = case(GOOD, OUT), tmp_path / "result.json"
    assert list(expected.unexplained(pair, {"bad"}, result, status=0))
    assert not list(expected.unexplained(pair, {"bad"}, result, status=3))
    for text, is_wrong in (
        ({"skipped": [{"name": "bad", "reason": "exited with status 7"}]}, False),
        ({"cells": [{"entries": [{"name": "bad", "reasons": [{"code": "died"}]}]}]}, False),
        ({"cells": [{"skipped": "too few are left:\n  bad: exited with status 7"}]}, False),
        ({"skipped": [{"name": "bad", "reason": ""}]}, True),
        ({"entries": [{"name": "bad", "reasons": []}]}, True),
    ):
        result.write_text(json.dumps(text))
        assert bool(list(expected.unexplained(pair, {"bad"}, result, status=4))) == is_wrong
    result.write_text("{")
    assert list(expected.unexplained(pair, {"bad"}, result, status=4))


def test_what_is_left_is_found(tmp_path: Path) -> None:
    for name in ("tmp", "state/bakeoff/running"):
        (tmp_path / name).mkdir(parents=True)
    footprint = Footprint(tmp_path)
    assert footprint.left() == []
    listens = (
        "import socket, time; s = socket.create_server(('127.0.0.1', 0)); print('', flush=True)"
    )
    words = [sys.executable, "-c", f"{listens}; time.sleep(60)"]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        footprint.look(process.pid)
        left = " ".join(footprint.left())
        assert f"process {process.pid}" in left
        assert "port " in left
        footprint.kill()
    assert footprint.left() == []
    (tmp_path / "tmp" / "bakeoff-x").touch()
    (tmp_path / "state" / "bakeoff" / "running" / "1").touch()
    (tmp_path / "runs" / "scratch").mkdir(parents=True)
    assert len(footprint.left()) == 3


def test_a_socket_that_outlives_its_process_is_found(tmp_path: Path) -> None:
    """It may be another one's by then, somewhere else."""
    (tmp_path / "tmp").mkdir()
    footprint = Footprint(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as held:
        words = [sys.executable, "-c", "input()"]
        with subprocess.Popen(
            words, cwd=tmp_path, stdin=subprocess.PIPE, pass_fds=[held.fileno()]
        ) as process:
            footprint.look(process.pid)
        assert footprint.left() == [f"port {held.getsockname()[1]}"]
    assert footprint.left() == []


def test_who_struck_is_read_from_what_its_processes_wrote(tmp_path: Path) -> None:
    trial = Trial(case(GOOD, OUT), tmp_path / "a place")
    counted = trial.folder / "counted-bad"
    counted.mkdir()
    (counted / "1").touch()
    assert trial.struck() == set()
    (counted / "2").write_text("the fault strikes when ready: exits, after 0 answers\n")
    assert trial.struck() == {"bad"}


def test_the_record_says_what_failed_and_how_to_repeat_it() -> None:
    fine = Outcome(case(GOOD, FAIR), [Typed(("race",), 0, 20.0, "")], announced_s=80.0)
    failed = Outcome(case(GOOD, OUT), [Typed(("race", "a b"), 0, 60.0, "")], announced_s=80.0)
    failed.problems.append("its status is 0; right is 3")
    kept = record("s", [fine, failed], 100.0)
    assert (kept["runs"], kept["failed"]) == (2, 1)
    assert kept["statuses"] == {"0": 2}
    assert kept["faults"] == {"exits": 1, "none": 1}
    assert kept["took_of_announced"] == {"n": 2, "median": 0.5, "most": 0.75}
    assert kept["failures"][0]["again"].endswith("--seed s --only 1")
    assert kept["failures"][0]["typed"] == ["bakeoff race 'a b'"]
    assert json.loads(json.dumps(kept)) == kept


def test_a_soak_without_time_runs_nothing_and_is_well(tmp_path: Path) -> None:
    out = tmp_path / "record.json"
    assert main(["--minutes", "-1", "--kept", str(tmp_path), "--out", str(out)]) == 0
    assert json.loads(out.read_text())["runs"] == 0
