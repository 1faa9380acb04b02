"""Who is let in: anybody with the token, under a name of ours, from a page of ours."""

import pytest

from bakeoff.explore.guard import Guard
from tests.explore.conftest import Shelves
from tests.explore.visitor import BASE, PORT, Visitor


@pytest.fixture
def stranger(shelves: Shelves) -> Visitor:
    return Visitor(shelves.index)


@pytest.mark.parametrize(
    "path", ["/", "/?token=", "/?token=wrong", "/data.csv", "/assets/page.css"]
)
def test_nobody_sees_anything_without_the_token(stranger: Visitor, path: str) -> None:
    answer = stranger.ask(path)
    assert answer.status_code == 403
    assert "Not let in" in answer.text
    assert "set-cookie" not in answer.headers


def test_a_wrong_cookie_is_none(stranger: Visitor) -> None:
    stranger.cookies[stranger.guard.cookie] = "wrong"
    assert stranger.ask("/").status_code == 403
    stranger.cookies = {"bakeoff-1": stranger.guard.token}
    assert stranger.ask("/").status_code == 403, "the cookie of an explorer at another port"


def test_the_token_becomes_a_cookie_and_leaves_the_link(
    stranger: Visitor, shelves: Shelves
) -> None:
    answer = stranger.ask(f"{shelves.page}?of=0.2&token={stranger.guard.token}")
    assert (answer.status_code, answer.headers["location"]) == (303, f"{shelves.page}?of=0.2")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie
    stranger.cookies[stranger.guard.cookie] = stranger.guard.token
    assert stranger.guard.token not in stranger.page(answer.headers["location"])


def test_a_token_in_a_path_of_two_slashes_leads_to_no_other_host(stranger: Visitor) -> None:
    answer = stranger.ask(f"{BASE}//evil.example/?token={stranger.guard.token}")
    assert answer.headers["location"] == "/evil.example/"


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "", f"a@127.0.0.1:{PORT}", "["]
)
def test_a_name_that_was_rebound_to_us_is_not_ours(visitor: Visitor, host: str) -> None:
    assert visitor.ask("/", headers={"host": host}).status_code == 403


@pytest.mark.parametrize("host", [f"localhost:{PORT}", f"[::1]:{PORT}", f"127.0.0.1:{PORT}"])
def test_loopback_has_three_names(visitor: Visitor, host: str) -> None:
    assert visitor.ask("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", f"https://127.0.0.1:{PORT}"])
def test_a_page_of_another_origin_gets_nothing(visitor: Visitor, origin: str) -> None:
    assert visitor.ask("/", headers={"origin": origin}).status_code == 403


def test_our_own_pages_may_ask(visitor: Visitor) -> None:
    assert visitor.ask("/", headers={"origin": BASE}).status_code == 200


def test_others_come_by_an_address_and_never_by_a_name_of_theirs() -> None:
    guard = Guard(PORT, others=True)
    assert guard.is_ours(f"192.0.2.7:{PORT}") and guard.is_ours(f"[2001:db8::7]:{PORT}")
    assert not guard.is_ours(f"evil.example:{PORT}")
    assert not Guard(PORT).is_ours(f"192.0.2.7:{PORT}")


@pytest.mark.parametrize("path", ["/", "/nothing", "/assets/page.css", "/data.csv"])
def test_nothing_on_a_page_may_run_but_our_own_scripts(visitor: Visitor, path: str) -> None:
    headers = visitor.ask(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"


def test_each_explorer_has_a_token_of_its_own() -> None:
    assert len({Guard(PORT).token for _ in range(50)}) == 50
