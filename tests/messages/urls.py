"""Servers that run already: URLs, and what load tools say of one."""

import socket

from tests.messages.case import Scene, Section, case, typed
from tests.messages.worlds import world
from tests.repositories import new_repository

WITHOUT_TOOLS = {
    "wrk": "wrk is not installed: apt-get install wrk",
    "ab": "ab is not installed: apt-get install apache2-utils",
}


def _nobody_resolves(scene: Scene) -> None:
    def fail(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    scene.patch.setattr(socket, "getaddrinfo", fail)


def _published(scene: Scene) -> None:
    scene.stands_for["FOLDER"] = str(scene.folder)
    new_repository(scene.folder / "shop.git", {"README": ""})


def _no_git(scene: Scene) -> None:
    (scene.folder.parent / "bin" / "git").unlink()


def _no_cache(scene: Scene) -> None:
    scene.patch.setenv("XDG_CACHE_HOME", "/proc/nowhere")


SECTION = Section(
    "URLs and crosscheck",
    (
        *typed("""
            race http://
            race http://localhost:80800/
            race http://me:secret@localhost/
            race http://[::1/
            race https://localhost/
            race https://localhost/ --ca none.pem
            race https://localhost/ --ca empty.pem
            race https://localhost/ --ca odd.pem
            race https://localhost/ --ca empty.pem --insecure
            race http://localhost/ --insecure
            race http://localhost/ --protocol h2
            race https://localhost/ --insecure --protocol h2c
            race http://localhost/ --pid 99999999
            race http://localhost/a --request /b
            race --server-nodes 2 http://localhost/
            race http://192.0.2.1:8080/
        """),
        *(
            case(f"race file://FOLDER/{rest}", given, _published, situation)
            for rest, given, situation in (
                ("none.git", "", None),
                ("shop.git", "", None),
                ("shop.git#main:server", "", None),
                ("shop.git#none", "", None),
                ("shop.git#main:../..", "", None),
                ("shop.git#-q", "", None),
                ("shop.git", "git is not installed", _no_git),
                ("shop.git", "XDG_CACHE_HOME can't be written", _no_cache),
            )
        ),
        case("race http://no-such-host.example/", "nothing knows that name", _nobody_resolves),
        *typed("""
            crosscheck localhost
            crosscheck http://localhost/ --tools wrc
            crosscheck http://localhost/ -d 1.5
            crosscheck http://localhost/ --rounds 3
            crosscheck http://localhost/ --protocol h2
            crosscheck https://localhost/ --insecure --protocol h2c
            crosscheck http://localhost/ --insecure
            crosscheck http://localhost/ --streams 4
            crosscheck http://localhost/ --protocol h2c --close
            crosscheck http://localhost/ --protocol h1,h2
            crosscheck https://localhost/
            crosscheck
        """),
        case("crosscheck http://localhost:8080/", "nobody listens there", world(refuses=True)),
        *(
            case(f"crosscheck http://localhost:8080/ {words}", "", world())
            for words in (
                "--tools h2load",
                "--tools webbench",
                "--tools wrk2",
                "--tools webbench --close",
                "--tools wrk --rate 100",
                "--tools ab --protocol h2c",
                "--tools h2load --protocol h2c --rate 100",
                "--tools quic-go-load",
            )
        ),
        case("crosscheck https://localhost/ --insecure --tools webbench --close", "", world()),
        case("crosscheck https://localhost/ --insecure --protocol h3 --tools wrk", "", world()),
        case(
            "crosscheck https://localhost/ --insecure --protocol h3 --close --tools oha",
            "",
            world(),
        ),
        case(
            "crosscheck http://localhost:8080/ --tools wrk,ab",
            "neither is installed",
            world(missing_tools=WITHOUT_TOOLS),
        ),
        case(
            "crosscheck http://localhost:8080/ --tools wrk",
            "the engine is not there",
            world(missing_tools={"engine": "the load engine `volley` is not here"}),
        ),
    ),
    files={"empty.pem": "", "odd.pem": "hellö"},
)
