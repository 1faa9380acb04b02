"""How a view is shown elsewhere: the lines to copy for its badge, a picture or a frame of it."""

from dataclasses import dataclass
from html import escape
from typing import Protocol
from urllib.parse import quote

from bakeoff.explore.address import Address, file_of
from bakeoff.explore.badge import Badge
from bakeoff.report.document import Chart

NO_SITE = "https://YOUR-SITE/"
"""Replaces the address of a site that isn't known yet."""
FRAME_PX = 480


class View(Protocol):
    """A page, as far as links to it need it."""

    @property
    def address(self) -> Address: ...

    @property
    def title(self) -> str: ...


@dataclass(frozen=True)
class Lines:
    """Text to copy: `what` it is for, and the `text`."""

    what: str
    text: str


def of_badge(page: View, badge: Badge, site: str) -> tuple[Lines, Lines]:
    picture = url(badge_of(page, badge.name), site)
    view = url(page.address, site)
    alt = "".join(f"\\{letter}" if letter in "[]\\" else letter for letter in badge.alt_text)
    drawn = f'<img src="{escape(picture)}" alt="{escape(badge.alt_text)}">'
    return (
        Lines("Badge, in Markdown", f"[![{alt}]({picture})]({view})"),
        Lines("Badge, in HTML", f'<a href="{escape(view)}">{drawn}</a>'),
    )


def of_embed(page: View, name: str, title: str, site: str) -> Lines:
    source = escape(url(embed_of(page, name), site))
    return Lines(
        f"{title}, in a frame",
        f'<iframe src="{source}" title="{escape(f"{title}: {page.title}")}" width="100%"'
        f' height="{FRAME_PX}" loading="lazy" style="border: 0"></iframe>',
    )


def of_picture(page: View, picture: Chart, site: str) -> Lines:
    """A picture of the view, linked to it, in HTML, which Markdown accepts, too."""
    source = escape(url(picture_of(page, picture.slug), site))
    drawn = f'<img src="{source}" alt="{escape(picture.alt_text)}">'
    return Lines(
        f"{picture.title}, as a picture", f'<a href="{escape(url(page.address, site))}">{drawn}</a>'
    )


def picture_of(page: View, name: str) -> Address:
    return page.address.file("chart", f"{name}.svg")


def badge_of(page: View, name: str) -> Address:
    return page.address.file("badge", f"{name}.svg")


def embed_of(page: View, name: str) -> Address:
    return page.address.file("embed", f"{name}.html")


def url(address: Address, site: str) -> str:
    return (site or NO_SITE) + quote(file_of(address))
