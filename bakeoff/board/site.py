"""The site of a board: files that work on any host, in any folder, and from `file://`."""

from functools import cache
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace

from jinja2 import ChoiceLoader, Environment, PackageLoader

from bakeoff import __version__
from bakeoff.board import pages
from bakeoff.board.folder import tables
from bakeoff.explore import address as to
from bakeoff.explore import page as explorer
from bakeoff.explore.address import Still, file_of
from bakeoff.explore.private import Private
from bakeoff.explore.site import check, settle
from bakeoff.explore.site import write as write_file
from bakeoff.model.board import Board
from bakeoff.model.errors import BadUsage
from bakeoff.model.site import Site

SHARED = ("page.css", "icon.svg", "marks.js")
"""Files that the explorer's pages have, too."""
_ASSETS = files("bakeoff.board") / "assets"


def write(board: Board, folder: Path) -> int:
    """Write the site of a board to `folder`; returns the number of its pages.

    Raises `BadUsage` where the folder has other content, or can't be written.
    """
    before = check(folder)
    private = Private.here([folder], {contender.name for contender in board.contenders})
    made: dict[str, bytes] = {}
    for name in SHARED:
        made[file_of(to.asset(name))] = explorer.assets()[name]
    for own in _ASSETS.iterdir():
        made[file_of(to.asset(own.name))] = own.read_bytes()
    made |= {name: private(text).encode() for name, text in tables(board).items()}
    count = 0
    for page in pages.pages(board):
        html = private(render(page))
        made[file_of(page.address)] = html.encode()
        count += 1
    try:
        for file, content in made.items():
            write_file(folder, file, content)
        settle(folder, before, Site(bakeoff=__version__, files=tuple(sorted(made))))
    except OSError as error:
        raise BadUsage(f"{folder}: can't be written: {error.strerror}") from None
    return count


def render(page: pages.BoardPage) -> str:
    link = Still(page.address)
    html: str = (
        _templates()
        .get_template(page.template)
        .render(
            page=page,
            link=link,
            at=SimpleNamespace(
                cell=pages.cell_at,
                contender=pages.contender_at,
                pair=pages.pair_at,
                trust=pages.trust_at,
            ),
            navigation=pages.NAVIGATION,
            measures=pages.MEASURES,
            coded=pages.coded,
            no_href=lambda _target: "",
            root=link(pages.index()).removesuffix("index.html"),
            scripts=lambda: ["board.js", "marks.js"],
        )
    )
    return html


@cache
def _templates() -> Environment:
    shared = explorer.templates()
    assert shared.loader
    own = PackageLoader("bakeoff.board", "templates")
    return shared.overlay(loader=ChoiceLoader([own, shared.loader]))
