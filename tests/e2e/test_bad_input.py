"""Bad input that takes a process of its own; docs/MESSAGES.md has the messages of all other input.

Nothing gets as far as being loaded here, so other tests may run meanwhile.
"""

import socket
import subprocess

from tests.e2e.conftest import Ended, Place

CONTENDER = """
name = "x"
title = "X"
language = "sh"
kind = "server"
[run]
command = "sleep 600"
ready_timeout_s = 1
[serves]
hello = "/"
"""


def refused(ended: Ended, status: int, *says: str) -> None:
    """The command ended with `status` and said these things, without a traceback."""
    said = " ".join(ended.err.replace("│", " ").split())
    assert ended.status == status, said
    for each in says:
        assert each in said
    assert "Traceback" not in said
    assert ended.out == ""


def test_a_build_that_fails_shows_the_end_of_its_log(place: Place) -> None:
    text = CONTENDER + '[build]\ncommand = "ls no-such-file"\n'
    ended = place.bakeoff("race", place.contender("x", text))
    refused(ended, 3, "its build failed: `ls no-such-file`", "No such file or directory")


def test_each_server_that_does_not_serve_is_out_for_a_reason(place: Place) -> None:
    broken = {
        place.server("dies", before="sys.exit('no config')"): "exited with status 1",
        place.server("crashes", before="os.kill(os.getpid(), 11)"): "SIGSEGV",
        place.server("elsewhere", port="0"): "port",
        place.server("wrong", status=404): "answered with status 404, not 200",
        place.contender("x", CONTENDER): "x: not ready within 1 s",
    }
    ended = place.bakeoff("race", *broken, "-d", "1", "--boots", "1", "--no-twin")
    refused(ended, 3, "no contender can take part", "no config", *broken.values())


def test_load_hands_over_to_the_engine(place: Place) -> None:
    assert "--connections" in place.bakeoff("load", "--help").out
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    refused(place.bakeoff("load", f"http://127.0.0.1:{port}/"), 3, f"127.0.0.1:{port}")
    refused(place.bakeoff("load", "http://127.0.0.1/", "-c", "0"), 2, "-c")


def test_a_personality_is_the_same_by_its_command_and_by_its_link(place: Place) -> None:
    place.bakeoff("setup", "--links", "links")
    words = ["-c", "--", "x"]
    linked = subprocess.run(
        [place.path / "links" / "wrk", *words], capture_output=True, text=True, check=False
    )
    ended = place.bakeoff("wrk", *words)
    assert (ended.status, ended.out, ended.err) == (1, linked.stdout, linked.stderr)
    assert "-c" in ended.out


def test_output_pipes_without_colour_or_control_characters(place: Place) -> None:
    ended = place.bakeoff("contenders")
    assert ended.status == 0
    assert "\x1b" not in ended.out
    assert "nginx" in ended.out
