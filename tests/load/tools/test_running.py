"""A run, whichever tool it is: here the tools are scripts that print what the real ones did."""

import shlex
from pathlib import Path

import pytest

from bakeoff.load.tools import Asked, command, missing, run, running, step_us
from bakeoff.model.errors import BadUsage, MissingPiece
from bakeoff.model.load import Loader
from tests.load.tools.given import OUTPUTS, asked, printed

# The engine's captures are of this address.
ENGINE = asked(cpus=(), url="http://127.0.0.1:18395/", host="127.0.0.1:18395")
AB = asked(http="1.0", cpus=())
WEBBENCH = asked(http="1.0", connection="close", cpus=())


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH, and where the engine is."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(running, "engine_path", lambda: tmp_path / "volley")
    return tmp_path


def install(programs: Path, name: str, script: str) -> None:
    program = programs / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def printing(name: str) -> str:
    return f"/bin/cat {shlex.quote(str(OUTPUTS / name))}.txt"


def test_the_command_is_what_a_user_would_type() -> None:
    assert command("ab", AB)[0] == "ab"
    assert command("engine", ENGINE)[:2] == ("volley", "load")
    assert command("volley-ab", AB) == ("volley", *command("ab", AB)[:-1], "--json", AB.url)


def test_a_run_has_its_command_its_output_and_its_result(programs: Path) -> None:
    install(programs, "ab", printing("ab-close") + "; echo Finished 2000 requests >&2")
    ran = run("ab", AB)
    assert ran.command == command("ab", AB)
    assert ran.output == printed("ab-close") + "Finished 2000 requests\n"
    assert ran.result is not None and ran.result.requests == 2000
    assert ran.failure == ""


def test_the_tool_is_given_its_arguments(programs: Path) -> None:
    install(programs, "ab", 'printf "%s|" "$@" >&2; exit 1')
    ran = run("ab", AB)
    assert ran.output == "|".join(ran.command[1:]) + "|"


def test_a_tool_that_dies_says_how(programs: Path) -> None:
    install(programs, "ab", printing("ab-never") + "; exit 119")
    ran = run("ab", AB)
    assert ran.result is None
    assert ran.failure == (
        "ab ended with status 119: Benchmarking 127.0.0.1 (be patient)..."
        "apr_pollset_poll: The timeout specified has expired (70007)"
    )
    assert ran.output == printed("ab-never")


def test_standard_error_tells_more_than_standard_output(programs: Path) -> None:
    script = 'echo "Total of 57 requests completed"; echo "Completed 50 requests" >&2'
    install(programs, "ab", script + '; echo "apr_socket_recv: reset (104)" >&2; exit 104')
    assert run("ab", AB).failure == "ab ended with status 104: apr_socket_recv: reset (104)"


def test_a_whole_output_of_a_tool_that_failed_is_no_result(programs: Path) -> None:
    """ab prints what it has when it is interrupted."""
    install(programs, "ab", printing("ab-close") + "; exit 1")
    ran = run("ab", AB)
    assert ran.result is None and ran.failure.startswith("ab ended with status 1: ")


def test_a_tool_that_a_signal_ends(programs: Path) -> None:
    install(programs, "wrk", "kill -KILL $$")
    assert run("wrk", asked(cpus=())).failure == "wrk was ended by SIGKILL"


def test_an_output_that_can_not_be_read(programs: Path) -> None:
    install(programs, "wrk", "echo; echo 'wrk: something new'")
    ran = run("wrk", asked(cpus=()))
    assert ran.result is None
    assert ran.failure == "wrk printed nothing that can be read: wrk: something new"


def test_the_engines_status_1_says_that_no_answer_was_right_which_is_a_result(
    programs: Path,
) -> None:
    install(programs, "volley", printing("volley-mismatch") + "; exit 1")
    ran = run("engine", ENGINE)
    assert ran.result is not None and ran.result.errors == {"mismatch_length": 2985}


def test_the_engine_that_cannot_reach_the_server(programs: Path) -> None:
    install(programs, "volley", printing("volley-refused") + " >&2; exit 3")
    assert run("engine", ENGINE).failure.startswith("volley ended with status 3: volley load: can")


