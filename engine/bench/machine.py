"""What the figures depend on: the machine, and the programs' versions."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from generators import ENGINE


def machine() -> dict[str, object]:
    """The facts."""
    cpuinfo = Path("/proc/cpuinfo").read_text()
    models = re.findall(r"^model name\s*:\s*(.+)$", cpuinfo, re.M)
    return {
        "kernel": platform.release(),
        "cpu": models[0] if models else "unknown",
        "cores": os.cpu_count(),
        "nice": os.nice(0),
        "autogroup": Path("/proc/self/autogroup").read_text().strip(),
        "load_average": os.getloadavg(),
        "somaxconn": int(Path("/proc/sys/net/core/somaxconn").read_text()),
    }


# How a program is asked for its version.
ASKED = {
    "volley": "--version",
    "wrk": "-v",
    "wrk2": "-v",
    "h2load": "--version",
    "oha": "--version",
    "ghz": "--version",
    "node": "--version",
    "k6": "version",
    "nginx": "-v",
    "taskset": "--version",
}

NO_PACKAGE = "wrk2", "gcannon", "load_test", "k6"


def how_to_have(program: str) -> str:
    """How to install or build a program that is missing."""
    if Path(program).name in NO_PACKAGE:
        return "no package has it as it is needed: build it, and put it on the PATH by that name"
    return "`make bench` or `make streams-bench` installs or builds it"


def versions(programs: Iterable[str]) -> dict[str, str]:
    """Of programs, by name or path. Ends here if one is missing, and not after minutes."""
    for program in programs:
        if shutil.which(program) is None:
            sys.exit(f"{program} is missing: {how_to_have(program)}")
    named = {Path(program).name: program for program in programs}
    return {
        "commit": said("git", "-C", str(ENGINE), "rev-parse", "HEAD"),
        "python": platform.python_version(),
        **{name: said(named[name], flag) for name, flag in ASKED.items() if name in named},
    }


def said(*command: str) -> str:
    """The first line that a program prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).splitlines()[0]
