"""report.html: one file, offline and without script; all that came from outside is escaped."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from jinja2 import BaseLoader, ChoiceLoader, Environment, PackageLoader, StrictUndefined
from jinja2.filters import do_urlencode
from markupsafe import Markup

from bakeoff.report.document import (
    TONES,
    Block,
    Chart,
    Charts,
    Document,
    List,
    Section,
    Table,
    Text,
    printable,
)


@dataclass(frozen=True)
class Picture:
    """A drawn chart: SVG elements of 976 and 340 px."""

    chart: Chart
    wide: Markup
    narrow: Markup


@dataclass(frozen=True)
class Page:
    """The page, and its pictures by their slugs."""

    html: str
    pictures: dict[str, Picture]


@dataclass(frozen=True)
class Shown:
    """A block with its id in the page and what is drawn of it; `kind` is its class."""

    kind: str
    id: str
    block: Block
    blocks: "tuple[Shown, ...]" = ()
    pictures: tuple[Picture, ...] = ()


@dataclass
class _Builder:
    """Gives ids, each once, and collects the pictures, where they are `drawn`."""

    drawn: bool = True
    ids: set[str] = field(default_factory=set)
    pictures: dict[str, Picture] = field(default_factory=dict)

    def shown(self, blocks: Iterable[Block]) -> tuple[Shown, ...]:
        """The blocks that have something in them."""
        return tuple(shown for block in blocks if (shown := self._shown(block)))

    def _shown(self, block: Block) -> Shown | None:
        kind = type(block).__name__
        match block:
            case Text():
                return Shown(kind, "", block)
            case Charts():
                if not self.drawn:
                    return None
                pictures = tuple(_picture(chart) for chart in block.make() if chart)
                self.pictures |= {picture.chart.slug: picture for picture in pictures}
                return Shown(kind, "", block, pictures=pictures) if pictures else None
            case Section():
                name = self._id(block.title)
                inner = self.shown(block.blocks)
                return Shown(kind, name, block, inner) if inner else None
            case Table(rows=content) | List(items=content):
                return Shown(kind, self._id(block.title), block) if content else None

    def _id(self, title: str) -> str:
        base = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "part"
        taken = (f"{base}-{number}" for number in range(2, len(self.ids) + 3))
        name = next(name for name in (base, *taken) if name not in self.ids)
        self.ids.add(name)
        return name


def page(document: Document) -> Page:
    """The document as a whole page."""
    builder = _Builder()
    blocks = builder.shown((*document.summary, *document.detail))
    finding, further = split_headline(document)
    html = (
        environment()
        .get_template("page.html")
        .render(
            document=document,
            finding=finding,
            further=further,
            blocks=blocks,
            parts=parts(blocks),
            href=_href,
        )
    )
    return Page(html, builder.pictures)


def undrawn(document: Document) -> tuple[Shown, ...]:
    """The document's blocks without its pictures, for pages that draw their own."""
    return _Builder(drawn=False).shown((*document.summary, *document.detail))


def split_headline(document: Document) -> tuple[str, str]:
    """The first sentence of the headline, which is a page's title, and what follows it."""
    finding, dot, further = document.headline.partition(". ")
    return finding + dot.strip(), further


def parts(blocks: Iterable[Shown]) -> list[Shown]:
    """The blocks that a list of the page's parts has."""
    return [shown for shown in blocks if shown.id and not getattr(shown.block, "folded", False)]


def snippet(document: Document) -> str:
    """The headline, the first pictures and the first table, for a notebook."""
    blocks = _Builder().shown(
        next((block for block in document.summary if isinstance(block, kind)), Text(""))
        for kind in (Charts, Table)
    )
    template = environment().get_template("snippet.html")
    return template.render(document=document, blocks=blocks, href=_href)


def _picture(chart: Chart) -> Picture:
    # Here, not above: altair takes a second, and who has pictures of their own doesn't wait for it.
    from altair.utils.schemapi import debug_mode

    from bakeoff.report.charts.theme import NARROW, WIDE, to_svg

    # Without altair's check of each piece against its schema, which takes longer than the drawing;
    # the tests draw the same pieces with it.
    with debug_mode(False):
        wide, narrow = (
            Markup(to_svg(chart.draw(frame), frame, chart.slug, chart.alt_text))
            for frame in (WIDE, NARROW)
        )
    # Vega escapes what it writes, and `to_svg` the label: these two are markup already.
    return Picture(chart, wide, narrow)


def _href(link: str) -> str:
    """Where a link of a document leads, from its report's folder."""
    return link if link.startswith("https://") else do_urlencode(link)


def environment(*further: BaseLoader) -> Environment:
    """Templates that escape all that came from outside: the report's, and `further` ones."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("bakeoff.report.render", "templates"), *further]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_plain,
    )
    environment.filters["tone"] = TONES.__getitem__
    css = environment.get_template("page.css").render()
    # In a notebook the styles keep to the snippet: they are nested, and its root is the page's.
    nested = css.replace(":root", "&")
    environment.globals |= {"css": Markup(css), "nested_css": Markup(nested)}
    return environment


def _plain(value: object) -> object:
    """What a template puts out, without control characters."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value