def test_webbenchs_status_says_nothing(programs: Path) -> None:
    install(programs, "webbench", printing("published-webbench") + "; exit 118")
    ran = run("webbench", WEBBENCH)
    assert ran.result is not None and ran.result.requests == 231562


def test_webbench_that_cannot_connect(programs: Path) -> None:
    said = "Connect to server failed. Aborting benchmark."
    install(programs, "webbench", f"echo 'Webbench - 1.5' >&2; echo '{said}' >&2; exit 1")
    failure = run("webbench", WEBBENCH).failure
    assert failure == f"webbench printed nothing that can be read: {said}"


def test_a_tool_that_does_not_end_is_ended(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "GRACE_S", 0.2)
    monkeypatch.setattr(running, "SLOWEST_PER_S", 1000.0)
    install(programs, "ab", "echo stuck >&2; exec /bin/sleep 60")
    ran = run("ab", asked(http="1.0", cpus=(), requests=100, duration_s=None))
    assert ran.result is None and ran.output == "stuck\n"
    assert ran.failure == "ab did not end within 0.3 s, and was ended: stuck"


@pytest.mark.parametrize(
    ("run_of", "limit_s"),
    [
        (asked(duration_s=30.0), 90),
        (asked(duration_s=0.5), 61),
        (asked(requests=5000, duration_s=None), 85),
    ],
)
def test_the_time_limit_comes_from_the_run(run_of: Asked, limit_s: float) -> None:
    assert running.time_limit_s(run_of) == limit_s


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("ab", "apt-get install apache2-utils"),
        ("wrk", "apt-get install wrk"),
        ("webbench", "Debian has no package of it"),
        ("wrk2", "Debian has no package of it"),
        ("oha", "cargo install --locked oha"),
        ("hey", "apt-get install hey"),
    ],
)
def test_a_tool_that_is_not_installed(programs: Path, name: str, how: str) -> None:
    plain = asked(cpus=())
    loaders = {"ab": AB, "wrk": plain, "webbench": WEBBENCH, "oha": plain, "hey": plain}
    loaders["wrk2"] = asked(cpus=(), rate=100)
    why = missing(name)  # type: ignore[arg-type]
    assert why is not None and why.startswith(f"{name} is not installed: {how}")
    ran = run(name, loaders[name])  # type: ignore[arg-type]
    assert (ran.result, ran.failure, ran.output) == (None, why, "")


def test_the_engine_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise MissingPiece("the load engine isn't installed")

    monkeypatch.setattr(running, "engine_path", nowhere)
    assert missing("engine") == "the load engine isn't installed"


def test_nothing_is_missing_of_a_tool_that_is_there(programs: Path) -> None:
    install(programs, "ab", "")
    assert missing("ab") is None


def test_cores_that_are_not_there(programs: Path) -> None:
    install(programs, "ab", "")
    ran = run("ab", asked(http="1.0", cpus=(100_000,)))
    assert ran.failure == "ab can't be started on core 100000"


def test_a_program_that_is_none(programs: Path) -> None:
    (programs / "ab").write_bytes(b"\x7fELF")
    (programs / "ab").chmod(0o755)
    assert run("ab", AB).failure == "ab can't be started: Exec format error"


def test_a_stand_in_is_the_engine_and_is_read_as_the_engine(programs: Path) -> None:
    install(programs, "volley", printing("volley-keep-alive"))
    ran = run("volley-wrk", ENGINE)
    assert ran.command[:2] == ("volley", "wrk") and "--json" in ran.command
    assert ran.result is not None and ran.result.requests == 20661


@pytest.mark.parametrize(
    ("loader", "step"), [("ab", 1000), ("wrk", 10), ("hey", 100), ("oha", 0), ("engine", 0)]
)
def test_how_fine_a_latency_is_depends_on_the_tool(loader: Loader, step: float) -> None:
    assert step_us(loader, 5_000) == step


def test_what_a_tool_can_not_do_is_refused_before_it_is_looked_for(programs: Path) -> None:
    with pytest.raises(BadUsage, match=r"HTTP/1\.0 only"):
        run("ab", asked(http="1.1"))
