"""Building one contender into `<its folder>/.out`, once per state of its sources and tools."""

import hashlib
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, flock
from pathlib import Path

from bakeoff.build.commands import Outcome, run
from bakeoff.build.requirements import Missing, check_tools
from bakeoff.model.contender import Contender, argument_list, fill
from bakeoff.model.errors import BadFile, ContenderOut, ToolMissing
from bakeoff.model.receipt import Receipt

BUILD_TIMEOUT_S = 900
VERSION_TIMEOUT_S = 20
LOG_LINES = 15
NOT_SOURCES = {".out", "__pycache__", "node_modules", "target"}


def out_folder(folder: Path) -> Path:
    """Where the contender in `folder` is built: `{out}`."""
    return folder / ".out"


def build(contender: Contender, folder: Path) -> Receipt:
    """Build the contender in `folder`, or find it built. Raises `ContenderOut`."""
    tools: dict[str, str] = {}
    for tool, found in check_tools(contender, folder).items():
        if isinstance(found, Missing):
            raise ToolMissing(str(found))
        tools[tool] = found
    if contender.build is None:
        return _receipt(contender, folder, tools, log="", built_s=0.0)
    with _lock(folder):
        return _kept(contender, folder, tools) or _made(contender, folder, tools)


def is_built(contender: Contender, folder: Path) -> bool:
    """Whether a build of just these sources is there; tools are not looked at."""
    if contender.build is None:
        return True
    try:
        receipt = Receipt.read_json(_receipt_path(folder))
    except BadFile:
        return False
    return receipt.source_sha256 == source_sha256(folder)


def source_sha256(folder: Path) -> str:
    """A hash over the names and bytes of all sources in `folder`."""
    total = hashlib.sha256()
    for path in sorted(_sources(folder)):
        total.update(f"{path.relative_to(folder)}\0{path.stat().st_size}\0".encode())
        total.update(path.read_bytes())
    return total.hexdigest()


def _sources(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
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
        receipt.source_sha256 == source_sha256(folder)
        and receipt.tools == tools
        and receipt.commands == tuple(map(tuple, _commands(contender, folder)))
    )
    return receipt if same else None


def _made(contender: Contender, folder: Path, tools: dict[str, str]) -> Receipt:
    """Build from nothing: what an earlier build left could hide a fault of this one."""
    assert contender.build
    out = out_folder(folder)
    began = time.monotonic()
    try:
        if out.exists():
            shutil.rmtree(out)
        out.mkdir()
    except OSError as error:
        raise ContenderOut(f"can't be built into {out}: {error.strerror}") from None
    values = _values(folder)
    env = {key: fill(value, values) for key, value in contender.build.env.items()}
    log = ""
    for words in _commands(contender, folder):
        outcome = run(words, folder, env, timeout_s=BUILD_TIMEOUT_S)
        log += f"$ {' '.join(words)}\n{outcome.output}"
        if outcome.status:
            (out / "build.log").write_text(log)
            raise ContenderOut(_failure(words, outcome, out / "build.log"))
    receipt = _receipt(contender, folder, tools, log=log, built_s=time.monotonic() - began)
    _receipt_path(folder).write_text(receipt.to_json())
    return receipt


def _receipt(
    contender: Contender,
    folder: Path,
    tools: dict[str, str],
    *,
    log: str,
    built_s: float,
) -> Receipt:
    return Receipt(
        name=contender.name,
        version=_version(contender, folder),
        tools=tools,
        source_sha256=source_sha256(folder),
        commands=tuple(map(tuple, _commands(contender, folder))),
        log=log,
        built_s=built_s,
    )


def _commands(contender: Contender, folder: Path) -> list[list[str]]:
    if contender.build is None:
        return []
    return [argument_list(command, _values(folder)) for command in contender.build.command]


def _version(contender: Contender, folder: Path) -> str:
    """What the version command says; an answer is the sign that the build made something."""
    if contender.version is None:
        return ""
    words = argument_list(contender.version.command, _values(folder))
    outcome = run(words, folder, timeout_s=VERSION_TIMEOUT_S)
    if outcome.status:
        raise ContenderOut(
            f"its version command `{' '.join(words)}` failed: {outcome.first_line or 'no output'}"
        )
    return outcome.first_line


def _values(folder: Path) -> dict[str, str]:
    return {"out": str(out_folder(folder)), "here": str(folder)}


def _failure(words: list[str], outcome: Outcome, log: Path) -> str:
    tail = "\n".join(f"    {line}" for line in outcome.output.splitlines()[-LOG_LINES:])
    return (
        f"its build failed: `{' '.join(words)}` ended with status {outcome.status}"
        f" (whole log: {log})\n{tail}"
    )


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """One build at a time in a folder; the lock is on the folder itself and leaves no file."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        flock(descriptor, LOCK_EX)
        yield
    finally:
        os.close(descriptor)
