"""`bakeoff explore`: runs, histories and the matrix in a browser."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bakeoff.cli.options import RUNS
from bakeoff.cli.output import err, out, say
from bakeoff.history.place import HISTORY, default_url, sqlite_url
from bakeoff.keeper.scratch import scratch_folder
from bakeoff.model.errors import BadUsage, MissingPiece
from bakeoff.progress import terminal_watch
from bakeoff.report import figures

if TYPE_CHECKING:
    from bakeoff.history.index import Index

Url = Annotated[
    str,
    typer.Option(
        "--url",
        metavar="URL",
        help="Set the address that the site will have, for the badges and frames that people copy.",
    ),
]
FAULTS_SAID = 5
"""Folders that can't be read are named, but a thousand of them would hide the link."""


def explore(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="DIR",
            help="Folders with runs in them, or results such as verdict.json. (default: your "
            "history, to which every run adds itself)",
        ),
    ] = None,
    port: Annotated[
        int,
        typer.Option(
            metavar="PORT", min=0, max=65535, help="Listen on this port. (default: a free one)"
        ),
    ] = 0,
    listen: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Listen on this address. (default: 127.0.0.1)")
    ] = "127.0.0.1",
    allow_others: Annotated[
        bool,
        typer.Option(
            "--allow-others",
            help="Allow other machines to connect; they need the link with the token.",
        ),
    ] = False,
    to: Annotated[
        Path | None,
        typer.Option(
            "--export",
            metavar="SITE",
            help="Write the pages to this folder instead: a site for any web host, or for "
            "file://. Names of the machine and the user, and paths, are left out.",
        ),
    ] = None,
    url: Url = "",
) -> None:
    """Show runs in a browser: each run, each server's history, every pair of servers.

    It prints a link with a token; nobody gets in without it. Every view is a
    link of its own, which says all of its state. A run that goes on in one of
    the folders, or without one in ./runs, is at the top of the list: watch it
    there, or end it. Ctrl-C ends the explorer.

    bakeoff explore
    bakeoff explore runs
    bakeoff explore runs old/runs --port 8080
    bakeoff explore runs --export site
    """
    try:
        from bakeoff.explore import app, guard, site
        from bakeoff.explore.live.watched import Live
    except ImportError as error:
        raise MissingPiece(
            f"the explorer needs {error.name}: pip install 'bakeoff[explore]'"
        ) from None
    if to is not None:
        with opened_index(folders or []) as index, terminal_watch(err) as watch:
            pages, faults = site.export(index, to, watch, site_url(url))
        say_faults(faults)
        say(f"{figures.plural(pages, 'page')} in {to}; begin with {to / 'index.html'}", out)
        return
    with (
        app.listening(listen, port, others=allow_others) as bound,
        opened_index(folders or []) as index,
        Live(folders or [RUNS], index, adds=bool(folders)) as live,
    ):
        own_port = bound.getsockname()[1]
        watchman = guard.Guard(own_port, others=allow_others)
        host = f"[{listen}]" if ":" in listen else listen
        say(f"http://{host}:{own_port}/?token={watchman.token}", out)
        say("Open this link in a browser; Ctrl-C ends the explorer.")
        app.serve(app.application(index, watchman, live), bound)


def site_url(url: str) -> str:
    """A site's address with a slash at its end; empty where it isn't known. Raises `BadUsage`."""
    if not url:
        return ""
    if not url.startswith(("https://", "http://")) or any(each in url for each in ' ?#"<>'):
        raise BadUsage(
            f"--url {url}: is not the address of a site, such as https://example.org/races/"
        )
    return url.rstrip("/") + "/"


@contextmanager
def opened_index(folders: list[Path]) -> Iterator["Index"]:
    """The user's index, or one of just what is in `folders`, which is gone afterwards."""
    from bakeoff import history

    if not folders:
        if (url := default_url()) is None:
            raise BadUsage(
                f"{HISTORY} is empty, which turns the history off: name folders with runs"
            )
        index = history.open_index(url)
        try:
            yield index
        finally:
            index.close()
        return
    from bakeoff.history.results import read_all
    from bakeoff.runs.holder import holder_of

    with scratch_folder("explore") as scratch:
        faults: dict[Path, str] = {}
        with terminal_watch(err) as watch:
            index = history.open_index(sqlite_url(scratch / "history.sqlite"))
            count = index.rebuild(read_all(folders, watch, faults))
        going_on = [path for path in faults if holder_of(path)]
        say_faults([reason for path, reason in faults.items() if path not in going_on])
        if not count and not going_on:
            names = ", ".join(map(str, folders))
            raise BadUsage(f"{names}: no run there can be read; runs are in ./runs, see --out")
        try:
            yield index
        finally:
            index.close()


def say_faults(faults: Sequence[str]) -> None:
    """Say what is wrong with runs: the first few, and how many more there are."""
    for fault in faults[:FAULTS_SAID]:
        say(f"left out: {fault}")
    if len(faults) > FAULTS_SAID:
        say(f"left out: {len(faults) - FAULTS_SAID:,} more")
