"""The engine, load tools, and what a machine lacks."""

import sysconfig

from bakeoff import __version__, installation
from bakeoff.load import engine
from bakeoff.load.tools import running
from tests.messages.case import Scene, Section, Situation, case, cases
from tests.messages.worlds import both, real
from tests.verify.protocols import Http2Server, serve_http_1
from tests.verify.serving import serving


def program(name: str, script: str) -> Situation:
    def situation(scene: Scene) -> None:
        path = scene.folder.parent / "bin" / name
        path.write_text(script if script.startswith("#!") else f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    return situation


def volley(drive: str, version: str = f"volley {__version__}") -> Situation:
    script = f'case "$1" in --version) {version_of(version)} ;; *) {drive} ;; esac'
    return both(no_engine, program("volley", script))


def version_of(version: str) -> str:
    return f"echo '{version}'"


def no_engine(scene: Scene) -> None:
    """The engine is nowhere but on PATH, and PORT has a server."""
    real(scene)
    _server(scene)
    scene.patch.setattr(sysconfig, "get_path", lambda _name: str(scene.folder))
    # An engine that doesn't end by itself is ended soon.
    scene.patch.setattr(engine, "STOP_S", 0.1)
    installation.engine_path.cache_clear()
    scene.until_end.callback(installation.engine_path.cache_clear)


def _no_program(scene: Scene) -> None:
    path = scene.folder.parent / "bin" / "volley"
    path.write_bytes(b"\x7fELF" + bytes(60))
    path.chmod(0o755)


def _server(scene: Scene) -> None:
    scene.stands_for["PORT"] = str(scene.until_end.enter_context(serving(serve_http_1)))


def tools(name: str, script: str) -> Situation:
    def situation(scene: Scene) -> None:
        (volley_h2 if name == "h2load" else volley("echo hello"))(scene)
        program(name, script)(scene)
        scene.patch.setattr(running, "GRACE_S", -0.8)

    return situation


def volley_h2(scene: Scene) -> None:
    """The engine is a script, and the server speaks HTTP/2."""
    volley("echo hello")(scene)
    scene.stands_for["PORT"] = str(scene.until_end.enter_context(serving(Http2Server().serve)))


def _impatient(scene: Scene) -> None:
    scene.patch.setattr(engine, "GRACE_S", -1.5)


RACE = "race http://127.0.0.1:PORT/ --expect-body Hello --no-twin -d 1 --seed 1"
CROSSCHECK = "crosscheck http://127.0.0.1:PORT/ -d 1 --rounds 5 --seed 1 --tools"
TOOL = "is out: |^! "
SAID = "^bakeoff: |^  [^ ]|ended early"
SECTION = Section(
    "Engine, load tools and machine",
    (
        *cases(
            RACE,
            ("there is no engine", no_engine),
            ("the engine is of another bakeoff", volley("", "volley 0.0")),
            ("the engine can't run here", no_engine, program("volley", "echo bad CPU >&2; exit 1")),
            ("the engine is no program", no_engine, _no_program),
            ("the engine ends", volley("echo out of luck >&2; exit 9")),
            ("the engine says something else", volley("echo hello; exec sleep 9")),
            (
                "the engine refuses",
                volley('echo \'{"type":"error","message":"no room"}\'; exec sleep 9'),
            ),
            (
                "the engine answers out of turn",
                volley('echo \'{"type":"done","cpu_ns":1}\'; exec sleep 9'),
            ),
            ("the engine hangs", volley("exec sleep 9"), _impatient),
        ),
        case("ab", "there is no engine", no_engine),
        *(
            case(
                f"{CROSSCHECK} {words}",
                f"{tool} prints `hello`",
                tools(tool, "echo hello"),
                shows=TOOL,
            )
            for tool, words in (
                ("wrk", "wrk"),
                ("wrk2", "wrk2 --rate 100"),
                ("ab", "ab"),
                ("oha", "oha"),
                ("hey", "hey"),
                ("webbench", "webbench --close"),
                ("h2load", "h2load --protocol h2c"),
            )
        ),
        case(f"{CROSSCHECK} wrk,ab,hey,oha", "none of them is installed", volley("echo hello")),
        case(f"{CROSSCHECK} wrk2 --rate 9", "it is not installed", volley("echo hello")),
        case(f"{CROSSCHECK} webbench --close", "it is not installed", volley("echo hello")),
        case(f"{CROSSCHECK} h2load --protocol h2c", "it is not installed", volley_h2),
        case(
            f"{CROSSCHECK} h2load --protocol h2c",
            "h2load speaks HTTP/1.1 with it",
            tools("h2load", "echo Application protocol: http/1.1"),
            shows=TOOL,
        ),
        *(
            case(f"{CROSSCHECK} wrk", given, tools("wrk", script), shows=TOOL)
            for given, script in (
                ("wrk prints nothing", ""),
                ("wrk ends with status 7", "echo unable to connect >&2; exit 7"),
                ("wrk crashes", "kill -SEGV $$"),
                ("wrk hangs", "exec sleep 9"),
                ("wrk can't be started", "#!/nowhere"),
            )
        ),
    ),
    shows=SAID,
)
