"""The folder `x`, which has a contender.toml."""

CONTENDER = """\
name = "x"
title = "X"
language = "sh"
kind = "server"
[run]
command = "{command}"
ready_timeout_s = 0.3
[serves]
hello = "/"
"""
NOCC = '[requires.nocc]\ncheck = "nocc --version"\napt = ["nocc-dev"]\n'
"""A tool that is not here."""


def contender(command: str = "sleep 600", more: str = "") -> dict[str, str | bytes]:
    """Its server has this command, and 0.3 s to start; `more` are tables of its contender.toml."""
    return {"x/contender.toml": CONTENDER.format(command=command) + more}
