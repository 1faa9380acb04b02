"""`bakeoff explore`: runs, histories and the matrix in a browser."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bakeoff import runs
from bakeoff.cli.options import RUNS, Run
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

    It prints a link with a token; without it the server refuses. Every view is a
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
    for fault in faults[:FAULTS_SAID]:
        say(f"left out: {fault}")
    if len(faults) > FAULTS_SAID:
        say(f"left out: {len(faults) - FAULTS_SAID:,} more")


BRANCH = "git:"


def publish(
    run: Run,
    to: Annotated[
        str,
        typer.Option(
            metavar="SITE|git:BRANCH",
            help="Add the run to the site in this folder, or on this branch of the repository "
            "that you are in. A site that doesn't exist is made.",
        ),
    ],
    url: Url = "",
) -> None:
    """Add a run to a static site of the explorer's pages.

    Copies what the pages are made of, without samples and logs, and makes the
    site anew from all runs in it. Names of this machine and its user are left
    out, and where things lie. Nothing is sent anywhere: of a branch, a commit
    is made, and you push it.

    bakeoff publish runs/latest --to site
    bakeoff publish runs/latest --to git:gh-pages
    """
    judged = runs.open_run(run)
    if not to.startswith(BRANCH):
        site = Path(to)
        pages = _into(site, judged, site_url(url))
        say(f"{figures.plural(pages, 'page')} in {site}; begin with {site / 'index.html'}", out)
        return
    from bakeoff.build.repository import Repository, branch_folder, commit_all

    name = to.removeprefix(BRANCH)
    with branch_folder(Repository.around(Path.cwd()), name) as folder:
        pages = _into(folder, judged, site_url(url))
        # Without it GitHub leaves out what begins with an underscore.
        (folder / ".nojekyll").touch()
        changed = commit_all(folder, f"Publish {judged.path.resolve().name}")
    if changed:
        said = f"{figures.plural(pages, 'page')} committed to {name}"
        say(f"{said}; `git push origin {name}` publishes them.", out)
    else:
        say(f"{name} has this already.", out)


def _into(site: Path, run: runs.AnyRun, url: str) -> int:
    from bakeoff.explore.site import RUNS, check, copy_into, export

    check(site)
    replaced = copy_into(site, run)
    with opened_index([site / RUNS]) as index, terminal_watch(err) as watch:
        pages, faults = export(index, site, watch, url)
    say_faults(faults)
    say(_left_out(replaced))
    return pages


def _left_out(replaced: Counter[str]) -> str:
    if not replaced:
        return "Left out: samples and logs; no private name or path was in the rest."
    words = {"host": "the machine’s name", "user": "the user’s name"}
    counted = (f"{words.get(each, 'a path')} {count} times" for each, count in replaced.items())
    return f"Left out: samples, logs; replaced in the rest: {', '.join(counted)}."
