"""A walk over a static site: where its links lead, and what its pages load."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tests.explore.visitor import Elements

LINKS = ("href", "src", "srcset", "data-shards")
LOADS = {
    "audio": "src", "embed": "src", "iframe": "src", "image": "href", "img": "src", "link": "href",
    "object": "data", "script": "src", "source": "srcset", "use": "href", "video": "src",
}  # fmt: skip
"""Elements that load what they name, in HTML and in SVG."""
OF_STYLE = re.compile(r"url\(|@import")


def links(page: Path) -> Iterator[str]:
    """All that a page leads to or loads, but for what is within it."""
    for _, attributes in Elements.of(page.read_text()).found:
        for name in LINKS:
            # A list of scripts has a space between them, and nothing else here has one.
            yield from (link for link in (attributes.get(name) or "").split() if link[:1] != "#")


def dead_links(site: Path) -> list[str]:
    """Links of the site's pages that lead to no file of it; those to the web are others' matter."""
    dead = []
    for page in site.rglob("*.html"):
        for link in links(page):
            path = (page.parent / unquote(urlsplit(link).path)).resolve()
            if link.startswith("https://"):
                continue
            if not path.is_file() or not path.is_relative_to(site.resolve()):
                dead.append(f"{page.relative_to(site)}: {link}")
    return dead


def foreign(site: Path) -> list[str]:
    found = []
    for file in site.rglob("*"):
        if file.suffix in (".html", ".svg"):
            for name, attributes in Elements.of(file.read_text()).found:
                loaded = attributes.get(LOADS.get(name, "")) or ""
                if urlsplit(loaded).scheme or loaded.startswith("//"):
                    found.append(f"{file.relative_to(site)}: {loaded}")
        if file.suffix in (".css", ".svg") and OF_STYLE.search(file.read_text()):
            found.append(f"{file.relative_to(site)}: its style loads something")
    return found
