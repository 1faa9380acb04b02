"""A run, whichever tool it is: here the tools are scripts that print what the real ones did."""

import shlex
from pathlib import Path

import pytest

from bakeoff.installation import shipped
from bakeoff.load.tools import LoadSpec, command, missing, run, running, step_us
from bakeoff.model.errors import BadUsage, MissingPiece
from bakeoff.model.load import Loader
from tests.load.tools.samples import OUTPUTS, TLS, load, printed

ENGINE_URL = "http://127.0.0.1:18395/"
SPECS: dict[Loader, LoadSpec] = {
    "ab": load(http="1.0", cpus=()),
    "wrk": load(cpus=()),
    "wrk2": load(cpus=(), rate=100),
    "oha": load(cpus=()),
    "hey": load(cpus=()),
    "quic-go-load": load(protocol="h3", tls=TLS, cpus=()),
    "webbench": load(http="1.0", connection="close", cpus=()),
    "engine": load(cpus=(), url=ENGINE_URL, host="127.0.0.1:18395"),
    "volley-wrk": load(cpus=(), url=ENGINE_URL, host="127.0.0.1:18395"),
}


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


def test_a_run_has_its_command_its_output_and_its_result(programs: Path) -> None:
    install(programs, "ab", printing("ab-close") + "; echo Finished 2000 requests >&2")
    ran = run("ab", SPECS["ab"])
    assert ran.command == command("ab", SPECS["ab"])
    assert ran.output == printed("ab-close") + "Finished 2000 requests\n"
    assert ran.result is not None and ran.result.requests == 2000
    assert ran.failure == ""
    assert ran.took_s and ran.busy is not None and ran.busy >= 0


def test_the_engine_says_itself_how_busy_it_was_since_it_polls(programs: Path) -> None:
    install(programs, "volley", printing("volley-keep-alive"))
    ran = run("engine", SPECS["engine"])
    assert ran.result and ran.result.client
    assert ran.busy == ran.result.client.busy > 0


def test_the_tool_is_given_its_arguments(programs: Path) -> None:
    install(programs, "ab", 'printf "%s|" "$@" >&2; exit 1')
    ran = run("ab", SPECS["ab"])
    assert ran.output == "|".join(ran.command[1:]) + "|"


@pytest.mark.parametrize(
    ("loader", "script", "failure"),
    [
        (
            "ab",
            printing("ab-never") + "; exit 119",
            "ab ended with status 119: Benchmarking 127.0.0.1 (be patient)..."
            "apr_pollset_poll: The timeout specified has expired (70007)",
        ),
        # Standard error tells more than standard output, and progress tells nothing.
        (
            "ab",
            'echo "Total of 57 requests completed"; echo "Completed 50 requests" >&2;'
            ' echo "apr_socket_recv: reset (104)" >&2; exit 104',
            "ab ended with status 104: apr_socket_recv: reset (104)",
        ),
        # ab prints what it has when it is interrupted.
        ("ab", printing("ab-close") + "; exit 1", "ab ended with status 1: Server Software:"),
        ("wrk", "kill -KILL $$", "wrk was ended by SIGKILL"),
        (
            "wrk",
            "echo; echo 'wrk: something new'",
            "wrk's output can't be read: wrk: something new",
        ),
        (
            "engine",
            printing("volley-refused") + " >&2; exit 3",
            "volley ended with status 3: volley load: can",
        ),
        (
            "webbench",
            "echo 'Webbench - 1.5' >&2; echo 'Connect to server failed.' >&2; exit 1",
            "webbench's output can't be read: Connect to server failed.",
        ),
    ],
)
def test_a_failed_run_says_how(programs: Path, loader: Loader, script: str, failure: str) -> None:
    install(programs, "volley" if loader == "engine" else loader, script)
    ran = run(loader, SPECS[loader])
    assert ran.result is None
    assert ran.failure.startswith(failure)


@pytest.mark.parametrize(
    ("loader", "script", "requests"),
    [
        # Not a single answer was right, which is a result.
        ("engine", printing("volley-mismatch") + "; exit 1", 1797),
        ("volley-wrk", printing("volley-keep-alive"), 20661),
        # webbench's status says nothing.
        ("webbench", printing("published-webbench") + "; exit 118", 231562),
    ],
)
def test_a_harmless_status(programs: Path, loader: Loader, script: str, requests: int) -> None:
    install(programs, "webbench" if loader == "webbench" else "volley", script)
    ran = run(loader, SPECS[loader])
    assert ran.result is not None and ran.result.requests == requests


def test_a_tool_that_does_not_end_is_ended(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SLOWEST_PER_S", 1000.0)
    install(programs, "ab", "echo stuck >&2; exec /bin/sleep 600")
    for grace_s in (0.1, 0.9, 29.9):  # A busy machine may take longer to begin.
        monkeypatch.setattr(running, "GRACE_S", grace_s)
        ran = run("ab", load(http="1.0", cpus=(), requests=100, duration_s=None))
        assert ran.result is None
        if ran.output:
            break
    assert ran.output == "stuck\n"
    assert ran.failure == f"ab did not end within {grace_s + 0.1:g} s, and was ended: stuck"


@pytest.mark.parametrize(
    ("spec", "limit_s"),
    [
        (load(duration_s=30.0), 90),
        (load(duration_s=0.5), 61),
        (load(requests=5000, duration_s=None), 85),
    ],
)
def test_the_time_limit_comes_from_the_run(spec: LoadSpec, limit_s: float) -> None:
    assert running.time_limit_s(spec) == limit_s


@pytest.mark.parametrize(
    ("loader", "how"),
    [
        ("ab", "apt-get install apache2-utils"),
        ("wrk", "apt-get install wrk"),
        ("webbench", "Debian has no package of it; build webbench 1.5 and put it on PATH"),
        ("wrk2", "Debian has no package of it; build wrk2 and put it on PATH by that name"),
        ("oha", "cargo install --locked oha, for HTTP/3 with --features http3"),
        ("hey", "apt-get install hey"),
        (
            "quic-go-load",
            f"go build -C {shipped('catalogue/clients/quic-go-load')} -o ~/.local/bin/ .",
        ),
    ],
)
def test_a_tool_that_is_not_installed(programs: Path, loader: Loader, how: str) -> None:
    why = missing(loader)
    assert why == f"{loader} is not installed: {how}"
    ran = run(loader, SPECS[loader])
    assert (ran.result, ran.failure, ran.output) == (None, why, "")
    install(programs, loader, "")
    assert missing(loader) is None


def test_the_engine_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise MissingPiece("the load engine isn't installed")

    monkeypatch.setattr(running, "engine_path", nowhere)
    assert missing("engine") == "the load engine isn't installed"


def test_a_program_that_cannot_be_started(programs: Path) -> None:
    (programs / "ab").write_bytes(b"\x7fELF")
    (programs / "ab").chmod(0o755)
    assert run("ab", SPECS["ab"]).failure == "ab can't be started: Exec format error"
    nowhere = run("ab", load(http="1.0", cpus=(100_000,)))
    assert nowhere.failure == "ab can't be started on core 100000"


@pytest.mark.parametrize(
    ("loader", "step"), [("ab", 1000), ("wrk", 10), ("hey", 100), ("oha", 0), ("engine", 0)]
)
def test_how_fine_a_latency_is_depends_on_the_tool(loader: Loader, step: float) -> None:
    assert step_us(loader, 5_000) == step


def test_what_a_tool_cannot_do_is_refused_before_it_is_looked_for(programs: Path) -> None:
    with pytest.raises(BadUsage, match=r"HTTP/1\.0 only"):
        run("ab", load(http="1.1"))
