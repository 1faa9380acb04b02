"""Building one contender into `<its folder>/.out`, once per state of its sources and tools."""

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

from bakeoff.build.commands import NEVER, Outcome, run
from bakeoff.build.lock import locked
from bakeoff.build.requirements import Missing, check_tools
from bakeoff.model.contender import Contender, argument_list, fill
from bakeoff.model.errors import BadFile, ContenderOut, ToolMissing
from bakeoff.model.receipt import Receipt

COMMAND_TIMEOUT_S = 1800
"""The most for one command: a cold Rust build takes minutes on two cores that others use too."""
VERSION_TIMEOUT_S = 20
LOG_LINES = 15
NOT_SOURCES = {".out", "__pycache__", "node_modules", "target"}


def out_folder(folder: Path) -> Path:
    """Where the contender in `folder` is built: `{out}`."""
    return folder / ".out"


def build(
    contender: Contender,
    folder: Path,
    *,
    begins: Callable[[], object] = lambda: None,
    stop: Event = NEVER,
) -> Receipt:
    """Build the contender in `folder`, or find it built. Raises `ContenderOut`.

    `begins` is called before the first command, where there is something to build. What is cut
    off, by `stop` (see `run`) or by Ctrl-C, leaves no build behind.
    """
    tools: dict[str, str] = {}
    for tool, found in check_tools(contender, folder, stop).items():
        if isinstance(found, Missing):
            raise ToolMissing(str(found))
        tools[tool] = found
    if contender.build is None:
        return _receipt(contender, folder, tools, stop, log="", built_s=0.0)
    for source in contender.build.sources:
        if not (folder / source).exists():
            raise ContenderOut(
                f"its build reads {source}, which is not there: {(folder / source).resolve()}; "
                "sources of [build] are relative to the contender's folder"
            )
    with locked(folder, stop):
        if kept := _kept(contender, folder, tools):
            return kept
        begins()
        return _made(contender, folder, tools, stop)


def is_built(contender: Contender, folder: Path) -> bool:
    """Whether a build of just these sources is there; tools are not looked at."""
    if contender.build is None:
        return True
    try:
        receipt = Receipt.read_json(_receipt_path(folder))
    except BadFile:
        return False
    return receipt.source_sha256 == source_sha256(contender, folder)


def source_sha256(contender: Contender, folder: Path) -> str:
    """A hash over the names and bytes of all sources in `folder`, and of those it names beside."""
    total = hashlib.sha256()
    beside = contender.build.sources if contender.build else ()
    for place in (folder, *(folder / source for source in beside)):
        for path in sorted(_sources(place)):
            total.update(f"{os.path.relpath(path, folder)}\0{path.stat().st_size}\0".encode())
            total.update(path.read_bytes())
    return total.hexdigest()


def _sources(place: Path) -> Iterator[Path]:
    """Every file in a folder, but what builds make; or the one file that `place` is."""
    if place.is_file():
        yield place
    for root, folders, files in os.walk(place):
        folders[:] = [name for name in folders if name not in NOT_SOURCES]
        yield from (path for name in files if (path := Path(root, name)).is_file())


def _receipt_path(folder: Path) -> Path:
    return out_folder(folder) / "receipt.json"


def _kept(contender: Contender, folder: Path, tools: dict[str, str]) -> Receipt | None:
    """The receipt of an earlier build, where sources, commands and tools are what they were."""
    try:
        receipt = Receipt.read_json(_receipt_path(folder))
    except BadFile:
        return None
    same = (
        receipt.source_sha256 == source_sha256(contender, folder)
        and receipt.tools == tools
        and receipt.commands == tuple(map(tuple, _commands(contender, folder)))
    )
    return receipt if same else None


def _made(contender: Contender, folder: Path, tools: dict[str, str], stop: Event) -> Receipt:
    """Build from nothing: what an earlier build left could hide a fault of this one."""
    began_s = time.monotonic()
    log: list[str] = []
    _emptied(out_folder(folder))
    try:
        _run_commands(contender, folder, log, stop)
        text, built_s = "".join(log), time.monotonic() - began_s
        receipt = _receipt(contender, folder, tools, stop, log=text, built_s=built_s)
        _receipt_path(folder).write_text(receipt.to_json())
    except OSError as error:
        raise ContenderOut(f"can't be built into {out_folder(folder)}: {error.strerror}") from None
    except BaseException:
        # Half a build is of no use, and may be large.
        _emptied(out_folder(folder))
        _log_path(folder).write_text("".join(log))
        raise
    return receipt


def _emptied(out: Path) -> None:
    try:
        if out.exists():
            shutil.rmtree(out)
        out.mkdir()
    except OSError as error:
        raise ContenderOut(f"can't be built into {out}: {error.strerror}") from None


def _run_commands(contender: Contender, folder: Path, log: list[str], stop: Event) -> None:
    """Run the build's commands; what they say is in `log`, whatever happens."""
    assert contender.build
    values = _values(folder)
    env = {key: fill(value, values) for key, value in contender.build.env.items()}
    for words in _commands(contender, folder):
        outcome = run(words, folder, env, timeout_s=COMMAND_TIMEOUT_S, stop=stop)
        log.append(f"$ {' '.join(words)}\n{outcome.output}")
        if outcome.status:
            raise ContenderOut(_failure(words, outcome, _log_path(folder)))


def _log_path(folder: Path) -> Path:
    return out_folder(folder) / "build.log"


def _receipt(
    contender: Contender,
    folder: Path,
    tools: dict[str, str],
    stop: Event,
    *,
    log: str,
    built_s: float,
) -> Receipt:
    return Receipt(
        name=contender.name,
        version=_version(contender, folder, stop),
        tools=tools,
        source_sha256=source_sha256(contender, folder),
        commands=tuple(map(tuple, _commands(contender, folder))),
        log=log,
        built_s=built_s,
    )


def _commands(contender: Contender, folder: Path) -> list[list[str]]:
    if contender.build is None:
        return []
    return [argument_list(command, _values(folder)) for command in contender.build.command]


def _version(contender: Contender, folder: Path, stop: Event) -> str:
    """What the version command says; an answer is the sign that the build made something."""
    if contender.version is None:
        return ""
    words = argument_list(contender.version.command, _values(folder))
    outcome = run(words, folder, timeout_s=VERSION_TIMEOUT_S, stop=stop)
    if outcome.status:
        raise ContenderOut(
            f"its version command `{' '.join(words)}` failed: {outcome.first_line or 'no output'}"
        )
    return outcome.first_line


def _values(folder: Path) -> dict[str, str]:
    return {"out": str(out_folder(folder)), "here": str(folder)}


def _failure(words: list[str], outcome: Outcome, log: Path) -> str:
    tail = "\n".join(f"    {line}" for line in outcome.output.splitlines()[-LOG_LINES:])
    how = (
        f"did not end within {COMMAND_TIMEOUT_S // 60} minutes, the most that a command may take; "
        "setup --jobs 1 leaves it the machine to itself"
        if outcome.timed_out
        else f"ended with status {outcome.status}"
    )
    return f"its build failed: `{' '.join(words)}` {how} (whole log: {log})\n{tail}"
