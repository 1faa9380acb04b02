"""`bakeoff init` and `setup`: what describes, installs and builds contenders."""

import os
import shutil
from pathlib import Path

from tests.messages.case import Scene, Section, case, typed

CONTENDER = """\
name = "x"
title = "X"
language = "sh"
kind = "server"
[run]
command = "{command}"
ready_timeout_s = 1
[serves]
hello = "/"
"""
NOCC = '[requires.nocc]\ncheck = "nocc --version"\napt = ["nocc-dev"]\n'
"""A tool that is not here."""


def contender(command: str = "sleep 600", more: str = "") -> dict[str, str | bytes]:
    """Its server has this command, and a second to start; `more` are tables of contender.toml."""
    return {"x/contender.toml": CONTENDER.format(command=command) + more}


def _root(scene: Scene) -> None:
    scene.patch.setattr(os, "geteuid", lambda: 0)


def _not_root(scene: Scene) -> None:
    _apt(scene)
    scene.patch.setattr(os, "geteuid", lambda: 1000)


def _apt(scene: Scene) -> None:
    found = shutil.which
    scene.patch.setattr(
        shutil,
        "which",
        lambda name, **more: "/apt-get" if name == "apt-get" else found(name, **more),
    )


def _read_only(scene: Scene) -> None:
    def fail(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    scene.patch.setattr(Path, "mkdir", fail)


def _dangling(scene: Scene) -> None:
    (scene.folder / "contender.toml").symlink_to("nowhere/contender.toml")


SECTION = Section(
    "Init and setup",
    (
        *typed("""
            init none
            init .
            init there
            init --command ''
        """),
        case(
            "init . --command 'sleep 1'",
            "contender.toml is a link to a place that can't be written",
            _dangling,
        ),
        *(
            case(
                "setup ./x", f"x/contender.toml has {shown}", situation, files=contender(more=lines)
            )
            for lines, shown, situation in (
                (
                    NOCC,
                    "a tool that is not here, whose package is nocc-dev; there is no apt-get",
                    _root,
                ),
                (NOCC, "the same; apt-get is here, and you are not root", _not_root),
                (
                    '[build]\ncommand = "ls no-such-file"\n',
                    '`command = "ls no-such-file"` in [build]',
                    None,
                ),
                ('[build]\ncommand = "nosuch"\n', '`command = "nosuch"` in [build]', None),
                (
                    '[build]\ncommand = "true"\nsources = ["../lib"]\n',
                    '`sources = ["../lib"]` in [build]',
                    None,
                ),
                ('[version]\ncommand = "false"\n', '`command = "false"` in [version]', None),
            )
        ),
        case(
            "setup ./x",
            "FOLDER can't be written",
            _read_only,
            files=contender(more='[build]\ncommand = "true"\n'),
        ),
        *typed("""
            setup --links file
            setup --links links
            setup --jobs 0
        """),
    ),
    files={
        "there/contender.toml": "",
        "there/server.js": "",
        "there/package.json": '{"scripts": {"start": "node server.js"}}',
        "file": "",
        "links/ab": "mine",
    },
)
