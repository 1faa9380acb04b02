"""Where the parts of bakeoff are: in a clone, and in a wheel."""

from pathlib import Path

import pytest

from bakeoff import __version__, installation
from bakeoff.build import out_folder
from bakeoff.plan import Catalogue

ROOT = Path(__file__).parents[1]


def test_a_clone_has_its_catalogue_beside_the_package_and_builds_in_it() -> None:
    catalogue = Catalogue.shipped()
    assert catalogue.root == ROOT / "catalogue"
    folder = catalogue.folder(catalogue.names()[0])
    assert out_folder(folder) == folder / ".out"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a wheel brings, and a cache."""
    (tmp_path / "data").mkdir()
    monkeypatch.setattr(installation, "DATA", tmp_path / "data")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "data"


def test_a_wheel_has_it_in_its_data_and_builds_in_the_cache(data: Path) -> None:
    assert Catalogue.shipped().root == data / "catalogue"
    built = out_folder(data / "catalogue/contenders/mine")
    assert built == data.parent / "cache/bakeoff" / __version__ / "contenders/mine/out"


def test_a_folder_of_ones_own_is_built_where_it_is(data: Path) -> None:
    assert out_folder(data.parent / "mine") == data.parent / "mine/.out"


@pytest.mark.parametrize("named", ["", "relative/path"])
def test_a_cache_that_has_no_absolute_path_is_the_usual_one(
    named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", named)
    monkeypatch.setenv("HOME", "/home/somebody")
    assert installation.cache_folder() == Path("/home/somebody/.cache/bakeoff", __version__)
