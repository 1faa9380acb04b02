"""Who races: names of the catalogue, folders with contender.toml, commands."""

from bakeoff import installation
from tests.messages.case import Scene, Section, Situation, case, changed, typed

CONTENDER = """\
name = "x"
title = "X"
language = "sh"
kind = "server"

[build]
command = "true"

[run]
command = "sleep 600"
ready_timeout_s = 1

[serves]
hello = "/"
"""
FILES = {"x/contender.toml": CONTENDER, "empty/readme.txt": "", "file": "", "true.sh": "exit 7"}


def _catalogue(name: str) -> Situation:
    """The catalogue has a contender in z/, which is called `name`, and is not built."""

    def situation(scene: Scene) -> None:
        shipped = scene.folder.parent / "catalogue"
        folder = shipped / "contenders" / "z"
        folder.mkdir(parents=True)
        (folder / "contender.toml").write_text(CONTENDER.replace('"x"', f'"{name}"'))
        scene.patch.setattr(installation, "shipped", lambda _name: shipped)

    return situation


SECTION = Section(
    "Contenders and commands",
    (
        *typed("""
            race ngnix
            race nginx go-nethtp
            race ''
            race nosuch=
            race 1.5=nginx
            race a/b=nginx
            race 'a b=nginx'
            race api*=nginx
            race a-name-that-no-table-has-room-for=nginx
            race api=nginx api=hyper
            race API=ngnix
            race FOO=1
            race 'FOO=1 sleep 9'
            race ./nosuch
            race ./empty
            race ./file
            race 'nosuch --port 1'
            race 'sleep "1'
            race 'sleep {prot}'
            race --all nginx
            race nginx --reference gin
            race nginx --port 8080
            race 'sleep 1' 'sleep 2' --port 8080 --port 8080
            race 'sleep 1' --port 80800
            race nginx --pid 1
            race x --workload json
            race ./x --workload json
            race ./x --protocol h2
            setup ngnix
            setup nginx --all
            setup 'sleep 1'
            contenders nginx
        """),
        *changed(
            "x/contender.toml",
            CONTENDER,
            """
            title = ~> titel =
            name = "x" ~> name = "X Y"
            title = "X" ~>
            kind = "server" ~> kind = "webserver"
            language = "sh" ~> language = 7
            [run] ~> [run
            sleep 600 ~> sleep {prot}
            sleep 600 ~>
            sleep 600 ~> sleep '600
            hello = "/" ~>
            hello = "/" ~> hello = "index.html"
            ready_timeout_s = 1 ~> ready_timeout_s = 0
            ready_timeout_s ~> ready_timeuot_s
            [serves] ~> protocols = ["h4"]\\n[serves]
            [serves] ~> protocols = []\\n[serves]
            command = "true" ~> comand = "true"
            """,
            "race ./x",
        ),
        case("race z", "the catalogue's z/contender.toml has the name y", _catalogue("y")),
        case("contenders --audit", "no contender of the catalogue is built", _catalogue("z")),
        case("race ./x", "x/contender.toml is not text", files={"x/contender.toml": b"\xff\xfe"}),
        case("race ./y", "y/contender.toml is a folder", files={"y/contender.toml/file": ""}),
    ),
    files=FILES,
)
