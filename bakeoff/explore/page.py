"""A view before it is HTML: a page's content for any reader; and its HTML."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import ClassVar

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from bakeoff import __version__
from bakeoff.explore import address, share
from bakeoff.explore.address import Address, Links
from bakeoff.explore.badge import Badge
from bakeoff.model.errors import BakeoffError
from bakeoff.report import figures
from bakeoff.report.charts import flames
from bakeoff.report.charts.svg import alone
from bakeoff.report.document import NARROW, WIDE, Chart, DataRow, printable
from bakeoff.report.render.html import environment

_ASSETS = files("bakeoff.explore") / "assets"
NAVIGATION = (
    ("Runs", address.shelf()),
    ("Contenders", address.contender()),
    ("Matrix", address.matrix()),
    ("Articles", address.article()),
    ("Words", address.words()),
)


MANY_ROWS = 100
"""With fewer rows Parquet would have little except its own head."""


class NotThere(BakeoffError):
    """The view doesn't exist: its content isn't in the history."""


@dataclass(frozen=True, kw_only=True)
class Page:
    """The content of a view. A subclass is a kind of view; `template` arranges its fields.

    `address` leads here. `data` has the unrounded figures, a row for each observation; `charts` are
    the pictures. `alarm` has the reason to doubt all of it.
    """

    template: ClassVar[str]
    table: ClassVar[str] = ""
    """The template of its table alone; empty: it has no table to show elsewhere."""
    is_shared: ClassVar[bool] = True
    """Whether it explains how to show it elsewhere."""
    goes_on: ClassVar[bool] = False
    """Whether later runs change it: then its pictures have frames. A run's stay as they are."""

    address: Address
    title: str
    alarm: str = ""
    data: Callable[[], Sequence[DataRow]] = tuple
    charts: tuple[Chart, ...] = ()

    @cached_property
    def observations(self) -> Sequence[DataRow]:
        """The figures, made once for all the files that have them."""
        return self.data()

    def files_in_a_site(self) -> tuple[str, ...]:
        """The files of its figures in a site, without JSON, which would repeat the CSV."""
        return ("data.csv", *(("data.parquet",) if len(self.observations) >= MANY_ROWS else ()))

    def badges(self) -> tuple[Badge, ...]:
        return ()

    def embeds(self) -> Mapping[str, str]:
        """The parts that can be shown in a frame: names of files, and titles."""
        return {chart.slug: chart.title for chart in self.charts} if self.goes_on else {}

    def in_a_site(self) -> tuple[Chart, ...]:
        """Its pictures that are also files of a site."""
        return self.charts

    def stills(self) -> tuple[Chart, ...]:
        return () if self.embeds() else self.in_a_site()

    def svg(self, slug: str) -> str:
        """The picture of that name as a file of its own. Raises `NotThere`."""
        for chart in self.charts:
            for name, frame in ((chart.slug, WIDE), (f"{chart.slug}-narrow", NARROW)):
                if slug == name:
                    return alone(chart, frame)
        raise NotThere(f"this page has no picture called {slug}")


@dataclass(frozen=True, kw_only=True)
class FailurePage(Page):
    """The page in place of a view that can't be shown, with the reason as `alarm`."""

    template: ClassVar[str] = "failure.html"
    is_shared: ClassVar[bool] = False


@dataclass(frozen=True)
class Saying:
    """The texts of a page of a static site: `said` replaces private parts of every text.

    `shards` are the files of its search. `site` is the published site's address, with a slash at
    its end; empty: it isn't known.
    """

    said: Callable[[str], str]
    shards: tuple[Address, ...] = ()
    site: str = ""


def render(
    page: Page,
    link: Links,
    *,
    saying: Saying | None = None,
    running: Callable[[], Sequence[object]] = tuple,
) -> str:
    """The page as HTML. Without a `saying` it is live: a server answers its forms.

    `running` finds running runs.
    """

    def file_of(chart: Chart) -> str:
        has_file = saying is None or chart in page.in_a_site()
        return link(share.picture_of(page, chart.slug)) if has_file else ""

    return fragment(
        page.template,
        saying.said if saying else None,
        page=page,
        link=link,
        file_of=file_of,
        live=saying is None,
        running=running,
        site=saying.site if saying else "",
        shards=" ".join(map(link, saying.shards)) if saying else "",
    )


def fragment(template: str, said: Callable[[str], str] | None = None, **values: object) -> str:
    made = _templates_saying(said) if said else templates()
    return made.get_template(template).render(**values)


@cache
def assets() -> Mapping[str, bytes]:
    """Files that all pages share, including every script."""
    css = (templates().get_template(name).render() for name in ("page.css", "explore.css"))
    made = {"page.css": "\n".join(css).encode(), "flames.js": flames.SCRIPT.encode()}
    return made | {file.name: file.read_bytes() for file in _ASSETS.iterdir() if file.is_file()}


@cache
def _templates_saying(said: Callable[[str], str]) -> Environment:
    return templates().overlay(
        finalize=lambda value: (
            printable(said(value))
            if isinstance(value, str) and not isinstance(value, Markup)
            else value
        )
    )


@cache
def templates() -> Environment:
    made = environment(PackageLoader("bakeoff.explore", "templates"))
    # The package's own templates, which don't change while they are in use.
    made.auto_reload = False
    made.globals |= {
        "address": address,
        "figures": figures,
        "navigation": NAVIGATION,
        "scripts": lambda: sorted(name for name in assets() if name.endswith(".js")),
        "share": share,
        "version": __version__,
    }
    made.filters["minute"] = lambda at: f"{at:%Y-%m-%d %H:%M}"
    made.filters["printable"] = printable
    return made
