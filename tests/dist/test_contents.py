"""What is in the sdist and in the wheel, and what is not."""

import json
import re
import shutil
import stat
import subprocess
import tarfile
import tomllib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path, PurePosixPath
from threading import Thread
from zipfile import ZipFile

import pytest
import trove_classifiers
import yaml
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager

import bakeoff
from tests.dist.conftest import ROOT
from tests.docs.address import FILES, addressed

SIZE_MAX_MIB = 15
AARCH64 = 183
"""`e_machine` of ELF (EM_AARCH64)."""


def test_package_engine_and_changelog_are_of_one_version() -> None:
    manifest = tomllib.loads((ROOT / "engine/Cargo.toml").read_text())
    assert manifest["workspace"]["package"]["version"] == bakeoff.__version__
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert headings[0] == bakeoff.__version__


def test_documents_have_the_packages_version_and_repository() -> None:
    for path in FILES:
        assert addressed(path.read_text()) == path.read_text(), "run: python -m tests.docs.address"
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == bakeoff.__version__
    assert citation["repository-code"] == f"https://github.com/{bakeoff.__repository__}"


def test_the_readme_of_the_metadata_is_rendered_with_links_and_pictures_that_lead_somewhere() -> (
    None
):
    from readme_renderer.markdown import render

    metadata = ProjectMetadata(str(ROOT), PluginManager()).core
    home = f"https://github.com/{bakeoff.__repository__}"
    files = f"https://raw.githubusercontent.com/{bakeoff.__repository__}"
    at = f"v{bakeoff.__version__}"
    page = render(metadata.readme)
    assert page and "<table>" in page
    pictures = re.findall(r'<img[^>]* src="([^"]+)"', page)
    links = re.findall(r'<a[^>]* href="([^"#]+)', page)
    assert pictures and len(links) > 10
    for link in (*pictures, *links):
        ours = link.removeprefix(f"{files}/{at}/" if link in pictures else f"{home}/blob/{at}/")
        assert ours != link or link == "https://rustup.rs", link
        assert ours == link or (ROOT / ours).exists(), link
    assert all(url.startswith(home) for url in metadata.urls.values())


def test_citation_and_package_have_one_description_and_the_same_licences() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert citation["abstract"] == project["description"]
    assert citation["authors"] == project["authors"]
    assert " OR ".join(citation["license"]) == project["license"]
    assert all((ROOT / name).is_file() for name in project["license-files"])


def test_classifiers_are_those_that_a_registry_knows() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(project["classifiers"]) <= trove_classifiers.classifiers


def committed(*folders: str) -> set[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *folders],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return set(listed.stdout.rstrip("\0").split("\0"))


@pytest.mark.slow
def test_the_wheel_is_for_a_platform_and_small(wheel: Path) -> None:
    assert re.fullmatch(
        rf"bakeoff-{re.escape(bakeoff.__version__)}-py3-none-manylinux_2_17_(x86_64|aarch64)\.whl",
        wheel.name,
    )
    assert wheel.stat().st_size < SIZE_MAX_MIB * 2**20


@pytest.mark.slow
def test_the_wheel_has_the_package_the_catalogue_the_brick_and_the_engine(wheel: Path) -> None:
    with ZipFile(wheel) as zipped:
        files = {info.filename: info for info in zipped.infolist() if not info.is_dir()}
    bricks = committed("brick/CMakeLists.txt", "brick/include", "brick/src", "brick/yardstick")
    data = {f"bakeoff/data/{name}" for name in committed("catalogue") | bricks}
    more = {"bakeoff/data/volley"}
    metadata = {name for name in files if PurePosixPath(name).parts[0].startswith("bakeoff-")}
    assert files.keys() - metadata == committed("bakeoff") | data | more
    engine = files["bakeoff/data/volley"]
    assert (engine.external_attr >> 16) & stat.S_IXOTH
    assert any(name.endswith("data/share/man/man1/bakeoff.1") for name in metadata)
    licences = {PurePosixPath(name).name for name in metadata if "/licenses/" in name}
    assert licences == {"LICENSE-APACHE", "LICENSE-MIT"}


@pytest.mark.slow
def test_the_engine_has_no_path_of_the_machine_that_made_it(wheel: Path) -> None:
    with ZipFile(wheel) as zipped:
        engine = zipped.read("bakeoff/data/volley")
    for path in (str(ROOT), str(Path.home())):
        assert path.encode() not in engine


@pytest.mark.slow
def test_the_wheel_for_another_machine_differs_in_the_engine_alone(
    wheel: Path, wheel_elsewhere: Path
) -> None:
    with ZipFile(wheel) as here, ZipFile(wheel_elsewhere) as there:
        own = {info.filename: info.CRC for info in here.infolist()}
        other = {info.filename: info.CRC for info in there.infolist()}
        engine = there.read("bakeoff/data/volley")
    assert own.keys() == other.keys()
    differ = {PurePosixPath(name).name for name in own if own[name] != other[name]}
    assert differ == {"volley", "WHEEL", "RECORD"}
    assert int.from_bytes(engine[18:20], "little") == AARCH64


@pytest.mark.slow
def test_its_engine_runs_there(wheel_elsewhere: Path, tmp_path: Path) -> None:
    emulator = shutil.which("qemu-aarch64")
    if emulator is None:
        pytest.skip("qemu-aarch64 is not installed: apt-get install qemu-user libc6-arm64-cross")
    with ZipFile(wheel_elsewhere) as zipped:
        engine = Path(zipped.extract("bakeoff/data/volley", tmp_path))
    engine.chmod(0o755)
    with ThreadingHTTPServer(("127.0.0.1", 0), Hello) as server:
        Thread(target=server.serve_forever).start()
        try:
            url = f"http://127.0.0.1:{server.server_port}/"
            words = [emulator, "-L", "/usr/aarch64-linux-gnu", str(engine), "load", "--io", "epoll"]
            done = subprocess.run(
                [*words, "-c", "2", "-n", "20", "--expect-body", "Hello", "--json", url],
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
        finally:
            server.shutdown()
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["requests"] == 20


class Hello(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"Hello")

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


@pytest.mark.slow
def test_the_sdist_has_what_the_wheel_is_made_from(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    sources = committed("bakeoff", "catalogue", "engine", "pyproject.toml")
    assert sources <= names
    assert not any("/.out/" in name or "/target/" in name for name in names)
