"""Whether the tools that a contender needs are here, and the Debian packages that bring them."""

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from bakeoff.build.commands import Outcome, locked, run
from bakeoff.command import NEVER
from bakeoff.keeper import ledger
from bakeoff.model.contender import Contender, argument_list
from bakeoff.model.errors import MissingPiece

CHECK_TIMEOUT_S = 20


@dataclass(frozen=True)
class Missing:
    """A tool that is not installed, and the Debian packages that bring it."""

    tool: str
    check: str
    apt: tuple[str, ...]

    def __str__(self) -> str:
        fix = f": apt-get install {' '.join(self.apt)}" if self.apt else f" (`{self.check}` fails)"
        return f"needs {self.tool}{fix}"


def missing_tools(contender: Contender, folder: Path) -> list[Missing]:
    checked = check_tools(contender, folder).values()
    return [tool for tool in checked if isinstance(tool, Missing)]


def check_tools(
    contender: Contender, folder: Path, stop: Event = NEVER
) -> dict[str, str | Missing]:
    """Tool → the first line that its check printed, or `Missing`."""
    checked: dict[str, str | Missing] = {}
    for tool, requirement in contender.requires.items():
        argv = argument_list(requirement.check, {"here": str(folder)})
        outcome = run(argv, folder, timeout_s=CHECK_TIMEOUT_S, stop=stop)
        checked[tool] = (
            Missing(tool, requirement.check, requirement.apt)
            if outcome.status
            else outcome.first_line
        )
    return checked


def packages(missing: Iterable[Missing]) -> list[str]:
    """The Debian packages that bring all of `missing`, each once, sorted."""
    return sorted({package for tool in missing for package in tool.apt})


APT_TIMEOUT_S = 900
LOCK_TIMEOUT_S = 120
"""How long to wait for another apt-get: a fresh machine often upgrades itself."""
POLICY = Path("/usr/sbin/policy-rc.d")
FORBIDS = "#!/bin/sh\n# Of bakeoff, while it installs servers.\nexit 101\n"


def install_packages(packages: Sequence[str]) -> dict[str, str]:
    """Install Debian packages. Returns those that can't be installed, with apt-get's reason.

    Raises `MissingPiece` with the command to run if we can't install anything.
    """
    command = f"apt-get install {' '.join(packages)}"
    if shutil.which("apt-get") is None:
        raise MissingPiece(f"this machine has no apt-get; install {', '.join(packages)} yourself")
    if os.geteuid() != 0:
        raise MissingPiece(f"only root can install packages; run: sudo {command}")
    # One bakeoff at a time: the second would find the policy of the first and lose it.
    with locked(POLICY.parent), _no_service_starts():
        _apt_get("update")
        if not _install(packages).status:
            return {}
        # apt-get installs all or none: one unknown name fails all the others.
        outcomes = {package: _install([package]) for package in packages}
    return {name: _reason(outcome) for name, outcome in outcomes.items() if outcome.status}


def _install(packages: Sequence[str]) -> Outcome:
    wait = f"DPkg::Lock::Timeout={LOCK_TIMEOUT_S}"
    return _apt_get("-o", wait, "install", "-y", "--no-install-recommends", *packages)


def _apt_get(*arguments: str) -> Outcome:
    env = {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    return run(["apt-get", "-q", *arguments], Path("/"), env, timeout_s=APT_TIMEOUT_S)


def _reason(outcome: Outcome) -> str:
    lines = [line.strip() for line in outcome.output.splitlines() if line.strip()]
    faults = [line.removeprefix("E: ") for line in lines if line.startswith("E: ")]
    return (faults or lines[-1:] or [f"apt-get ended with status {outcome.status}"])[0]


@contextmanager
def _no_service_starts() -> Iterator[None]:
    """Keep Debian from starting a server that it installs; it would stay, on port 80 say.

    policy-rc.d is Debian's own switch for that. An administrator's file is left alone.
    """
    if POLICY.exists():
        yield
        return
    with ledger.entered(files={str(POLICY): FORBIDS}):
        POLICY.write_text(FORBIDS)
        POLICY.chmod(0o755)
        try:
            yield
        finally:
            POLICY.unlink(missing_ok=True)
