"""The history's part of a run: of its folder, or of the file of a result."""

import json
import os
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from bakeoff.model.base import Contract
from bakeoff.model.capacity import CapacityReport
from bakeoff.model.errors import BadFile, BadUsage, BakeoffError
from bakeoff.model.history import IndexedRun, began_at, machine_class
from bakeoff.model.machine import Machine
from bakeoff.model.verdict import Verdict
from bakeoff.runs.indexing import Origin, Setting
from bakeoff.runs.run import AnyRun, kind_of, open_run
from bakeoff.runs.stages import Watch
from bakeoff.runs.store import PLAN_FILE, Store
from bakeoff.workers import pool

FOR_A_PROCESS = 100
"""Runs that are worth a process of their own, which reads some hundred in the time that it takes to
start."""
SAID_EACH = 25
"""Runs between two lines of progress."""


def id_of(folder: Path) -> str:
    """The id that a run's folder has in the history. Raises OSError."""
    return sha256((folder / PLAN_FILE).read_bytes()).hexdigest()[:12]


def indexed(run: AnyRun, result: Contract | None = None) -> IndexedRun:
    """The history's part of a run with a `result`; None: of a run that is judged.

    Raises `BadUsage`, `BadFile`.
    """
    plan = json.loads((run.path / PLAN_FILE).read_bytes())
    return _of_result(
        type(run),
        result or run.result,
        path=run.path,
        id_=id_of(run.path),
        machine=run.store.machine(),
        command_line=tuple(_first(plan, "command_line") or ()),
        origins=_origins(plan, run.path),
    )


def indexed_path(path: Path) -> IndexedRun:
    """The same for a run's folder, or for the file of a result. Raises `BadUsage`, `BadFile`."""
    if path.is_dir():
        return indexed(open_run(path))
    kind, result = result_of(path)
    command_line = _first(json.loads(path.read_bytes()), "command_line") or ()
    return _of_result(
        kind,
        result,
        path=path.resolve(),
        id_=sha256(path.read_bytes()).hexdigest()[:12],
        machine=result.machine,  # type: ignore[attr-defined]
        command_line=tuple(command_line),
        origins={},
    )


def result_of(path: Path) -> tuple[type[AnyRun], Contract]:
    try:
        value = json.loads(path.read_bytes())
    except OSError as error:
        raise BadFile(path, None, f"can't be read: {error.strerror}") from None
    except ValueError:
        raise BadFile(path, None, "can't be read as JSON") from None
    kind = kind_of(str(value.get("schema", ""))) if isinstance(value, dict) else None
    if kind is None:
        raise BadFile(path, "schema", "is not that of a run's result")
    return kind, kind.result_type.checked(value, path)


def indexed_or_why(path: Path) -> IndexedRun | str:
    try:
        return indexed_path(path)
    except BakeoffError as error:
        return str(error)


def read_all(
    folders: Iterable[Path], watch: Watch, faults: dict[Path, str]
) -> Iterator[IndexedRun]:
    """Everything below `folders`; `faults` gets the reasons for the rest. Raises `BadUsage`."""
    watch.step("looking for runs")
    paths = list(found_in(folders))
    for done, (path, read) in enumerate(zip(paths, _each_read(paths), strict=True), start=1):
        if isinstance(read, IndexedRun):
            yield read
        else:
            faults[path] = read
        if done % SAID_EACH == 0:
            watch.measured(done, len(paths), f"reading {done:,} of {len(paths):,} runs")


