"""Whether the tools that a contender needs are installed, and the Debian packages that contain
them."""

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock

from bakeoff.build.commands import Outcome, locked, run
from bakeoff.command import NEVER
from bakeoff.keeper import ledger
from bakeoff.model.contender import Contender, Requirement, argument_list
from bakeoff.model.errors import MissingPiece

CHECK_TIMEOUT_S = 20
CHECKS_AT_A_TIME = 8
Check = tuple[tuple[str, ...], Path]
_SUCCEEDED: dict[Check, Outcome] = {}
_LOCKS: dict[Check, Lock] = {}
"""Of two builds at a time, one waits for the check of the other."""


@dataclass(frozen=True)
class Missing:
    """A tool that is not installed, and the Debian packages that contain it."""

    tool: str
    check: str
    apt: tuple[str, ...]

    def __str__(self) -> str:
        fix = f": apt-get install {' '.join(self.apt)}" if self.apt else f" (`{self.check}` fails)"
        return f"needs {self.tool}{fix}"


def missing_tools(several: Sequence[tuple[Contender, Path]]) -> list[list[Missing]]:
    """The tools that each of `several` contenders lacks. Checks run in parallel, equal ones
    once."""
    checks = {
        _check(requirement, folder)
        for one, folder in several
        for requirement in one.requires.values()
    }
    stop = Event()
    with ThreadPoolExecutor(CHECKS_AT_A_TIME) as pool:
        try:
            outcomes = dict(
                zip(checks, pool.map(lambda check: _outcome(check, stop), checks), strict=True)
            )
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    return [
        [
            Missing(tool, requirement.check, requirement.apt)
            for tool, requirement in contender.requires.items()
            if outcomes[_check(requirement, folder)].status
        ]
        for contender, folder in several
    ]


def check_tools(
    contender: Contender, folder: Path, stop: Event = NEVER
) -> dict[str, str | Missing]:
    """Tool → the first line that its check printed, or `Missing`."""
    checked: dict[str, str | Missing] = {}
    for tool, requirement in contender.requires.items():
        outcome = _outcome(_check(requirement, folder), stop)
        checked[tool] = (
            Missing(tool, requirement.check, requirement.apt)
            if outcome.status
            else outcome.first_line
        )
    return checked


def _check(requirement: Requirement, folder: Path) -> Check:
    """The command of a check, and its folder: any folder, if it names no file of the
    contender's."""
    argv = tuple(argument_list(requirement.check, {"here": str(folder)}))
    return argv, folder if any((folder / word).exists() for word in argv) else Path("/")


def _outcome(check: Check, stop: Event) -> Outcome:
    """How a check ended. An installed tool stays installed for as long as this process lives."""
    with _LOCKS.setdefault(check, Lock()):
        if check not in _SUCCEEDED:
            outcome = run(*check, timeout_s=CHECK_TIMEOUT_S, stop=stop)
            if outcome.status:
                return outcome
            _SUCCEEDED[check] = outcome
        return _SUCCEEDED[check]


def packages(missing: Iterable[Missing]) -> list[str]:
    """The Debian packages that contain all of `missing`, each once, sorted."""
    return sorted({package for tool in missing for package in tool.apt})


APT_TIMEOUT_S = 900
LOCK_TIMEOUT_S = 120
"""How long to wait for another apt-get: a fresh machine often upgrades itself."""
POLICY = Path("/usr/sbin/policy-rc.d")
FORBIDS = "#!/bin/sh\n# Of bakeoff, while it installs servers.\nexit 101\n"


def install_packages(packages: Sequence[str]) -> dict[str, str]:
    """Install Debian packages. Returns those that can't be installed, with apt-get's reason.

    Raises `MissingPiece` with the command to run if nothing can be installed.
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
        # apt-get installs all or none: one unknown name makes all the others fail.
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
    """Prevent Debian from starting an installed server, which would stay, for instance on port 80.

    policy-rc.d is Debian's own switch for that. An administrator's file is not changed.
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
