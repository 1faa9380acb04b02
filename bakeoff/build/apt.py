"""Debian packages: installed where we are root, named where we aren't."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bakeoff.build.commands import run
from bakeoff.model.errors import MissingPiece

APT_TIMEOUT_S = 900
POLICY = Path("/usr/sbin/policy-rc.d")


def install_packages(packages: Sequence[str]) -> None:
    """Install Debian packages. Raises `MissingPiece` with the command where we can't."""
    command = f"apt-get install {' '.join(packages)}"
    if shutil.which("apt-get") is None:
        raise MissingPiece(f"there is no apt-get here; find what brings {', '.join(packages)}")
    if os.geteuid() != 0:
        raise MissingPiece(f"only root can install packages; run: sudo {command}")
    env = {"DEBIAN_FRONTEND": "noninteractive"}
    with _no_service_starts():
        run(["apt-get", "-q", "update"], Path("/"), env, timeout_s=APT_TIMEOUT_S)
        words = ["apt-get", "-q", "install", "-y", "--no-install-recommends", *packages]
        outcome = run(words, Path("/"), env, timeout_s=APT_TIMEOUT_S)
    if outcome.status:
        tail = "\n".join(f"    {line}" for line in outcome.output.splitlines()[-8:])
        raise MissingPiece(f"`{command}` failed with status {outcome.status}:\n{tail}")


@contextmanager
def _no_service_starts() -> Iterator[None]:
    """Debian starts a server when it is installed; one that listens on port 80 isn't ours to leave.

    policy-rc.d is Debian's own switch for that. An administrator's file stays as it is.
    """
    if POLICY.exists():
        yield
        return
    POLICY.write_text("#!/bin/sh\nexit 101\n")
    POLICY.chmod(0o755)
    try:
        yield
    finally:
        POLICY.unlink(missing_ok=True)
