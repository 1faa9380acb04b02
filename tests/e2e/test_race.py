"""`bakeoff race` with real servers and the real engine."""

import os
import socket
import subprocess
import sys
import time
from shlex import quote

import pytest

from bakeoff.model.verdict import Verdict
from bakeoff.runs import open_run
from tests.e2e.conftest import QUICK, Place, interrupt, wait_for_line
from tests.ratios import known
from tests.waiting import wait_for

pytestmark = pytest.mark.e2e
NODE = 'require("http").createServer((q, s) => {WORK; s.end("Hi")}).listen(process.env.PORT)'
BUSY = "let n = 0; for (let i = 0; i < 2e5; i++) n += i"


@pytest.mark.alone
def test_two_commands_in_a_folder_never_seen_before_and_two_gates(place: Place) -> None:
    (place.path / "a.js").write_text(NODE.replace("WORK", ""))
    (place.path / "b.js").write_text(NODE.replace("WORK", BUSY))
    holds = ("--gate", '"node a.js" > 1.2 * "node b.js"')
    fails = ("--gate", '"node b.js" >= 98% * "node a.js"')
    words = ["race", "node a.js", "node b.js", "-d", "4", *QUICK, "--twin", *holds, *fails]
    ended = place.bakeoff(*words, "--json", "verdict.json")
    assert ended.status == 1, ended.err
    verdict = Verdict.read_json(place.path / "verdict.json")
    assert [gate.outcome for gate in verdict.gates] == ["holds", "fails"]
    assert [entry.name for entry in verdict.entries] == ["a.js", "b.js"]
    slower = verdict.entries[1]
    assert known(known(slower.ratio).high) < 0.9
    assert slower.cpu_us_per_request.server is not None
    assert slower.memory_mib.loaded is not None
    assert verdict.workload == "get"
    assert ended.out.startswith("a.js ")
    assert "Report: runs/" in ended.out
    run = place.path / "runs" / "latest"
    assert not (run / "scratch").exists()

    # Judged and reported again, from the samples alone.
    first = (run / "verdict.json").read_text()
    for name in ("report.html", "verdict.json"):
        (run / name).unlink()
    again = place.bakeoff("report", "runs/latest", "--json", "again.json")
    assert again.status == 1, again.err
    assert (run / "verdict.json").read_text() == first
    assert Verdict.read_json(place.path / "again.json") == verdict
    assert (run / "report.html").exists()


def test_one_that_answers_wrongly_is_out_and_a_url_is_raced_and_left_up(place: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    place.server("up", port=str(port))
    bad, url = place.server("bad", body=b"Goodbye"), f"http://127.0.0.1:{port}/"
    with subprocess.Popen([sys.executable, str(place.path / "up.py")]) as up:
        try:
            wait_for(lambda: answers(port))
            words = ["race", bad, url, "--workload", "hello", "-d", "1"]
            ended = place.bakeoff(*words, *QUICK, "--keep-going", "--json", "-")
            assert up.poll() is None
        finally:
            up.kill()
    assert ended.status == 4, ended.err
    verdict = Verdict.from_json(ended.out, "stdout")
    (entry,) = verdict.entries
    assert f"http://{entry.name}/" == f"http://{verdict.reference}/" == url
    assert entry.cpu_source == "tree"
    assert entry.cpu_us_per_request.server and entry.cpu_us_per_request.server > 0
    assert entry.memory_mib.loaded
    assert 'GET /: answered "Goodbye", not "Hello, World!"' in verdict.skipped[0].reason


def test_a_generator_with_more_cores_than_the_servers_says_how_busy_each_was(place: Place) -> None:
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        pytest.skip("it takes two cores")
    # Of two cores one is the server's, too.
    server, client = cores[0], (cores[-2], cores[-1])
    words = ["race", place.server("a"), place.server("b"), "-d", "1", *QUICK, "--json", "-"]
    ended = place.bakeoff(*words, "--cpus", f"server={server},client={client[0]},{client[1]}")
    assert ended.status == 0, ended.err
    verdict = Verdict.from_json(ended.out, "stdout")
    assert (verdict.cores.server, verdict.cores.client) == ((server,), client)
    records = open_run(place.path / "runs" / "latest").records()
    assert {record.threads for record in records if record.type == "boot"} == {2}
    slices = [each for record in records if record.type == "block" for each in record.slices]
    assert {each.entry for each in slices} == {"a.py", "b.py"}
    # Each thread has four of the eight connections: neither was idle in all of its slices.
    of_threads = list(zip(*(each.event.busy_threads for each in slices), strict=True))
    assert len(of_threads) == 2 and all(max(busy) > 0 for busy in of_threads)
    for entry in verdict.entries:
        busy = [each.event.busy_threads for each in slices if each.entry == entry.name]
        assert entry.client_core in client and entry.client_busy <= max(map(max, busy))


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 0.1).close()
    except OSError:
        return False
    return True


