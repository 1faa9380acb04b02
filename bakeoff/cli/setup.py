"""`bakeoff setup`: install what contenders need, and build them."""

import os
import shlex
import shutil
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Column

from bakeoff.build import Wanted, build_several, install_packages, is_built, missing_tools, packages
from bakeoff.cli.options import contender_names
from bakeoff.cli.output import err, out, say
from bakeoff.cli.verbatim import PERSONALITIES
from bakeoff.load import link, shadowed
from bakeoff.model.errors import BadUsage, ContenderOut, MissingPiece, Status
from bakeoff.model.receipt import Receipt
from bakeoff.plan import Catalogue, resolve_contenders
from bakeoff.runs.stages import BuildLines, default_jobs

DISK_GIB = 2
"""What the whole catalogue takes while it is built, with the caches of its package managers."""


def setup(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="Contenders to build. (default: the default line-up)",
            autocompletion=contender_names,
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Build the whole catalogue.")] = False,
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            min=1,
            help="Build this many at a time. (default: one per core, 4 at most)",
        ),
    ] = None,
    links: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Make links ab, wrk, wrk2 and webbench to the engine."),
    ] = None,
) -> None:
    """Install what contenders need, and build them.

    As root, missing Debian packages are installed with apt-get, and named.
    Otherwise the command is printed, and the contenders that need them are
    left out. What can't be built is named with its reason, and the rest goes
    on. The exit status is 0 if at least one is ready. With --links and no names,
    nothing is built.
    """
    if names and everything:
        raise BadUsage("setup: takes names or --all, not both")
    if links is not None:
        _make_links(links)
        if not (names or everything):
            return
    buildable = _buildable(Catalogue.shipped(), names or [], everything)
    _install_missing(buildable)
    _warn_of_full_disk(buildable)
    progress = BuildBar(len(buildable)) if err.is_terminal else nullcontext(BuildLines(say, say))
    with progress as watch:
        results = build_several(buildable, jobs or default_jobs(), watch)
    failures = _say_results(buildable, results)
    if len(failures) == len(buildable):
        raise typer.Exit(Status.NO_VERDICT)
    if failures and names:
        raise typer.Exit(Status.CONTENDER_OUT)


def _make_links(folder: Path) -> None:
    links = link(folder, list(PERSONALITIES))
    say(f"{', '.join(PERSONALITIES)} in {folder} are the engine", out)
    if hidden := shadowed(links):
        others = ", ".join(f"{name} is {other or 'not found'}" for name, other in hidden.items())
        say(f"this shell finds others ({others}) until it is told:", out)
        say(f"  export PATH={shlex.quote(str(folder.absolute()))}:$PATH", out)


def _buildable(catalogue: Catalogue, names: Sequence[str], everything: bool) -> list[Wanted]:
    """The contenders to build. Raises `BadUsage` for a command or a URL: there is nothing to do."""
    if not names:
        names = catalogue.names() if everything else catalogue.default_line_up()
    buildable: list[Wanted] = []
    for resolved in resolve_contenders(list(dict.fromkeys(names)), catalogue, Path.cwd()):
        if resolved.own_answer:
            raise BadUsage(f"{resolved.typed}: only catalogue contenders and folders can be set up")
        assert resolved.contender and resolved.folder
        buildable.append(Wanted(resolved.contender.name, resolved.contender, resolved.folder))
    return buildable


def _install_missing(buildable: Sequence[Wanted]) -> None:
    lacking = missing_tools([(each.contender, each.folder) for each in buildable])
    needed = packages(tool for tools in lacking for tool in tools)
    if not needed:
        return
    if os.geteuid() == 0:
        say(f"installing Debian packages: {', '.join(needed)}")
    try:
        for package, reason in install_packages(needed).items():
            say(f"apt-get install {package} failed: {reason}")
    except MissingPiece as error:
        say(str(error))


def _warn_of_full_disk(buildable: Sequence[Wanted]) -> None:
    """A disk that is nearly full makes builds fail in ways that don't speak of it."""
    folders = [each.folder for each in buildable if not is_built(each.contender, each.folder)]
    if not folders:
        return
    free_gib, folder = min((shutil.disk_usage(folder).free / 2**30, folder) for folder in folders)
    if free_gib < DISK_GIB:
        say(
            f"only {free_gib:.1f} GiB are free where {folder} is: builds may fail for want of "
            f"room; the whole catalogue takes up to {DISK_GIB} GiB with its downloads"
        )


def _say_results(
    buildable: Sequence[Wanted], results: Sequence[Receipt | ContenderOut]
) -> list[ContenderOut]:
    """Versions, reasons, and a sentence that sums them up; the failures."""
    failures: dict[str, ContenderOut] = {}
    for wanted, result in zip(buildable, results, strict=True):
        if isinstance(result, Receipt):
            say(f"{wanted.name}: {result.version}", out)
        else:
            failures[wanted.name] = result
    for name, failure in failures.items():
        say(f"{name} is out: {failure}")
    summary = f"{len(buildable) - len(failures)} of {len(buildable)} ready"
    if failures:
        reasons = (f"{name} ({str(why).splitlines()[0]})" for name, why in failures.items())
        summary += f"; not: {', '.join(reasons)}"
    say(summary, out)
    return list(failures.values())


class BuildBar(BuildLines, AbstractContextManager["BuildBar"]):
    """A bar over all that are wanted, with what is being built beside it, and for how long."""

    def __init__(self, count: int) -> None:
        super().__init__(say, say)
        self._under_way: dict[str, float] = {}
        self._progress = Progress(
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn(
                "{task.fields[building]}",
                markup=False,
                table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1),
            ),
            console=err,
            transient=True,
            expand=True,
            refresh_per_second=2,
        )
        self._task = self._progress.add_task("", total=count, building=self)

    def __enter__(self) -> "BuildBar":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def began(self, name: str) -> None:
        self._under_way[name] = time.monotonic()

    def ended(self, name: str, built: bool, seconds_s: float | None) -> None:
        super().ended(name, built, seconds_s)
        self._under_way.pop(name, None)
        self._progress.advance(self._task)

    def __str__(self) -> str:
        """What is under way; the bar asks anew for each redraw."""
        now_s = time.monotonic()
        under_way = [
            f"{name} {now_s - began_s:.0f} s" for name, began_s in self._under_way.copy().items()
        ]
        return f"building {', '.join(under_way)}" if under_way else ""