def _each_read(paths: list[Path]) -> Iterator[IndexedRun | str]:
    jobs = min(len(os.sched_getaffinity(0)), len(paths) // FOR_A_PROCESS)
    if jobs < 2:
        yield from map(indexed_or_why, paths)
        return
    with pool(jobs) as workers:
        yield from workers.map(indexed_or_why, paths, chunksize=16)


def found_in(folders: Iterable[Path]) -> Iterator[Path]:
    """Every run's folder below `folders`, and every result's file outside of these.

    Raises `BadUsage`. A run within a run is that run's part, and links are not followed.
    """
    for folder in folders:
        if not folder.is_dir():
            raise BadUsage(f"{folder}: is not a folder; runs are in ./runs, see --out")
        yield from _below(folder)


def _below(folder: Path) -> Iterator[Path]:
    if (folder / PLAN_FILE).exists():
        yield folder
        return
    with os.scandir(folder) as entries:
        inside = sorted(entries, key=lambda entry: entry.name)
    for entry in inside:
        if entry.is_dir(follow_symlinks=False):
            yield from _below(Path(entry.path))
        elif entry.name.endswith(".json") and entry.is_file(follow_symlinks=False):
            path = Path(entry.path)
            if _has_result_schema(path):
                yield path


def _has_result_schema(path: Path) -> bool:
    """By the file's beginning: results are large, and other files of JSON may be large, too."""
    with path.open("rb") as file:
        start = file.read(80)
    name = start.partition(b'"schema":')[2].strip().removeprefix(b'"').partition(b'"')[0]
    return kind_of(name.decode(errors="replace")) is not None


def _of_result(
    kind: type[AnyRun],
    result: Any,
    *,
    path: Path,
    id_: str,
    machine: Machine,
    command_line: tuple[str, ...],
    origins: dict[str, Origin],
) -> IndexedRun:
    assert isinstance(result, Contract)
    of_machine = machine_class(machine)
    races, claims = kind.indexed(result, Setting(of_machine, origins))
    figures = [figure for race in races for figure in race.figures]
    return IndexedRun(
        id=id_,
        name=path.name if path.is_dir() else path.stem,
        path=str(path),
        kind=kind.kind,
        began_at=began_at(machine),
        headline=kind.headline(result),
        valid=any(figure.valid for figure in figures) if figures else True,
        complete=getattr(result, "complete", True),
        machine_class=of_machine,
        machine=machine,
        bakeoff=machine.bakeoff,
        method=_method(kind.result_type),
        command_line=command_line,
        races=races,
        claims=claims,
    )


def _method(result: type[Contract]) -> str:
    """The schema that says how the ratios were made: a capacity's own, else a verdict's."""
    judged = result if result is CapacityReport else Verdict
    schema: str = judged.model_fields["schema_"].default
    return schema


def _origins(plan: Any, folder: Path) -> dict[str, Origin]:
    """The origins of the entries, by their names: from the plan, wherever it has them."""
    sources = _sources(folder)
    found: dict[str, Origin] = {}
    for entry in _all(plan, "entries"):
        contender = entry.get("contender") or {}
        own = entry.get("origin") in ("folder", "command")
        name = contender.get("name")
        if entry.get("origin") == "command":
            # All commands have the same name by their contender, and so would be one line.
            name = (entry.get("twin_of") or entry["name"]).removesuffix(f" {entry.get('protocol')}")
        found[entry["name"]] = Origin(
            contender=name or entry["name"],
            language=contender.get("language", ""),
            folder=str(entry.get("folder") or "") if own else "",
            source=sources.get(entry["name"], ""),
        )
    return found


def _sources(folder: Path) -> dict[str, str]:
    """The hash of each entry's sources, from the receipts of the run and of its parts."""
    files = [folder / "receipts.json", *folder.glob("*/receipts.json")]
    receipts = [Store(file.parent).receipts() for file in files if file.exists()]
    return {name: receipt.source_sha256 for some in receipts for name, receipt in some.items()}


def _all(value: Any, key: str) -> Iterator[Any]:
    """The members of each list called `key`, at any place in a value of JSON."""
    if isinstance(value, dict):
        if isinstance(value.get(key), list):
            yield from value[key]
        for inner in value.values():
            yield from _all(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from _all(inner, key)


def _first(value: Any, key: str) -> Any:
    """The first value called `key`, at any place in a value of JSON."""
    if isinstance(value, dict):
        if key in value:
            return value[key]
        value = list(value.values())
    if isinstance(value, list):
        return next((found for inner in value if (found := _first(inner, key)) is not None), None)
    return None
