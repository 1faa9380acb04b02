"""`bakeoff contenders` and `doctor`: what is there, what is missing, what is in the way."""

from rich.markup import escape
from rich.table import Table

from bakeoff.build import is_built, missing_tools
from bakeoff.cli.console import out
from bakeoff.cli.setup import name_buildable
from bakeoff.load import engine_version
from bakeoff.measure import hindrances
from bakeoff.model.errors import MissingPiece
from bakeoff.plan import Catalogue, Named

_MARKS = {"ok": "[green]ok[/]", "note": "[yellow]note[/]", "warning": "[red]warning[/]"}


def contenders() -> None:
    """List the catalogue, with what is missing on this machine."""
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
