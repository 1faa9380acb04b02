"""Building one contender into its `{out}`, once per state of its sources and tools."""

import hashlib
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event

from bakeoff import installation
from bakeoff.build.commands import Outcome, locked, run
from bakeoff.build.requirements import Missing, check_tools
from bakeoff.command import NEVER
from bakeoff.model.contender import Contender, argument_list, fill
from bakeoff.model.errors import BadFile, ContenderOut, ToolMissing
from bakeoff.model.receipt import Receipt

COMMAND_TIMEOUT_S = 1800
"""The limit of one command: a cold Rust build takes minutes on two cores that others use too."""
VERSION_TIMEOUT_S = 20
LOG_LINES = 15
CAUSES = (
    (
        r"name resolution|name or service not known|resolve host|no such host|unknown host|"
        r"enotfound|eai_again|network is unreachable",
        "this machine seems to be offline, and a first build downloads what it needs",
    ),
    (
        r"fatal error: python\.h",
        "Python's headers are missing; install them, as with: sudo apt-get install python3-dev",
    ),
)
"""Pattern of a log, in lower case → the sentence about it."""
NOT_SOURCES = {".git", ".out", ".venv", "__pycache__", "node_modules", "target"}


def out_folder(folder: Path) -> Path:
    """Where the contender in `folder` is built, `{out}`: in it, or in the cache if it came with a
    wheel, whose folders may belong to another user."""
    if folder.is_relative_to(installation.DATA):
        return installation.cache_folder() / "contenders" / folder.name / "out"
    return folder / ".out"


def build(
    contender: Contender,
    folder: Path,
    *,
    begins: Callable[[], object] = lambda: None,
    stop: Event = NEVER,
) -> Receipt:
    """Build the contender in `folder` unless it is built already. Raises `ContenderOut`.

    `begins` is called before the first command, if there is something to build. A build that is
    cut off, by `stop` (see `command.run`) or by Ctrl-C, leaves nothing behind.
    """
    return _Build(contender, folder, stop).receipt(begins)


def is_built(contender: Contender, folder: Path) -> bool:
    """Whether `build` would build nothing, also where it lacks a tool."""
    return contender.build is None or _Build(contender, folder, NEVER).kept() is not None


def source_sha256(contender: Contender, folder: Path) -> str:
    """A hash of the names and bytes of all files in `folder`, and of `sources` outside of it."""
    total = hashlib.sha256()
    beside = contender.build.sources if contender.build else ()
    for root in (folder, *(folder / source for source in beside)):
        for path in sorted(source_files(root)):
            total.update(f"{os.path.relpath(path, folder)}\0{path.stat().st_size}\0".encode())
            total.update(path.read_bytes())
    return total.hexdigest()


def source_files(top: Path) -> Iterator[Path]:
    """Every file below `top` except the output of builds; `top` itself if it is a file."""
    if top.is_file():
        yield top
    for root, folders, files in os.walk(top):
        folders[:] = [
            name for name in folders if name not in NOT_SOURCES and not has_runs(Path(root, name))
        ]
        # In a worktree .git is a file, which names the repository.
        sources = (Path(root, name) for name in files if name not in NOT_SOURCES)
        yield from (path for path in sources if path.is_file())


def has_runs(folder: Path) -> bool:
    """Whether races put their runs there: `bakeoff race .` does so in the contender's folder."""
    return (folder / "latest").is_symlink()


def _kept(folder: Path) -> Receipt | None:
    try:
        return Receipt.read_json(out_folder(folder) / "receipt.json")
    except BadFile:
        return None


