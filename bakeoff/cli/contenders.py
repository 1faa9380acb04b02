"""`bakeoff contenders` and `doctor`: what is there, what is missing, what is in the way."""

from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from bakeoff.build import is_built, missing_tools
from bakeoff.cli import audit as audit_command
from bakeoff.cli.console import out
from bakeoff.cli.setup import name_buildable
from bakeoff.load import engine_version
from bakeoff.measure import hindrances
from bakeoff.model.errors import BadUsage, MissingPiece
from bakeoff.plan import Catalogue, Named

_MARKS = {"ok": "[green]ok[/]", "note": "[yellow]note[/]", "warning": "[red]warning[/]"}


def contenders(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CONTENDER",
            help="With --audit: as for a race; none: all of the catalogue that are built.",
            show_default=False,
        ),
    ] = None,
    audit: Annotated[
        bool, typer.Option("--audit", help="Compare what they do beside answering right.")
    ] = False,
    workload: Annotated[
        str | None, typer.Option(help="With --audit: what is asked. (default: hello)")
    ] = None,
    connections: Annotated[
        int | None,
        typer.Option("-c", "--connections", min=1, help="With --audit: connections of the load."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="With --audit: workers or threads per server.")
    ] = None,
    json: Annotated[
        str | None, typer.Option(metavar="FILE|-", help="With --audit: write it as JSON.")
    ] = None,
) -> None:
    """List the catalogue, with what is missing on this machine; or audit contenders.

    An audit starts them, asks each of them a few dozen times, loads each for
    a second and a half, and says where their work is unequal: headers,
    writes, keep-alive, logs, threads at work. It says nothing of speed.
    """
    if audit:
        audit_command.audit(
            names or (), connections=connections, workers=workers, workload=workload, json=json
        )
    elif names or workload or connections or workers or json:
        raise BadUsage("contenders: names and options belong to --audit")
    else:
        _list()


def _list() -> None:
    catalogue = Catalogue.shipped()
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("name", no_wrap=True)
    for column in ("what it is", "language", "kind", "serves", "on this machine"):
        table.add_column(column, overflow="fold")
    for one in name_buildable(catalogue, catalogue.names()):
        contender = one.contender
        assert contender
        table.add_row(
            one.name,
            escape(contender.title),
            contender.language,
            contender.kind,
            ", ".join(sorted(contender.serves)),
            _state(one),
        )
    out.print(table)
    out.print("\nBuild them with: bakeoff setup NAME…  or  bakeoff setup --all")


def doctor() -> None:
    """Say what stands in the way of a good measurement here. Changes nothing."""
    found = hindrances()
    for one in found:
        out.print(f"{_MARKS[one.level]}  {escape(one.what)}")
        if one.level != "ok":
            out.print(f"    {escape(one.why)}")
            if one.mend:
                out.print(f"    to mend it: {escape(one.mend)}")
    try:
        out.print(f"{_MARKS['ok']}  the load engine is {escape(engine_version())}")
    except MissingPiece as error:
        out.print(f"{_MARKS['warning']}  {escape(str(error))}")
    catalogue = Catalogue.shipped()
    for entry in name_buildable(catalogue, catalogue.names()):
        assert entry.contender and entry.folder
        for missing in missing_tools(entry.contender, entry.folder):
            out.print(f"{_MARKS['note']}  {entry.name} {escape(str(missing))}")


def _state(one: Named) -> str:
    assert one.contender and one.folder
    missing = missing_tools(one.contender, one.folder)
    if missing:
        return f"[yellow]{escape('; '.join(map(str, missing)))}[/]"
    return "[green]built[/]" if is_built(one.contender, one.folder) else "not built yet"
