"""What `make dist` made, and somebody who has that alone."""

import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

import pytest

ROOT = Path(__file__).parents[2]
NOBODY = 65534
INSTALL_S = 600
PATHS = ("/usr/local/go/bin", "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin")
"""Where programs are that an ordinary user finds: not where root's own tools are."""
HIDE = """
mount -t tmpfs none "$1" && shift && exec setpriv --reuid 65534 --regid 65534 --clear-groups -- "$@"
"""


@dataclass(frozen=True)
class Stranger:
    """An ordinary user in a home of his own, who sees our clone as an empty folder."""

    home: Path
    env: dict[str, str] = field(default_factory=dict)

    def words(self, *words: str | Path) -> list[str | Path]:
        """A command as he runs it."""
        return ["unshare", "--mount", "sh", "-c", HIDE, "sh", ROOT, *words]

    def run(
        self,
        *words: str | Path,
        timeout_s: float = 120,
        status: int = 0,
        env: Mapping[str, str] = MappingProxyType({}),
    ) -> "subprocess.CompletedProcess[str]":
        """Run a program to its end, which has to be `status`."""
        done = subprocess.run(
            self.words(*words),
            cwd=self.home,
            env={**self.env, **env},
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done

    def install(
        self,
        folder: str,
        *wanted: str,
        python: str | Path = "python3",
        env: Mapping[str, str] = MappingProxyType({}),
    ) -> Path:
        """Put packages into a new environment in `folder` of the home; returns its scripts."""
        self.run(python, "-m", "venv", folder, env=env)
        scripts = self.home / folder / "bin"
        self.run(scripts / "pip", "install", "--quiet", *wanted, env=env, timeout_s=INSTALL_S)
        return scripts


@pytest.fixture(scope="session")
def wheel() -> Path:
    """The wheel for machines like this one."""
    return made(f"*_{platform.machine()}.whl")


@pytest.fixture(scope="session")
def wheel_elsewhere() -> Path:
    """The wheel for 64-bit ARM, where this machine is none."""
    if platform.machine() == "aarch64":
        pytest.skip("this machine is an aarch64 itself")
    return made("*_aarch64.whl")


@pytest.fixture(scope="session")
def sdist() -> Path:
    return made("*.tar.gz")


def made(pattern: str) -> Path:
    found = sorted((ROOT / "dist").glob(pattern))
    if not found:
        pytest.skip("there is nothing in dist/: `make dist` builds what is tested here")
    return found[-1]


@pytest.fixture(scope="session")
def stranger(wheel: Path) -> Iterator[Stranger]:
    """With the wheel in his home."""
    if os.geteuid() != 0:
        pytest.skip("only root can become an ordinary user who can't read this clone")
    if subprocess.run(["unshare", "--mount", "true"], check=False).returncode:
        pytest.skip("this machine lets nobody mount, so the clone can't be hidden")
    home = Path(tempfile.mkdtemp(prefix="bakeoff-dist-"))
    home.chmod(0o755)
    shutil.copy(wheel, home)
    own = {key: value for key, value in os.environ.items() if key.startswith(("PIP_", "UV_"))}
    path = os.pathsep.join(PATHS)
    try:
        for each in (home, home / wheel.name):
            os.chown(each, NOBODY, NOBODY)
        yield Stranger(home, {"HOME": str(home), "PATH": path, "LANG": "C.UTF-8", **own})
    finally:
        shutil.rmtree(home)


@pytest.fixture(scope="session")
def installed(stranger: Stranger, wheel: Path) -> Path:
    """The scripts folder of a bare environment with the wheel, in which nothing can be written."""
    python = shutil.which("python3", path=stranger.env["PATH"])
    recent = "import sys, ensurepip; sys.exit(sys.version_info < (3, 11))"
    if python is None or subprocess.run([python, "-c", recent], check=False).returncode:
        pytest.skip("the system has no Python 3.11 with venv, which an ordinary user could use")
    scripts = stranger.install("venv", wheel.name, python=python)
    stranger.run("chmod", "-R", "a-w", "venv")
    return scripts


@pytest.fixture(params=["3.12", "3.13", "3.14"])
def later_python(request: pytest.FixtureRequest, stranger: Stranger) -> Iterator[Path]:
    """A Python later than the oldest that will do: on the PATH, or one of pyenv's."""
    name = f"python{request.param}"
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    kept = sorted((pyenv / "versions").glob(f"{request.param}.*/bin/{name}"))
    known = shutil.which(name, path=stranger.env["PATH"])
    if known:
        yield Path(known)
    elif kept:
        # Its folder may be one that the ordinary user can't enter.
        own = stranger.home / name
        shutil.copytree(
            kept[-1].parents[1], own, symlinks=True, ignore=shutil.ignore_patterns("test", "*.a")
        )
        yield own / "bin" / name
        shutil.rmtree(own)
    else:
        pytest.skip(f"neither the PATH nor pyenv has {name}")
