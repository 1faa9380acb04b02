"""What is shown in somebody else's page: a picture or a table, and the lines that put it there."""

from pathlib import Path
from urllib.parse import urljoin

import pytest

from bakeoff.explore import address as to
from bakeoff.explore import downloads
from bakeoff.explore.address import Address, Still, file_of, live
from bakeoff.explore.page import NotThere, Saying, render
from bakeoff.explore.share import NO_SITE, embed_of, of_embed, of_picture
from bakeoff.explore.views import view
from tests.explore.conftest import Shelves
from tests.explore.visitor import Elements, Visitor


def addresses(shelves: Shelves) -> dict[Address, set[str]]:
    """Views, and what of each can be in a frame: only what goes on with later runs."""
    return {
        to.run(shelves.id): set(),
        to.two(*(run.id for run in shelves.runs)): set(),
        to.contender("slow"): {"past"},
        to.matrix(): {"matrix", "table"},
    }


def test_a_line_over_time_and_the_matrix_stand_alone(visitor: Visitor, shelves: Shelves) -> None:
    for address, names in addresses(shelves).items():
        page = view(shelves.index, address)
        assert set(page.embeds()) == names
        for name in names:
            alone = Elements.of(visitor.page(live(embed_of(page, name))))
            assert not alone.all("nav") and not alone.all("form") and not alone.all("details")
            assert len(alone.all("h1")) == len(alone.all("main")) == 1
            assert alone.links()[-1] == live(address)
            assert bool(alone.all("table")) == (name == "table")
            assert bool(alone.all("img")) == (name != "table")


def test_the_table_has_what_the_view_has(visitor: Visitor, shelves: Shelves) -> None:
    page = view(shelves.index, to.matrix())
    alone = Elements.of(visitor.page(live(embed_of(page, "table"))))
    whole = Elements.of(visitor.page(live(to.matrix())))
    assert len(alone.all("td")) == len(whole.all("td")) == 9


FRAME = "/contender/slow/embed/past.html"


@pytest.mark.parametrize("name", ["nothing", "nothing.html", "..%2fpast.html", "past.svg"])
def test_what_cannot_be_embedded_is_not_there(
    visitor: Visitor, shelves: Shelves, name: str
) -> None:
    assert visitor.ask(FRAME.replace("past.html", name)).status_code == 404
    assert visitor.ask(f"{shelves.page}/embed/ratios.html").status_code == 404


def test_the_application_is_in_no_frame_of_another_site(visitor: Visitor, shelves: Shelves) -> None:
    own = visitor.ask(FRAME).headers["content-security-policy"]
    assert "frame-ancestors 'self'" in own
    for path in (shelves.page, "/", f"{shelves.page}/data.csv"):
        policy = visitor.ask(path).headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy
    visitor = Visitor(shelves.index)
    assert visitor.ask(FRAME).status_code == 403


def test_in_a_static_site_its_links_lead_to_files(shelves: Shelves) -> None:
    address = to.contender("slow")
    page = view(shelves.index, address)
    here = embed_of(page, "past")
    html = Elements.of(downloads.made(page, ("embed", "past.html"), Still(here)).content.decode())
    base = f"file:///site/{file_of(here)}"
    assert [urljoin(base, link) for link in html.links()] == [f"file:///site/{file_of(address)}"]
    styles = [str(style["href"]) for style in html.all("link")]
    assert urljoin(base, styles[1]) == "file:///site/assets/page.css"
    with pytest.raises(NotThere):
        downloads.made(page, ("embed", "nothing.html"), Still(here))


def test_a_page_says_how_to_show_it_elsewhere_without_a_script(shelves: Shelves) -> None:
    for address in addresses(shelves):
        page = view(shelves.index, address)
        text = Elements.of(render(page, Still(address), saying=Saying(str))).text
        for name, title in page.embeds().items():
            assert of_embed(page, name, title, "").text in text
        for still in page.stills():
            assert of_picture(page, still, "").text in text
        assert page.embeds() or page.stills()
        assert NO_SITE in text
        known = Elements.of(
            render(page, Still(address), saying=Saying(str, site="https://example.org/"))
        ).text
        assert NO_SITE not in known and f"https://example.org/{file_of(address)}" in known


def test_a_picture_of_a_run_leads_to_it(shelves: Shelves) -> None:
    page = view(shelves.index, to.run(shelves.id))
    line = of_picture(page, page.stills()[0], "https://example.org/").text
    elements = Elements.of(line)
    assert elements.links() == [f"https://example.org/run/{shelves.id}.html"]
    (picture,) = elements.all("img")
    assert picture["src"] == f"https://example.org/run/{shelves.id}/chart/ratios.svg"
    assert picture["alt"] == page.charts[0].alt_text


def test_a_frame_s_line_is_one_element_whatever_the_title(shelves: Shelves) -> None:
    page = view(shelves.index, to.contender("slow"))
    line = of_embed(page, "past", '"><script>', "https://example.org/").text
    elements = Elements.of(line)
    assert [name for name, _ in elements.found] == ["iframe"]
    assert str(elements.all("iframe")[0]["title"]).startswith('"><script>')


def test_what_is_no_view_of_results_is_not_shared(visitor: Visitor) -> None:
    assert 'class="share"' not in visitor.ask("/nothing").text
    assert 'class="share"' in visitor.page("/")


def test_scripts_of_ours_load_nothing_and_run_no_text() -> None:
    assets = Path(downloads.__file__).parent / "assets"
    for script in assets.glob("*.js"):
        text = script.read_text()
        assert "eval(" not in text and "Function(" not in text and "http:" not in text
