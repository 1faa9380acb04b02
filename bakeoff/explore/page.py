"""A view before it is HTML: what a page shows to any reader; and its HTML."""

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
"""Of fewer rows Parquet would have little but its own head."""


class NotThere(BakeoffError):
    """There is no such view: what it should show isn't in the history."""


@dataclass(frozen=True, kw_only=True)
class Page:
    """What a view shows. A subclass is a kind of view; `template` lays its fields out.

    `address` leads here. `data` has the figures unrounded, a row per observation; `charts` are the
    pictures. `alarm` is what makes all of it doubtful.
    """

    template: ClassVar[str]
    table: ClassVar[str] = ""
    """The template of its table alone; empty where it has none to show elsewhere."""
    is_shared: ClassVar[bool] = True
    """Whether it says how to show it elsewhere."""
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
        """Which files of its figures a site has: JSON would be what CSV has once more."""
        return ("data.csv", *(("data.parquet",) if len(self.observations) >= MANY_ROWS else ()))

    def badges(self) -> tuple[Badge, ...]:
        return ()

    def embeds(self) -> Mapping[str, str]:
        """What of it can be shown in a frame: names of files, and titles."""
        return {chart.slug: chart.title for chart in self.charts} if self.goes_on else {}

    def in_a_site(self) -> tuple[Chart, ...]:
        """Its pictures that a site has as files, too."""
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
    """What is shown in place of a view that can't be: why, as `alarm`."""

    template: ClassVar[str] = "failure.html"
    is_shared: ClassVar[bool] = False


@dataclass(frozen=True)
class Saying:
    """How a page of a static site says things: `said` replaces what is private in every text.

    `shards` are the files that its search looks through. `site` is the published site's address,
    with a slash at its end; empty where it isn't known.
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
    """The page as HTML. Without a `saying` it is live: there is a server that answers forms.

    `running` finds what goes on.
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
    """Files that all pages share; every script among them is on every page."""
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
    # The package's own templates: nobody changes them while they are in use.
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
