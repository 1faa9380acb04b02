"""Which engine is taken, and which is refused."""

import os
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bakeoff import __version__, installation
from bakeoff.installation import engine_path, engine_version
from bakeoff.model.errors import MissingPiece

Place = Callable[[str, str], Path]
OURS = f'echo "volley {__version__}"'


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """Puts an engine, as a script, beside the package (`data`), into `scripts` or onto `path`."""
    for name in ("data", "scripts", "path"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(installation, "DATA", tmp_path / "data")
    monkeypatch.setattr(sysconfig, "get_path", {"scripts": str(tmp_path / "scripts")}.get)
    monkeypatch.setenv("PATH", f"{tmp_path / 'path'}{os.pathsep}/usr/bin{os.pathsep}/bin")
    engine_path.cache_clear()

    def put(name: str, script: str) -> Path:
        path = tmp_path / name / "volley"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    yield put
    engine_path.cache_clear()


def test_the_packages_own_comes_first_then_the_scripts_then_the_paths(places: Place) -> None:
    for name in ("path", "scripts", "data"):
        put = places(name, OURS)
        assert engine_path() == put
        engine_path.cache_clear()
    assert engine_version() == f"volley {__version__}"


@pytest.mark.parametrize("place", ["data", "scripts", "path"])
def test_one_of_another_version_is_refused(places: Place, place: str) -> None:
    path = places(place, "echo volley 0.0.9")
    with pytest.raises(MissingPiece) as caught:
        engine_path()
    said = f"{path} is volley 0.0.9, not the volley {__version__} that belongs to this bakeoff"
    assert said in str(caught.value)
    assert caught.value.exit_status == 3


@pytest.mark.usefixtures("places")
def test_without_one_it_is_said_how_to_get_it() -> None:
    with pytest.raises(MissingPiece, match=r"`volley` .*wheel"):
        engine_path()


def test_one_for_another_machine_is_named_and_not_the_loaders_error_alone(places: Place) -> None:
    # An ELF whose loader is not here, as a glibc program finds it on musl; then no program at all.
    path = places("data", OURS)
    path.write_text("#!/lib/ld-of-elsewhere.so\n")
    with pytest.raises(MissingPiece, match="No such file or dir"):
        engine_path()
    path.write_bytes(b"\x7fELF\0")
    with pytest.raises(MissingPiece, match=r"Exec format error; .*glibc"):
        engine_path()
    places("data", "echo 'version `GLIBC_2.17` not found' >&2; exit 1")
    with pytest.raises(MissingPiece, match=r"GLIBC_2.17. .*; .*glibc"):
        engine_path()
