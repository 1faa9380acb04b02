"""The library where somebody else installs and finds it, in folders with spaces."""

from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.brick.conftest import BUILD, ROOT, ended, program, running

pytestmark = pytest.mark.e2e


def cmake(*words: str | Path) -> str:
    done = ended("cmake", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_project_finds_the_installed_library_and_serves(tmp_path: Path) -> None:
    program("src/libbrick.a")
    prefix, build = tmp_path / "where it is", tmp_path / "its build"
    cmake("--install", BUILD, "--prefix", prefix)
    source = ROOT / "brick" / "examples" / "embedding"
    cmake("-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", "-Werror=dev")
    cmake("--build", build)
    with (
        running([build / "greeter"]) as server,
        urlopen(f"http://127.0.0.1:{server.port}/hello/you", timeout=10) as answer,
    ):
        assert answer.read() == b"Hello, you"


def test_only_what_a_user_needs_is_installed(tmp_path: Path) -> None:
    program("src/libbrick.a")
    cmake("--install", BUILD, "--prefix", tmp_path)
    installed = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    headers = {path for path in installed if path.parts[0] == "include"}
    assert {path.name for path in headers} == {
        path.name for path in (ROOT / "brick" / "include" / "brick").glob("*.hpp")
    }
    assert {path.name for path in installed - headers} == {
        "libbrick.a",
        "brick-config.cmake",
        "brick-config-version.cmake",
        "brick-targets.cmake",
        "brick-targets-release.cmake",
    }


def test_another_minor_version_is_refused(tmp_path: Path) -> None:
    program("src/libbrick.a")
    cmake("--install", BUILD, "--prefix", tmp_path / "installed")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(later LANGUAGES CXX)\n"
        "find_package(brick 99.0 CONFIG REQUIRED)\n"
    )
    build, prefix = tmp_path / "build", tmp_path / "installed"
    done = ended("cmake", "-S", tmp_path, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    assert done.returncode != 0
    assert 'requested version "99.0"' in done.stderr