class _Build:
    """The build of one contender, or nothing if it needs no build."""

    def __init__(self, contender: Contender, folder: Path, stop: Event) -> None:
        self._contender, self._folder, self._stop = contender, folder, stop
        self._out = out_folder(folder)
        self._values = {"out": str(self._out), "here": str(folder)}
        commands = contender.build.command if contender.build else ()
        self._commands = tuple(tuple(argument_list(line, self._values)) for line in commands)
        self._tools: dict[str, str] = {}
        self._log = ""

    def kept(self) -> Receipt | None:
        """The receipt of a build of these sources, by these commands and by the tools of today."""
        kept = _kept(self._folder)
        if (
            kept is None
            or kept.commands != self._commands
            or kept.source_sha256 != source_sha256(self._contender, self._folder)
        ):
            return None
        tools = check_tools(self._contender, self._folder, self._stop)
        lacks_one = any(isinstance(version, Missing) for version in tools.values())
        return kept if lacks_one or kept.tools == tools else None

    def receipt(self, begins: Callable[[], object]) -> Receipt:
        for tool, version in check_tools(self._contender, self._folder, self._stop).items():
            if isinstance(version, Missing):
                raise ToolMissing(str(version))
            self._tools[tool] = version
        if self._contender.build is None:
            return self._made(built_s=0.0)
        for source in self._contender.build.sources:
            if not (path := self._folder / source).exists():
                raise ContenderOut(
                    f"its build reads {source}, which is not there: {path.resolve()}; "
                    "sources of [build] are relative to the contender's folder"
                )
        try:
            self._out.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._cannot_build(error) from None
        # Two installations may share a cache, so the lock is not on the contender's folder.
        with locked(self._out.parent, self._stop):
            if kept := self.kept():
                return kept
            begins()
            return self._build_from_nothing(self._contender.build.env)

    def _build_from_nothing(self, env: dict[str, str]) -> Receipt:
        """Files of an earlier build could hide a fault of this one, so they are removed first."""
        began_s = time.monotonic()
        self._empty_out()
        try:
            self._run_commands({key: fill(value, self._values) for key, value in env.items()})
            receipt = self._made(built_s=time.monotonic() - began_s)
            (self._out / "receipt.json").write_text(receipt.to_json())
        except OSError as error:
            raise self._cannot_build(error) from None
        except BaseException:
            # Half of a build is useless and may be large. On a full disk the log is lost.
            self._empty_out()
            with suppress(OSError):
                (self._out / "build.log").write_text(self._log)
            raise
        return receipt

    def _cannot_build(self, error: OSError) -> ContenderOut:
        fault = f"can't be built into {self._out}: {error.strerror}"
        if self._out.is_relative_to(installation.cache_folder()):
            fault += "; set XDG_CACHE_HOME to a folder that can be written, with room in it"
        return ContenderOut(fault)

    def _empty_out(self) -> None:
        try:
            if self._out.exists():
                shutil.rmtree(self._out)
            self._out.mkdir()
        except OSError as error:
            raise self._cannot_build(error) from None

    def _run_commands(self, env: dict[str, str]) -> None:
        for argv in self._commands:
            outcome = run(argv, self._folder, env, timeout_s=COMMAND_TIMEOUT_S, stop=self._stop)
            self._log += f"$ {' '.join(argv)}\n{outcome.output}"
            if outcome.status:
                raise ContenderOut(_failure(argv, outcome, self._out / "build.log"))

    def _made(self, built_s: float) -> Receipt:
        return Receipt(
            name=self._contender.name,
            version=self._version(),
            tools=self._tools,
            source_sha256=source_sha256(self._contender, self._folder),
            commands=self._commands,
            log=self._log,
            built_s=built_s,
        )

    def _version(self) -> str:
        """The version command's output; if it fails, the build made nothing that works."""
        if self._contender.version is None:
            return ""
        argv = argument_list(self._contender.version.command, self._values)
        outcome = run(argv, self._folder, timeout_s=VERSION_TIMEOUT_S, stop=self._stop)
        if outcome.status:
            said = outcome.first_line or "no output"
            raise ContenderOut(f"its version command `{' '.join(argv)}` failed: {said}")
        return outcome.first_line


def _failure(argv: tuple[str, ...], outcome: Outcome, log: Path) -> str:
    tail = "\n".join(f"    {line}" for line in outcome.output.splitlines()[-LOG_LINES:])
    how = (
        f"did not end within {COMMAND_TIMEOUT_S // 60} minutes, the most that a command may take; "
        "setup --jobs 1 leaves it the machine to itself"
        if outcome.timed_out
        else f"ended with status {outcome.status}"
    )
    causes = [cause for pattern, cause in CAUSES if re.search(pattern, outcome.output, re.I)]
    why = "".join(f"{cause}: " for cause in causes[:1])
    return f"its build failed: {why}`{' '.join(argv)}` {how} (whole log: {log})\n{tail}"
