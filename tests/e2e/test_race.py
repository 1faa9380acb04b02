"""`bakeoff race` with real servers and the real engine."""

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from bakeoff.model.verdict import Verdict
from tests.e2e.conftest import Place, interrupt

pytestmark = pytest.mark.e2e
NODE = 'require("http").createServer((q, s) => {WORK; s.end("Hi")}).listen(process.env.PORT)'
BUSY = "let n = 0; for (let i = 0; i < 2e5; i++) n += i"
QUICK = ("-c", "8", "--boots", "1", "--no-twin", "--warm-up", "1s")


def test_two_commands_in_a_folder_never_seen_before(place: Place) -> None:
    (place.path / "a.js").write_text(NODE.replace("WORK", ""))
    (place.path / "b.js").write_text(NODE.replace("WORK", BUSY))
    words = ["race", "node a.js", "node b.js", "-d", "4", *QUICK, "--twin"]
    ended = place.bakeoff(*words, "--json", "verdict.json")
    assert ended.status == 0, ended.err
    verdict = Verdict.read_json(place.path / "verdict.json")
    assert [entry.name for entry in verdict.entries] == ["node a.js", "node b.js"]
    slower = verdict.entries[1]
    assert slower.high is not None and slower.high < 0.9
    assert slower.cpu_us_per_request.server is not None
    assert slower.memory_mib.loaded is not None
    assert verdict.workload == "get"
    assert "node a.js is faster than node b.js" in " ".join(ended.out.split())
    report = place.path / "runs" / "latest" / "report.html"
    assert report.exists()
    assert "Report: runs/" in ended.out
    assert not (report.parent / "scratch").exists()


def test_json_on_standard_output_is_nothing_but_json(place: Place) -> None:
    ended = place.bakeoff("race", place.server("a"), "-d", "1", *QUICK, "--json", "-")
    assert ended.status == 0, ended.err
    assert Verdict.from_json(ended.out, "stdout").schema_ == "bakeoff.verdict/1"
    assert "requests/s" in ended.err


def test_something_already_up_is_raced_by_its_url_and_left_up(place: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    place.server("a", port=str(port))
    with subprocess.Popen([sys.executable, str(place.path / "a.py")]) as up:
        try:
            for _ in range(200):
                try:
                    socket.create_connection(("127.0.0.1", port), 0.1).close()
                    break
                except OSError:
                    pass
            url = f"http://127.0.0.1:{port}/"
            words = ["race", url, "-d", "1", *QUICK, "--json", "-", "--pid", str(up.pid)]
            ended = place.bakeoff(*words)
            assert ended.status == 0, ended.err
            entry = json.loads(ended.out)["entries"][0]
            assert entry["cpu_us_per_request"]["server"] > 0
            assert up.poll() is None
        finally:
            up.send_signal(signal.SIGKILL)


def test_one_that_answers_wrongly_is_out_and_the_rest_goes_on(place: Place) -> None:
    good, bad = place.server("good"), place.server("bad", body=b"Goodbye")
    words = ["race", bad, good, "--workload", "hello", "-d", "1", *QUICK, "--json", "-"]
    ended = place.bakeoff(*words)
    assert ended.status == 0, ended.err
    verdict = Verdict.from_json(ended.out, "stdout")
    assert [entry.name for entry in verdict.entries] == [good]
    assert verdict.reference == good
    assert 'GET /: answered "Goodbye", not "Hello, World!"' in verdict.skipped[0].reason


def test_solo_and_close(place: Place) -> None:
    words = ["race", place.server("a"), "-d", "2", *QUICK, "--solo", "--close"]
    ended = place.bakeoff(*words, "--json", "-")
    assert ended.status == 0, ended.err
    verdict = Verdict.from_json(ended.out, "stdout")
    assert (verdict.solo, verdict.connection) == (True, "close")
    assert verdict.entries[0].connects >= verdict.entries[0].requests


def test_an_open_loop_offers_what_was_asked_and_says_who_kept_up(place: Place) -> None:
    asked = ["race", place.server("a"), place.server("b"), "--rate", "400", "-d", "3", *QUICK]
    ended = place.bakeoff(*asked, "--json", "-")
    verdict = Verdict.from_json(ended.out, "stdout")
    assert (verdict.mode, verdict.ranked_by) == ("open", "p99")
    for entry in verdict.entries:
        assert entry.open_loop and entry.open_loop.rate == 400
        assert entry.open_loop.answered > 0.9
        assert entry.latency_us and entry.open_loop.service_us
    assert "open loop with 400 requests/s to each" in " ".join(ended.err.split())


def test_a_report_is_written_again_without_a_server(place: Place) -> None:
    place.bakeoff("race", place.server("a"), "-d", "1", *QUICK)
    run = place.path / "runs" / "latest"
    first = (run / "verdict.json").read_text()
    for name in ("report.html", "verdict.json"):
        (run / name).unlink()
    ended = place.bakeoff("report", "runs/latest")
    assert ended.status == 0, ended.err
    assert (run / "verdict.json").read_text() == first
    assert (run / "report.html").exists()


def test_ctrl_c_while_measuring_keeps_what_there_is(
    place: Place, wait_for: Callable[[Callable[[], bool]], None]
) -> None:
    samples = place.path / "runs" / "latest" / "samples.jsonl"
    process = place.begin("race", place.server("a"), place.server("b"), "-d", "30", *QUICK)
    wait_for(lambda: samples.exists() and samples.read_text().count('"block","boot"') > 20)
    interrupt(process)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "requests/s" in out
    assert "bakeoff resume" in err
    place.wait_until_nothing_is_left(timeout_s=0.5)


@pytest.mark.parametrize("stage", ["building", "starting", "warming up"])
def test_ctrl_c_in_an_earlier_stage_tidies_up(
    place: Place, stage: str, wait_for: Callable[[Callable[[], bool]], None]
) -> None:
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
    assert process.stderr
    for line in process.stderr:
        if stage in line:
            break
    time.sleep(0.3)
    interrupt(process)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in out
    place.wait_until_nothing_is_left(timeout_s=0.5)
