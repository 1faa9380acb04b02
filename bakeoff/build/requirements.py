"""Whether the tools that a contender needs are on this machine."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from bakeoff.build.commands import run
from bakeoff.command import NEVER
from bakeoff.model.contender import Contender, argument_list

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
