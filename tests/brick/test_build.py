"""What the brick's build says where something is missing."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.brick.conftest import ROOT, ended

pytestmark = pytest.mark.e2e
BRICK = ROOT / "brick"


def configured(build: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return ended("cmake", "-S", BRICK, "-B", build, *words, **env)


def said(text: str) -> str:
    """CMake breaks its messages into lines."""
    return " ".join(text.split())


def without_liburing() -> dict[str, str]:
    """An environment in which pkg-config finds nothing."""
    return {"PKG_CONFIG_LIBDIR": os.devnull, "PKG_CONFIG_PATH": ""}


def test_without_liburing_there_is_epoll_and_no_error(tmp_path: Path) -> None:
    done = configured(tmp_path, **without_liburing())
    assert done.returncode == 0, done.stderr
    assert "brick: pkg-config finds no liburing 2.3 or later, so epoll only" in done.stdout


def test_io_uring_can_be_switched_off_and_on_again(tmp_path: Path) -> None:
    assert "brick: io_uring by liburing 2" in configured(tmp_path).stdout
    assert (
        "io_uring is switched off, epoll only" in configured(tmp_path, "-DBRICK_URING=OFF").stdout
    )
    assert "brick: io_uring by liburing 2" in configured(tmp_path, "-DBRICK_URING=AUTO").stdout


def test_io_uring_that_is_demanded_and_missing_is_an_error_that_says_so(tmp_path: Path) -> None:
    done = configured(tmp_path, "-DBRICK_URING=ON", **without_liburing())
    assert done.returncode != 0
    assert "install liburing-dev and pkg-config" in said(done.stderr)


def test_a_missing_googletest_is_an_error_that_says_so(tmp_path: Path) -> None:
    done = configured(tmp_path, "-DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON")
    assert done.returncode != 0
    assert "install libgtest-dev" in said(done.stderr) and "-DBRICK_TESTS=OFF" in said(done.stderr)


def test_a_project_that_takes_it_in_gets_the_library_alone(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(host LANGUAGES CXX)\n"
        f'add_subdirectory("{BRICK}" brick)\n'
        f'get_property(made DIRECTORY "{BRICK}" PROPERTY SUBDIRECTORIES)\n'
        'message(STATUS "made: ${made}")\n'
    )
    done = ended("cmake", "-S", tmp_path, "-B", tmp_path / "build")
    assert done.returncode == 0, done.stderr
    assert f"made: {BRICK}/src\n" in done.stdout
