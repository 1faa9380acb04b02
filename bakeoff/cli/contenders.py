"""`bakeoff contenders` and `doctor`: what the catalogue has, what is missing, what disturbs."""

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

import bakeoff.plan.options as shared
from bakeoff import installation, runs, satellites
from bakeoff.build import is_built, missing_tools, packages
from bakeoff.cli.options import contender_names, environment, option
from bakeoff.cli.output import Json, Wide, check_json, err, out, say, show
from bakeoff.measure import hindrances
from bakeoff.model.contender import Contender
from bakeoff.model.errors import BadUsage, MissingPiece, Status
from bakeoff.model.plan import Plan
from bakeoff.plan import Catalogue, RaceOptions, plan_race
from bakeoff.plan.catalogue import read_contender
from bakeoff.progress import terminal_watch
from bakeoff.report.kinds.why import LAYERS
from bakeoff.report.sentences import sentence
from bakeoff.why import Profiler

_MARKS = {"ok": "[green]ok[/]", "note": "[yellow]note[/]", "warning": "[red]warning[/]"}


def contenders(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CONTENDER",
            help="Contenders to audit, as for a race. (default: all of the catalogue that are "
            "built)",
            autocompletion=contender_names,
        ),
    ] = None,
    audit: Annotated[
        bool,
        typer.Option(
            "--audit", help="Audit contenders: compare the work that they do for the same requests."
        ),
    ] = False,
    workload: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="Send the requests of this workload in the audit. (default: hello)",
        ),
    ] = None,
    connections: Annotated[str | None, option("connections", shared.CONNECTIONS)] = None,
    workers: Annotated[str | None, option("workers", shared.WORKERS)] = None,
    protocol: Annotated[
        str | None, option("protocol", shared.PROTOCOL.but(metavar="NAME,…"))
    ] = None,
    json: Json = None,
    wide: Wide = False,
) -> None:
    """List the catalogue and what is missing here, or audit contenders.

    An audit starts them, sends each a few dozen requests, loads each for a
    second and a half, and reports where their work is unequal: headers, writes,
    keep-alive, logs, threads at work, TLS, HTTP/2's settings. It doesn't report
    speed.
    """
    if audit:
        options = RaceOptions(
            connections=connections,
            workers=workers,
            workload=workload,
            protocol=protocol,
            twin=False,
            seed=0,
        )
        _audit(names or [], options, json, wide)
    elif names or workload or connections or workers or protocol or json:
        raise BadUsage("contenders: names and options are for --audit")
    else:
        _list(Catalogue.shipped(), wide)


def doctor() -> None:
    """Show what disturbs measurements here, and how to fix it.

    It changes nothing.
    """
    for hindrance in hindrances():
        _remark(hindrance.level, hindrance.what)
        if hindrance.level != "ok":
            say(f"    {hindrance.why}", out)
            if hindrance.fix:
                say(f"    to fix it: {hindrance.fix}", out)
    try:
        where = installation.engine_path()
        _remark("ok", f"the load engine is {installation.engine_version()}, {where}")
    except MissingPiece as error:
        _remark("warning", str(error))
    unseen = Profiler().missing
    for layer, what in LAYERS.items():
        reason = unseen.get(layer)
        said = f"bakeoff why: {what}"
        _remark("note" if reason else "ok", f"{said}: {sentence(reason)}" if reason else said)
    if installation.DATA.is_dir():
        _remark(*_cache())
    whole = _whole_catalogue(Catalogue.shipped())
    lacking = {
        contender.name: missing
        for (contender, _), missing in zip(whole, missing_tools(whole), strict=True)
        if missing
    }
    for name, tools in lacking.items():
        for tool in tools:
            _remark("note", f"{name} {tool}")
    if needed := packages(missing for tools in lacking.values() for missing in tools):
        say(f"to have them all: sudo apt-get install {' '.join(needed)}", out)
    if not lacking:
        _remark("ok", "all tools of the catalogue's contenders are here")


def _cache() -> tuple[str, str]:
    """Whether an installed catalogue can be built: a level, and what to say."""
    folder = installation.cache_folder()
    there = next(each for each in (folder, *folder.parents) if each.exists())
    if os.access(there, os.W_OK):
        return "ok", f"contenders are built in {folder}"
    fault = f"contenders can't be built in {folder}: {there} can't be written"
    return "warning", f"{fault}; set XDG_CACHE_HOME to a folder that can be"


def _remark(level: str, text: str) -> None:
    out.print(f"{_MARKS[level]}  {escape(text)}", soft_wrap=True)


def _whole_catalogue(catalogue: Catalogue) -> list[tuple[Contender, Path]]:
    folders = map(catalogue.folder, catalogue.names())
    return [(read_contender(folder), folder) for folder in folders]


def _audit(names: list[str], options: RaceOptions, json: str | None, wide: bool) -> None:
    from bakeoff.report import render
    from bakeoff.report.kinds.audit import document

    check_json(json)
    here = environment()
    all_built = not names
    if all_built:
        whole = _whole_catalogue(here.catalogue)
        names = [
            contender.name
            for (contender, folder), missing in zip(whole, missing_tools(whole), strict=True)
            if not missing and is_built(contender, folder)
        ]
    if not names:
        raise MissingPiece("no contender of the catalogue is built; run: bakeoff setup --all")
    plan = plan_race(names, options, here)
    assert isinstance(plan, Plan)
    with terminal_watch(err) as watch:
        result = runs.audit(plan, satellites.real_stages(), watch)
    show(render.terminal(document(result), wide), result, json)
    if result.skipped and not all_built:
        raise typer.Exit(Status.CONTENDER_OUT)


def _list(catalogue: Catalogue, wide: bool) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("name", no_wrap=True)
    more = ("title", "kind", "serves") if wide else ()
    for column in ("state", "language", "speaks", *more):
        table.add_column(column, overflow="fold")
    whole = _whole_catalogue(catalogue)
    for (contender, folder), missing in zip(whole, missing_tools(whole), strict=True):
        if missing:
            state = f"[yellow]{escape('; '.join(map(str, missing)))}[/]"
        else:
            state = "[green]built[/]" if is_built(contender, folder) else "not built yet"
        serves = ", ".join(sorted(contender.serves))
        table.add_row(
            contender.name,
            state,
            contender.language,
            ", ".join(contender.protocols),
            *((escape(contender.title), contender.kind, serves) if wide else ()),
        )
    out.print(table)
    say("\nBuild them with: bakeoff setup NAME…  or  bakeoff setup --all", out)
