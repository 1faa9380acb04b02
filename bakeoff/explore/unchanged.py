"""The sources of a site's page as a hash: while it is the same, the page stays.

Most of a site's pages are those of runs and of comparisons. They are made of runs' files, which
seldom change; the others are few, and show the newest runs.
"""

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from bakeoff.explore import address as to
from bakeoff.explore.address import Address
from bakeoff.explore.views.run import found, run_before
from bakeoff.history.index import Index

CODE = (".py", ".html", ".css", ".svg", ".js")


def maker(url: str) -> str:
    """A hash of our code, and of the site's future address: another address makes other pages, and
    no page of an older bakeoff stays beside those of a newer one."""
    package = Path(str(files("bakeoff")))
    made = sha256(url.encode())
    for path in sorted(package.rglob("*")):
        if path.suffix in CODE:
            made.update(str(path.relative_to(package)).encode() + b"\0" + path.read_bytes())
    return made.hexdigest()[:12]


@dataclass(frozen=True)
class Grounds:
    """The sources of an index's pages; each run's files are read once."""

    index: Index
    known: dict[str, str] = field(default_factory=dict)

    @cached_property
    def _paths(self) -> dict[str, str]:
        return self.index.paths()

    def of(self, address: Address) -> str:
        match address.parts:
            case ("run", run):
                indexed = found(self.index, (run,))
                before = None if address.asked("part") else run_before(self.index, indexed)
                led_to = before.model_dump_json(include=_SHOWN_OF_BEFORE) if before else ""
                return _hash(to.live(address), self._run(indexed.path), led_to)
            case ("two", before, after) if {before, after} <= self._paths.keys():
                runs = (self._run(self._paths[run]) for run in (before, after))
                return _hash(to.live(address), *runs)
        return ""

    def _run(self, path: str) -> str:
        if path not in self.known:
            self.known[path] = _of_run(path)
        return self.known[path]


_SHOWN_OF_BEFORE = {"id", "began_at", "headline"}


def _of_run(path: str) -> str:
    """A run's files; for samples, which may be many, their size and time."""
    run = Path(path)
    if run.is_file():
        return _hash(run.read_bytes())
    parts: list[str | bytes] = []
    for file in sorted(run.rglob("*.json*")):
        parts.append(str(file.relative_to(run)))
        if file.suffix == ".json":
            parts.append(file.read_bytes())
        else:
            known = file.stat()
            parts.append(f"{known.st_size} {known.st_mtime_ns}")
    return _hash(*parts)


def _hash(*parts: str | bytes) -> str:
    made = sha256()
    for part in parts:
        content = part.encode() if isinstance(part, str) else part
        made.update(f"{len(content)}:".encode() + content)
    return made.hexdigest()[:16]
