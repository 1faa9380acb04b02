"""A contender's folder in a repository: cloned from its page or its URL, and brought up to date."""

from pathlib import Path

import pytest

from bakeoff.plan import Catalogue, resolve_contenders
from bakeoff.plan.clones import clone_of
from tests.plan.places import CONTENDER
from tests.repositories import commit, new_repository

SHOP = CONTENDER.format(name="shop", pipelines="true", serves="hello")


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with two contenders, which git finds at https://github.com/someone/shop, too."""
    folder = new_repository(
        tmp_path / "someone" / "shop.git",
        {"contender.toml": SHOP, "other/contender.toml": SHOP.replace("shop", "other")},
    )
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.file://{tmp_path}/.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "https://github.com/")
    return folder


def test_a_page_or_a_url_of_a_repository_is_a_folder_and_no_server(published: Path) -> None:
    operands = ("https://github.com/someone/shop.git", f"file://{published}#main:other")
    shop, other = resolve_contenders(operands, Catalogue.shipped(), Path("/"))
    assert [(each.origin, each.name) for each in (shop, other)] == [
        ("folder", "shop"),
        ("folder", "other"),
    ]
    assert shop.contender and shop.contender.title == "shop"
    assert other.contender and other.contender.title == "other"


@pytest.mark.parametrize(
    ("operand", "place"),
    [
        ("https://github.com/someone/shop/tree/main/other", "shop/other"),
        ("https://github.com/someone/shop/tree/main/", "shop"),
        ("https://github.com/someone/shop", "shop"),
        ("https://github.com/someone/shop.git/", "shop"),
        ("http://127.0.0.1:8080/shop", None),
        ("https://github.com/", None),
        ("./shop.git", None),
    ],
)
def test_where_a_contender_is_is_told_by_its_address(
    published: Path, operand: str, place: str | None
) -> None:
    found = clone_of(operand)
    assert (found is None) is (place is None)
    assert found is None or found.match(str(place))


def test_it_is_there_as_it_was_published_last_with_what_was_built_in_it(published: Path) -> None:
    first = clone_of(f"file://{published}")
    assert first
    (first / ".out").mkdir()
    (first / "contender.toml").write_text("edited")
    commit(published, {"contender.toml": SHOP + "# 2\n"}, "second")
    assert clone_of(f"file://{published}") == first
    assert (first / "contender.toml").read_text() == SHOP + "# 2\n"
    assert (first / ".out").is_dir()
