"""Files beside a view: its figures as CSV, JSON and Parquet, its pictures as SVG, its badges."""

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bakeoff.explore.address import DATA, OF_VIEWS, Address, Links
from bakeoff.explore.page import NotThere, Page, fragment
from bakeoff.model.errors import MissingPiece
from bakeoff.report.document import DataRow
from bakeoff.report.render import columns, csv


@dataclass(frozen=True)
class File:
    """A file as it is sent. `saved`: a browser keeps it instead of showing it."""

    name: str
    media_type: str
    content: bytes
    saved: bool = True


def split(address: Address) -> tuple[Address, tuple[str, ...]]:
    """The view of an address, and the requested file of it: `data.csv`, or (`chart`, NAME).

    The file is empty for the view itself.
    """
    parts = address.parts
    if parts[-1:] and parts[-1] in DATA:
        return Address(parts[:-1], address.query), parts[-1:]
    if len(parts) > 1 and parts[-2] in OF_VIEWS:
        return Address(parts[:-2], address.query), parts[-2:]
    return address, ()


def made(
    page: Page, name: tuple[str, ...], link: Links, said: Callable[[str], str] | None = None
) -> File:
    """The file of that name beside a page; `link` leads from it, `said` replaces private text.

    Raises `NotThere`.
    """

    def rows() -> Sequence[DataRow]:
        if said is None:
            return page.observations
        return [
            {key: said(value) if isinstance(value, str) else value for key, value in row.items()}
            for row in page.observations
        ]

    match name:
        case ("data.csv",):
            return File(_named(page, "csv"), "text/csv; charset=utf-8", csv(rows()).encode())
        case ("data.json",):
            text = json.dumps([*map(dict, rows())], ensure_ascii=False)
            return File(_named(page, "json"), "application/json", text.encode())
        case ("data.parquet",):
            media_type = "application/vnd.apache.parquet"
            return File(_named(page, "parquet"), media_type, to_parquet(rows()))
        case ("chart", file) if file.endswith(".svg"):
            drawn = page.svg(file.removesuffix(".svg"))
            return File(file, "image/svg+xml", drawn.encode(), saved=False)
        case ("badge", file):
            for badge in page.badges():
                if file == f"{badge.name}.svg":
                    drawn = fragment("badge.svg", said, badge=badge)
                    return File(file, "image/svg+xml", drawn.encode(), saved=False)
        case ("embed", file):
            # A published site must allow others to show it: if its host sends a
            # Content-Security-Policy, that of these pages has `frame-ancestors *`.
            shown = file.removesuffix(".html")
            if title := page.embeds().get(shown):
                chart = next((chart for chart in page.charts if chart.slug == shown), None)
                values = {"page": page, "title": title, "chart": chart, "link": link}
                html = fragment("embed.html", said, **values)
                return File(file, "text/html", html.encode(), saved=False)
    raise NotThere(f"this page has no {'/'.join(name)}")


def to_parquet(rows: Sequence[DataRow]) -> bytes:
    """A column per key. Raises `MissingPiece` without pyarrow."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingPiece("Parquet needs pyarrow: pip install 'bakeoff[explore]'") from None
    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns(rows)), out)
    return out.getvalue()


def _named(page: Page, ending: str) -> str:
    stem = "-".join(page.address.parts) or "runs"
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "-" for c in stem)
    return f"bakeoff-{safe}.{ending}"
