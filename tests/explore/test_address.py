"""Addresses: a view's state and its URL are one thing, and no file leaves its site."""

from pathlib import PurePosixPath
from urllib.parse import unquote, urljoin, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from bakeoff.explore import address as to
from bakeoff.explore.address import Address, Still, file_of, live

WORDS = st.text(st.characters(codec="utf-8"), min_size=1)
ADDRESSES = st.builds(
    lambda parts, query: Address.of(*parts, **query),
    st.lists(WORDS, max_size=4),
    st.dictionaries(st.sampled_from(["q", "of", "part", "series", "load"]), WORDS),
)


@given(ADDRESSES)
def test_a_link_says_all_of_a_views_state(address: Address) -> None:
    path, _, query = live(address).partition("?")
    assert Address.parse(path, query) == address


@given(ADDRESSES)
def test_no_address_has_a_file_outside_of_its_site(address: Address) -> None:
    path = PurePosixPath(file_of(address))
    assert not path.is_absolute()
    assert not any(part.startswith(".") for part in path.parts)


@given(ADDRESSES, ADDRESSES)
def test_two_views_have_two_files(one: Address, other: Address) -> None:
    assert (file_of(one) == file_of(other)) == (one == other)


@given(ADDRESSES, ADDRESSES)
def test_a_relative_link_leads_to_the_other_file(here: Address, there: Address) -> None:
    # A folder that no address can be called: a link that climbs out of the site misses it.
    site = "file:///a/site/"
    link = urljoin(site + "/".join(map(_typed, file_of(here).split("/"))), Still(here)(there))
    assert unquote(urlsplit(link).path) == "/a/site/" + file_of(there)


def _typed(name: str) -> str:
    return name.replace("%", "%25")


def test_a_form_s_check_boxes_are_one_list() -> None:
    assert Address.parse("/run/0123456789ab", "of=0&of=2&part=") == to.run("0123456789ab", (0, 2))


def test_a_server_called_like_a_script_has_a_page() -> None:
    assert file_of(to.contender("server.js")) == "contender/server.js.html"
    assert file_of(to.contender("server.js").file("data.csv")) == "contender/server.js/data.csv"
    assert file_of(to.shelf().file("data.csv")) == "data.csv"


def test_what_people_send_around_is_shorter_than_200_characters() -> None:
    addresses = [
        to.run("0123456789ab", range(30), "c1024-w16-p128", 29),
        to.two("0123456789ab", "ba9876543210", reference="a-server-with-a-long-name"),
        to.contender("a-server-with-a-long-name", series="0123456789ab", against="spring-boot"),
        to.matrix(
            workload="hello",
            protocol="h1-tls",
            load="open, 10000/s poisson, 1024 connections, pipeline 16",
            machine="0123456789ab",
        ),
    ]
    assert all(len(f"http://127.0.0.1:65535{live(address)}") < 200 for address in addresses)
