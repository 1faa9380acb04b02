"""report.html: one file, offline, without a script except a flame graph's. All text from outside is
escaped."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from jinja2 import BaseLoader, ChoiceLoader, Environment, PackageLoader, StrictUndefined
from jinja2.filters import do_urlencode
from markupsafe import Markup

from bakeoff.report import document as doc
from bakeoff.report.charts.svg import DARK, svg


@dataclass(frozen=True)
class Shown:
    """A block with its id in the page and its drawing; `kind` is its class."""

    kind: str
    id: str
    block: doc.Block
    blocks: "tuple[Shown, ...]" = ()
    charts: tuple[doc.Chart, ...] = ()


@dataclass(frozen=True)
class Layout:
    """A document's blocks as a page shows them, and all of its pictures."""

    blocks: tuple[Shown, ...]
    charts: tuple[doc.Chart, ...]

    @property
    def parts(self) -> list[Shown]:
        return [
            shown for shown in self.blocks if shown.id and not getattr(shown.block, "folded", False)
        ]


@dataclass
class _Builder:
    """Gives unique ids, and collects the pictures."""

    ids: set[str] = field(default_factory=set)
    charts: list[doc.Chart] = field(default_factory=list)

    def shown(self, blocks: Iterable[doc.Block]) -> tuple[Shown, ...]:
        return tuple(shown for block in blocks if (shown := self._shown(block)))

    def _shown(self, block: doc.Block) -> Shown | None:
        kind = type(block).__name__
        match block:
            case doc.Text():
                return Shown(kind, "", block) if block.text else None
            case doc.Charts():
                charts = tuple(chart for chart in block.make() if chart)
                self.charts += charts
                return Shown(kind, "", block, charts=charts) if charts else None
            case doc.Section():
                name = self._id(block.title)
                inner = self.shown(block.blocks)
                return Shown(kind, name, block, inner) if inner else None
            case doc.Table(rows=content) | doc.List(items=content):
                return Shown(kind, self._id(block.title), block) if content else None

    def _id(self, title: str) -> str:
        base = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "part"
        taken = (f"{base}-{number}" for number in range(2, len(self.ids) + 3))
        name = next(name for name in (base, *taken) if name not in self.ids)
        self.ids.add(name)
        return name


def layout(document: doc.Document) -> Layout:
    builder = _Builder()
    blocks = builder.shown((*document.summary, *document.detail))
    return Layout(blocks, tuple(builder.charts))


def page(document: doc.Document, layout: Layout) -> str:
    finding, further = split_headline(document)
    return (
        environment()
        .get_template("page.html")
        .render(
            document=document,
            finding=finding,
            further=further,
            blocks=layout.blocks,
            parts=layout.parts,
            href=_href,
            scripts=[*map(Markup, {chart.script for chart in layout.charts if chart.script})],
        )
    )


def split_headline(document: doc.Document) -> tuple[str, str]:
    finding, dot, further = document.headline.partition(". ")
    return finding + dot.strip(), further


def snippet(document: doc.Document) -> str:
    blocks = _Builder().shown(
        next((block for block in document.summary if isinstance(block, kind)), doc.Text(""))
        for kind in (doc.Charts, doc.Table)
    )
    template = environment().get_template("snippet.html")
    return template.render(document=document, blocks=blocks, href=_href)


def _href(link: str) -> str:
    """The target of a document's link, from its report's folder."""
    return link if link.startswith("https://") else do_urlencode(link)


def environment(*further: BaseLoader) -> Environment:
    """Templates that escape all text from outside: the report's, and `further` ones."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("bakeoff.report.render", "templates"), *further]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_plain,
    )
    environment.filters["tone"] = doc.TONES.__getitem__
    environment.filters["wide"] = lambda chart: svg(chart, doc.WIDE)
    environment.filters["narrow"] = lambda chart: svg(chart, doc.NARROW)
    environment.globals |= {"dark": Markup(DARK), "file_of": lambda _chart: ""}
    css = environment.get_template("page.css").render()
    # In a notebook the styles apply only to the snippet: they are nested, and its root is the
    # page's.
    nested = css.replace(":root", "&")
    environment.globals |= {"css": Markup(css), "nested_css": Markup(nested)}
    return environment


def _plain(value: object) -> object:
    return (
        doc.printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value
    )
