"""Whether the tools that a contender needs are on this machine."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from bakeoff.build.commands import NEVER, run
from bakeoff.model.contender import Contender, argument_list

CHECK_TIMEOUT_S = 20


@dataclass(frozen=True)
class Missing:
    """A tool that isn't there, and the Debian packages that bring it."""

    tool: str
    check: str
    apt: tuple[str, ...]

    def __str__(self) -> str:
        mend = f": apt-get install {' '.join(self.apt)}" if self.apt else f" (`{self.check}` fails)"
        return f"needs {self.tool}{mend}"


def missing_tools(contender: Contender, folder: Path) -> list[Missing]:
    """The tools of [requires] whose check fails here."""
    checked = check_tools(contender, folder)
    return [one for one in checked.values() if isinstance(one, Missing)]


def check_tools(
    contender: Contender, folder: Path, stop: Event = NEVER
) -> dict[str, str | Missing]:
    """Per tool what its check printed first, or that it is missing."""
    found: dict[str, str | Missing] = {}
    for tool, requirement in contender.requires.items():
        words = argument_list(requirement.check, {"here": str(folder)})
        outcome = run(words, folder, timeout_s=CHECK_TIMEOUT_S, stop=stop)
        found[tool] = (
            Missing(tool, requirement.check, requirement.apt)
            if outcome.status
            else outcome.first_line
        )
    return found


def packages(missing: Iterable[Missing]) -> list[str]:
    """The Debian packages that bring all that is missing, each once, sorted."""
    return sorted({package for one in missing for package in one.apt})
