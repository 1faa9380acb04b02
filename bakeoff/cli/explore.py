"""`bakeoff explore`: runs, histories and the matrix in a browser."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bakeoff.cli.output import err, out, say
from bakeoff.history.place import HISTORY, default_url, sqlite_url
from bakeoff.keeper.scratch import scratch_folder
from bakeoff.model.errors import BadUsage, MissingPiece
from bakeoff.progress import terminal_watch

if TYPE_CHECKING:
    from bakeoff.history.index import Index

FAULTS_SAID = 5
"""Folders that can't be read are named, but a thousand of them would hide the link."""


def explore(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[DIR]...",
            help="Folders with runs in them, or results such as verdict.json. (default: your "
            "history, to which every run adds itself)",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="(default: a free one)", show_default=False)
    ] = 0,
    listen: Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen.")] = "127.0.0.1",
    allow_others: Annotated[
        bool,
        typer.Option(
            "--allow-others", help="Let other machines in; they need the link with the token."
        ),
    ] = False,
) -> None:
    """Look at runs in a browser: each run, two side by side, a server's history, who is ahead.

    It prints a link with a token; nobody gets in without it. Every view is a
    link of its own, which says all of its state. Ctrl-C ends it.

    bakeoff explore
    bakeoff explore runs
    bakeoff explore runs old/runs --port 8080
    """
    try:
        from bakeoff.explore import app, guard, serve
    except ImportError as error:
        raise MissingPiece(
            f"the explorer needs {error.name}: pip install 'bakeoff[explore]'"
        ) from None
    with (
        serve.listening(listen, port, others=allow_others) as bound,
        opened_index(folders or []) as index,
    ):
        own_port = bound.getsockname()[1]
        watchman = guard.Guard(own_port, others=allow_others)
        host = f"[{listen}]" if ":" in listen else listen
        say(f"http://{host}:{own_port}/?token={watchman.token}", out)
        say("Open this link in a browser; Ctrl-C ends the explorer.")
        serve.serve(app.application(index, watchman), bound)


@contextmanager
def opened_index(folders: list[Path]) -> Iterator["Index"]:
    """The user's index, or one of just what is in `folders`, which is gone afterwards."""
    from bakeoff import history

    if not folders:
        if (url := default_url()) is None:
            raise BadUsage(f"{HISTORY} is empty: there is no history; name the folders to look at")
        index = history.open_index(url)
        try:
            yield index
        finally:
            index.close()
        return
    from bakeoff.runs.reading import read_all

    with scratch_folder("explore") as scratch:
        with terminal_watch(err) as watch:
            runs, faults = read_all(folders, watch)
            watch.step(f"shelving {len(runs):,} runs")
            index = history.open_index(sqlite_url(scratch / "history.sqlite"))
            index.rebuild(runs)
        _say(faults)
        if not runs:
            names = ", ".join(map(str, folders))
            raise BadUsage(f"{names}: has no run that can be read; runs are in ./runs, see --out")
        try:
            yield index
        finally:
            index.close()


def _say(faults: dict[Path, str]) -> None:
    for reason in list(faults.values())[:FAULTS_SAID]:
        say(f"left out: {reason}")
    if len(faults) > FAULTS_SAID:
        say(f"left out: {len(faults) - FAULTS_SAID:,} more that can't be read")
