"""`bakeoff setup`: whatever contenders need, installed and built."""

import os
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from bakeoff.build import install_packages, is_built, missing_tools, packages
from bakeoff.cli.building import build_watched, default_jobs
from bakeoff.cli.console import err, out
from bakeoff.cli.verbatim import PERSONALITIES
from bakeoff.load import link, shadowed
from bakeoff.model.contender import Contender
from bakeoff.model.errors import BadUsage, ContenderOut, MissingPiece
from bakeoff.model.receipt import Receipt
from bakeoff.plan import Catalogue, Named, name_contenders

ROOM_GIB = 2
"""What the whole catalogue takes while it is built, with the caches of its package managers."""


def setup(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Contenders; none: the default line-up."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="The whole catalogue.")] = False,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="How many to build at a time. (default: one per core, 4 at most)"),
    ] = None,
    links: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Make links ab, wrk, wrk2 and webbench to the engine."),
    ] = None,
) -> None:
    """Install what contenders need, where we may, and build them.

    As root, missing Debian packages are installed with apt-get, and named.
    Otherwise the command is printed, and the contenders that need them are
    left out. What can't be built is named with its reason, and the rest goes
    on. The status is 0 where one at least is ready. With --links and no names,
    nothing is built.
    """
    if names and everything:
        raise BadUsage("setup: takes names or --all, not both")
    if links is not None:
        _make_links(links)
        if not (names or everything):
            return
    catalogue = Catalogue.shipped()
    chosen = catalogue.names() if everything else (names or list(catalogue.default_line_up()))
    wanted = to_build(name_buildable(catalogue, chosen))
    _install_missing(wanted)
    _say_room(wanted)
    results = build_watched(wanted, jobs or default_jobs())
    failures = _say_results(wanted, results)
    if len(failures) == len(wanted):
        raise typer.Exit(failures[0].exit_status)


def _make_links(folder: Path) -> None:
    """Links by the names of the programs that the engine stands in for, and how to be found."""
    links = link(folder, list(PERSONALITIES))
    out.print(
        f"{', '.join(PERSONALITIES)} in {folder} are the engine", markup=False, soft_wrap=True
    )
    if hidden := shadowed(links):
        found = (f"{name} is {other or 'not found'}" for name, other in hidden.items())
        path = shlex.quote(str(folder.absolute()))
        out.print(
            f"this shell finds others ({', '.join(found)}) until it is told:",
            markup=False,
            soft_wrap=True,
        )
        out.print(f"  export PATH={path}:$PATH", markup=False, soft_wrap=True)


def name_buildable(catalogue: Catalogue, names: Sequence[str]) -> list[Named]:
    """The contenders called `names`; only catalogue names and folders can be set up."""
    named = name_contenders(list(dict.fromkeys(names)), catalogue, Path.cwd())
    for one in named:
        if one.own_answer:
            raise BadUsage(f"{one.name}: only catalogue contenders and folders can be set up")
    return named


def to_build(named: Sequence[Named]) -> list[tuple[Contender, Path]]:
    """What there is to build among `named`: commands and URLs have nothing."""
    return [
        (one.contender, one.folder)
        for one in named
        if one.contender and one.folder and not one.own_answer
    ]


def _install_missing(wanted: Sequence[tuple[Contender, Path]]) -> None:
    needed = packages(each for one in wanted for each in missing_tools(*one))
    if not needed:
        return
    if os.geteuid() == 0:
        err.print(f"installing Debian packages: {', '.join(needed)}", markup=False)
    try:
        for package, reason in install_packages(needed).items():
            err.print(f"apt-get install {package} failed: {reason}", markup=False, soft_wrap=True)
    except MissingPiece as error:
        err.print(str(error), markup=False, soft_wrap=True)


def _say_room(wanted: Sequence[tuple[Contender, Path]]) -> None:
    """A disk that is nearly full makes builds fail in ways that don't speak of it."""
    folders = [folder for contender, folder in wanted if not is_built(contender, folder)]
    if not folders:
        return
    free_gib, folder = min((shutil.disk_usage(folder).free / 2**30, folder) for folder in folders)
    if free_gib < ROOM_GIB:
        err.print(
            f"only {free_gib:.1f} GiB are free where {folder} is: builds may fail for want of "
            f"room; the whole catalogue takes up to {ROOM_GIB} GiB with its downloads",
            markup=False,
            soft_wrap=True,
        )


def _say_results(
    wanted: Sequence[tuple[Contender, Path]], results: Sequence[Receipt | ContenderOut]
) -> list[ContenderOut]:
    """Versions, reasons, and a sentence that sums them up; the failures."""
    out_of_it: list[tuple[str, ContenderOut]] = []
    for (contender, _), result in zip(wanted, results, strict=True):
        if isinstance(result, Receipt):
            out.print(f"{contender.name}: {result.version}", markup=False, soft_wrap=True)
        else:
            out_of_it.append((contender.name, result))
    for name, failure in out_of_it:
        err.print(f"{name} is out: {failure}", markup=False, soft_wrap=True)
    out.print(_summary(len(wanted), out_of_it), markup=False, soft_wrap=True)
    return [failure for _, failure in out_of_it]


def _summary(count: int, out_of_it: Sequence[tuple[str, ContenderOut]]) -> str:
    said = f"{count - len(out_of_it)} of {count} ready"
    if out_of_it:
        reasons = (f"{name} ({str(why).splitlines()[0]})" for name, why in out_of_it)
        said += f"; not: {', '.join(reasons)}"
    return said