def test_solo_and_close_with_nothing_but_json_on_standard_output(place: Place) -> None:
    size = ("-c", "8", "--boots", "1", "--no-twin", "--warm-up", "1s", "-d", "1")
    ended = place.bakeoff("race", place.server("a"), *size, "--solo", "--close", "--json", "-")
    assert ended.status == 0, ended.err
    verdict = Verdict.from_json(ended.out, "stdout")
    assert (verdict.solo, verdict.connection) == (True, "close")
    assert verdict.entries[0].connects >= verdict.entries[0].requests
    assert "requests/s" in ended.err


def test_an_open_loop_offers_what_was_asked_and_says_who_kept_up(place: Place) -> None:
    words = ["race", place.server("a"), place.server("b"), "--rate", "400", "-d", "2", *QUICK]
    ended = place.bakeoff(*words, "--json", "-")
    verdict = Verdict.from_json(ended.out, "stdout")
    assert (verdict.mode, verdict.ranked_by) == ("open", "p99")
    for entry in verdict.entries:
        assert entry.open_loop and entry.open_loop.rate == 400
        # A little above 1 where answers of the ramp came in the window.
        assert 0 < entry.open_loop.answered < 2
        assert entry.latency_us and entry.open_loop.service_us
    assert "open loop with 400 requests/s to each" in " ".join(ended.err.split())


def test_ctrl_c_while_measuring_keeps_what_there_is(place: Place) -> None:
    process = place.begin("race", place.server("a"), place.server("b"), "-d", "30", *QUICK)
    wait_for(lambda: place.blocks() > 10)
    interrupt(process)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "requests/s" in out
    assert "bakeoff resume" in err
    place.wait_until_nothing_is_left()


@pytest.mark.parametrize("stage", ["building", "starting", "warming up"])
def test_ctrl_c_in_an_earlier_stage_tidies_up(place: Place, stage: str) -> None:
    if stage == "building":
        word = place.contender(
            "slow-build",
            """
            name = "slow-build"
            title = "Slow"
            language = "sh"
            kind = "server"
            build = { command = "sleep 600" }
            run = { command = "sleep 600" }
            serves = { hello = "/" }
            """,
        )
    elif stage == "starting":
        word = place.server("a", before="time.sleep(600)")
    else:
        word = place.server("a")
    process = place.begin("race", word, "-d", "30")
    wait_for_line(process, stage)
    time.sleep(0.3)
    interrupt(process)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in out
    place.wait_until_nothing_is_left()


def test_a_server_with_a_short_listen_queue_gets_as_many_connections_as_it_holds(
    place: Place,
) -> None:
    (place.path / "index.html").write_text("Hi")
    command = f"{quote(sys.executable)} -m http.server {{port}}"
    race = ("race", command, "-d", "1", "--no-twin", "--warm-up", "1s")
    ended = place.bakeoff(*race, "--json", "verdict.json")
    assert ended.status == 0, ended.err
    verdict = Verdict.read_json(place.path / "verdict.json")
    assert verdict.connections == 5
    assert "5 connections instead of 64, as listen queues overflow" in ended.err
    asked = place.bakeoff(*race, "-c", "64")
    assert asked.status == 3
    assert "use -c 5" in " ".join(asked.err.split())


HELD = """
asyncio.BaseEventLoop.create_server.__kwdefaults__["backlog"] = 4096
class Held(asyncio.Protocol):
    def __init__(self):
        self.more = b"x" * {kib} * 1024
asyncio.Protocol = Held
"""


def test_what_an_idle_connection_takes_is_in_the_report(place: Place) -> None:
    servers = [place.server(f"held_{kib}", before=HELD.format(kib=kib)) for kib in (1, 65)]
    connections = ("-c", "1000", "--boots", "1", "--no-twin", "--warm-up", "1s", "-d", "1")
    ended = place.bakeoff("race", *servers, *connections, "--json", "verdict.json")
    assert ended.status in (0, 3), ended.err
    verdict = Verdict.read_json(place.path / "verdict.json")
    light, heavy = (verdict.entry(f"held_{kib}.py") for kib in (1, 65))
    assert light and light.memory_kib_per_connection
    assert heavy and heavy.memory_kib_per_connection
    assert 56 < heavy.memory_kib_per_connection - light.memory_kib_per_connection < 80
    assert "per connection" in (place.path / "runs/latest/report.md").read_text()
