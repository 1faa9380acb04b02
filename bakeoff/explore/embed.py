"""One picture of a view, or its table, as a page by itself, for a frame of somebody else's page."""

from collections.abc import Callable

from bakeoff.explore.address import Links
from bakeoff.explore.page import NotThere, Page, fragment


def made(page: Page, file: str, link: Links, said: Callable[[str], str] | None = None) -> str:
    """The page `NAME.html`, as HTML; `link` leads from it, `said` replaces what is private.

    Raises `NotThere`.

    A published site has to let others show it: where the host sends a Content-Security-Policy, that
    of these pages has `frame-ancestors *`. The application never lets a frame of another site in.
    """
    name = file.removesuffix(".html")
    title = page.embeds().get(name)
    if title is None:
        raise NotThere(f"this page has nothing called {name} to embed")
    chart = next((each for each in page.charts if each.slug == name), None)
    return fragment("embed.html", said, page=page, title=title, chart=chart, link=link)
