"""Bad input: one plain message that says what is wrong and what would be right; status 2 or 3.

Nothing gets as far as being loaded here, so other tests may run meanwhile.
"""

import os
import shlex
import socket
import subprocess

import pytest

from tests.e2e.conftest import ARTICLE, Ended, Place

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


# What is typed, and what is said of it. The folder has an article, one with a slip, a file called
# `file`, and in `run` the plan of another schema.
NONSENSE = """
race ngnix | there is no contender called ngnix; did you mean nginx
race 'nosuch --port 1' | there is no program called nosuch
race nginx -c 0 | --connections: is 0; it takes a number above zero, or
race nginx -c 1,x | --connections: is `x` in 1,x; it takes a number
race nginx -c 1,1 | --connections: has 1 twice in 1,1
race nginx --pipeline 16 --close | --pipeline 16 needs --keep-alive
race nginx -d -3 | it takes seconds, as in 20, 90s or 2m
race nginx -d 0 | it takes a time above zero
race nginx --boots x | Invalid value for '--boots'
race nginx --cpus server=0,client=99 | there is no core 99 here
race nginx --workload helo | did you mean hello or echo?
race nginx --workload none.toml | none.toml: cannot be read: No such file
race nginx --workload json --request /x | --workload and --request: the workload says
race nginx --request 'POST orders' | it takes a method and a path
race nginx --request /x -H X | it takes "Name: value"
race nginx --request /x -b @none | --body: names none, which can't be read
race nginx --reference gin | gin doesn't race
race nginx --json /nowhere/x.json | --json /nowhere/x.json: can't be written
race nginx --colour | No such option: --colour
race nginx go-nethttp --gate 'nginx >=' | takes NAME >= [FACTOR *] NAME
race https://localhost/ | Give --ca FILE
race 'sleep 1' --out file | can't be made: Not a directory
report nowhere | there is no such run folder
report run | plan.json: `schema`
resume . | is no run folder: it has no plan.json
setup ngnix | did you mean nginx
setup nginx --all | takes names or --all, not both
compare nowhere . | there is no such run folder
contenders nginx | names and options belong to --audit
crosscheck localhost | localhost: is no URL; it takes http://host:port/path
crosscheck https://localhost/ | Give --ca FILE
crosscheck http://localhost/ --tools wrc | 'wrc' is not a load tool; did
crosscheck http://localhost/ -d 1.5 | wrk and ab take whole seconds alone
crosscheck http://localhost/ --rounds 3 | --rounds: is 3; it takes 5 or more
capacity nginx | Missing option '--slo'
capacity --slo p99=1ms | Missing argument 'CONTENDER
capacity nginx --slo p99=fast | --slo p99=fast: `fast` is no time
capacity nginx --slo p42x=1ms | --slo p42x=1ms: `p42x` is no quantile
capacity nginx --slo p99=1ms --slo p99=1ms | is given twice
capacity nginx --slo p99=1ms -d 1 | --duration: 1 s is too little
capacity ngnix --slo p99=1ms | did you mean nginx
replay go-vs-nod | no article called go-vs-nod; did you mean go-vs-node-2012?
replay none.toml | none.toml: cannot be read: No such file or directory
replay bad.toml | bad.toml: `claims.0.oevr` is not a known key; did you mean over?
replay mine.toml --scale 0 | --scale: is 0; it takes a number above 0
replay mine.toml --json /no/such/folder/x | --json /no/such/folder/x: can't be
replay mine.toml --out file | --out file:
replay mine.toml --driver siege | Invalid value for '--driver'
rase | No such command 'rase'
"""


@pytest.fixture
def furnished(place: Place) -> Place:
    (place.path / "mine.toml").write_text(ARTICLE)
    (place.path / "bad.toml").write_text(ARTICLE.replace("over", "oevr", 1))
    (place.path / "file").touch()
    (place.path / "run").mkdir()
    (place.path / "run" / "plan.json").write_text('{"schema": "bakeoff.plan/9"}')
    return place


@pytest.mark.parametrize("line", NONSENSE.strip().splitlines())
def test_words_that_make_no_sense(furnished: Place, line: str) -> None:
    words, _, says = line.partition(" | ")
    refused(furnished.bakeoff_here(*shlex.split(words)), 2, says)
    assert not (furnished.path / "runs").exists()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("title", "titel"), "contender.toml: `titel` is not a known key; did you mean title?"),
        (("[run]", "[run"), "contender.toml: is not TOML"),
        (("sleep 600", "sleep {prot}"), "`run.command` is wrong: {prot} is not a placeholder"),
    ],
)
def test_a_broken_contender_file(place: Place, change: tuple[str, str], says: str) -> None:
    word = place.contender("x", CONTENDER.replace(*change))
    refused(place.bakeoff_here("race", word), 2, says)


def test_a_missing_tool_is_named_with_its_package(place: Place) -> None:
    text = CONTENDER + '[requires.nocc]\ncheck = "nocc --version"\napt = ["nocc-dev"]\n'
    ended = place.bakeoff_here("race", place.contender("x", text))
    refused(ended, 3, "x: needs nocc: apt-get install nocc-dev")


def test_a_build_that_fails_shows_the_end_of_its_log(place: Place) -> None:
    text = CONTENDER + '[build]\ncommand = "ls no-such-file"\n'
    ended = place.bakeoff("race", place.contender("x", text))
    refused(ended, 1, "its build failed: `ls no-such-file`", "No such file or directory")


def test_each_server_that_does_not_serve_is_out_for_a_reason(place: Place) -> None:
    broken = {
        place.server("dies", before="sys.exit('no config')"): "exited with status 1",
        place.server("crashes", before="os.kill(os.getpid(), 11)"): "SIGSEGV",
        place.server("elsewhere", port="0"): "port",
        place.server("wrong", status=503): "answered with status 503, not 200",
        place.contender("x", CONTENDER): "x: not ready within 1 s",
    }
    ended = place.bakeoff("race", *broken, "-d", "1", "--boots", "1", "--no-twin")
    refused(ended, 1, "no contender is left", "no config", *broken.values())


def test_a_url_without_a_server_to_crosscheck(place: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    ended = place.bakeoff("crosscheck", f"http://127.0.0.1:{port}/")
    refused(ended, 1, f"http://127.0.0.1:{port}/: can't be connected to: Connection refused")


def test_a_port_that_is_taken(place: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = place.server("a", port=port)
        ended = place.bakeoff("race", command, "--port", port)
    refused(ended, 1, f"port {port} is taken", f"pid {os.getpid()}")


def test_help_teaches(place: Place) -> None:
    ended = place.bakeoff_here("race", "--help")
    assert ended.status == 0
    assert 'bakeoff race "node a.js" "node b.js"' in ended.out
    assert "--connections" in ended.out


def test_load_hands_over_to_the_engine(place: Place) -> None:
    assert "volley" in place.bakeoff("load", "--help").out
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
    assert "nginx" in ended.out and "kind" in ended.out
