"""Runs in the history: each is added when it ends, and all can be again from their folders."""

import json
import os
import time
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import closing, suppress
from hashlib import sha256
from math import log, sqrt
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, TypeVar

from bakeoff import history
from bakeoff.history.place import default_url, user_data
from bakeoff.model.base import Contract
from bakeoff.model.capacity import CapacityReport
from bakeoff.model.earlier import Earlier
from bakeoff.model.errors import BadFile, BadUsage, BakeoffError
from bakeoff.model.history import ShelvedRun
from bakeoff.model.machine import Machine
from bakeoff.model.verdict import Verdict
from bakeoff.runs.run import AnyRun, kind_of, open_run
from bakeoff.runs.store import PLAN_FILE, Store

if TYPE_CHECKING:
    from bakeoff.history.index import Index

T = TypeVar("T")
RACES = 10
"""Whose intervals say what a machine reaches."""
_TOLD = "told "
"""Before a path in the list of runs that wait: it was said why it can't be added."""


def add(run: AnyRun) -> str:
    """Add a run that has ended to the user's index, with those that could not be added before.

    What went wrong, in words; empty: nothing did, or the history is switched off.
    """
    url = default_url()
    if url is None:
        return ""
    lists = _taken()
    waiting = [path for taken in lists.values() for path in taken]
    told = {path.removeprefix(_TOLD) for path in waiting if path.startswith(_TOLD)}
    paths = dict.fromkeys([*(path.removeprefix(_TOLD) for path in waiting), str(run.path)])
    try:
        with closing(history.open_index(url)) as index:
            read = {path: shelved_or_why(Path(path)) for path in paths}
            index.add(*(each for each in read.values() if isinstance(each, ShelvedRun)))
        trouble = _unread({path: why for path, why in read.items() if isinstance(why, str)}, told)
    except BakeoffError as error:
        trouble = f"{error}; {_wait([*waiting, str(run.path)])}"
    # Not before: whoever is killed here leaves them to the next one.
    for taken in lists:
        taken.unlink(missing_ok=True)
    return trouble


def block_half_width(machine: Machine) -> float | None:
    """What the newest races on machines like this one reached: the median half-width of a pair's
    interval, in ln ratio, times the root of its blocks; None: no race is known."""

    def newest(index: "Index") -> list[ShelvedRun | None]:
        lines = index.runs(machine=history.machine_class(machine), kind="race", limit=RACES)
        return [index.run(line.id) for line in lines.runs]

    found = (run for run in _read(newest) or () if run)
    races = (race for run in found for race in run.races if race.measures != "p99")
    widths = [
        log(pair.high / pair.low) / 2 * sqrt(pair.n)
        for race in races
        for pair in race.pairs
        if pair.low and pair.high
    ]
    return median(widths) if widths else None


def _unread(faults: dict[str, str], told: Container[str]) -> str:
    """Why runs can't be added, in words, of each once. They wait until they can be.

    What is wrong with a folder, or with the disk that it is on, is fixed there; to try it again
    whenever a run ends takes no time, and says nothing.
    """
    later = _wait(f"{_TOLD}{path}" for path in faults)
    new = [why for path, why in faults.items() if path not in told]
    if not new:
        return ""
    more = f" (and {len(new) - 1} more)" if len(new) > 1 else ""
    return f"not in the history: {new[-1]}{more}; once that is fixed, {later}"


def _pending() -> Path:
    return user_data() / "pending"


def _taken() -> dict[Path, list[str]]:
    """The lists of runs that wait for the history to come back, by their files.

    Of two processes one takes them, by a new name with its pid; with them come those of processes
    that were killed before they had added theirs.
    """
    own = _pending().with_suffix(f".{os.getpid()}-{time.time_ns()}")
    with suppress(OSError):
        _pending().rename(own)
    lists: dict[Path, list[str]] = {}
    for path in _pending().parent.glob("pending.*"):
        pid = path.suffix[1:].partition("-")[0]
        if path == own or not Path("/proc", pid).exists():
            with suppress(OSError):
                lists[path] = path.read_text().splitlines()
    return lists


def _wait(paths: Iterable[str]) -> str:
    lines = "".join(f"{path}\n" for path in paths)
    try:
        if lines:
            _pending().parent.mkdir(parents=True, exist_ok=True)
            with _pending().open("a") as pending:
                pending.write(lines)
    except OSError as error:
        again = "add this run with: bakeoff history rebuild"
        return f"{_pending()} can't be written ({error.strerror}): {again}"
    return "this run will be added when the next one ends"


def id_of(folder: Path) -> str:
    """The id that a run's folder has in the history. Raises OSError."""
    return sha256((folder / PLAN_FILE).read_bytes()).hexdigest()[:12]


def earlier(run: AnyRun, verdict: Verdict) -> Earlier | None:
    """What the user's index has of other races in the setting of a race, or of a run's part.

    None: the history is switched off, or can't be read; adding the run will say why.
    """
    own = set()
    for folder in (run.path, *run.path.parents):
        if not (folder / PLAN_FILE).exists():
            break
        own.add(id_of(folder))
    return _read(lambda index: index.earlier(_shelved(run, verdict), own))


def _read(what: Callable[["Index"], T]) -> T | None:
    """What the user's index has; None: it is switched off, or can't be read."""
    url = default_url()
    if url is None:
        return None
    try:
        with closing(history.open_index(url)) as index:
            return what(index)
    except BakeoffError:
        return None


def shelved(run: AnyRun) -> ShelvedRun:
    """What the history keeps of a run that is judged. Raises `BadUsage`, `BadFile`."""
    return _shelved(run, run.result)


def _shelved(run: AnyRun, result: Contract) -> ShelvedRun:
    plan = (run.path / PLAN_FILE).read_bytes()
    origins = _origins(json.loads(plan), run.path)
    return _of_result(
        type(run),
        result,
        path=run.path,
        id_=id_of(run.path),
        machine=run.store.machine(),
        command_line=tuple(_first(json.loads(plan), "command_line") or ()),
        origins=origins,
    )


def shelved_path(path: Path) -> ShelvedRun:
    """The same of a run's folder, or of the file of a result. Raises `BadUsage`, `BadFile`."""
    if path.is_dir():
        return shelved(open_run(path))
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
    """The result in a file, and the kind of run that it is of. Raises `BadFile`."""
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError):
        raise BadFile(path, None, "can't be read as JSON") from None
    kind = kind_of(str(value.get("schema", ""))) if isinstance(value, dict) else None
    if kind is None:
        raise BadFile(path, "schema", "is not that of a run's result")
    return kind, kind.result_type.checked(value, path)


def shelved_or_why(path: Path) -> ShelvedRun | str:
    """What the history keeps of what is there, or why it can't be read."""
    try:
        return shelved_path(path)
    except BakeoffError as error:
        return str(error)


def found_in(folders: Iterable[Path]) -> Iterator[Path]:
    """Every run's folder below `folders`, and every result's file that is in none.

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
    """By the file's beginning: results are large, and other files of JSON may be."""
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
    origins: dict[str, history.Origin],
) -> ShelvedRun:
    assert isinstance(result, Contract)
    of_machine = history.machine_class(machine)
    races = history.races_of(result, history.Context(of_machine, origins))
    figures = [figure for race in races for figure in race.figures]
    return ShelvedRun(
        id=id_,
        name=path.name if path.is_dir() else path.stem,
        path=str(path),
        kind=kind.kind,
        began_at=history.began_at(machine),
        headline=kind.headline(result),
        valid=any(figure.valid for figure in figures) if figures else True,
        complete=getattr(result, "complete", True),
        machine_class=of_machine,
        machine=machine,
        bakeoff=machine.bakeoff,
        method=_method(kind.result_type),
        command_line=command_line,
        races=races,
        claims=history.claims_of(result),
    )


def _method(result: type[Contract]) -> str:
    """Whose schema says how the ratios were made: a capacity's own, else a verdict's."""
    judged = result if result is CapacityReport else Verdict
    schema: str = judged.model_fields["schema_"].default
    return schema


def _origins(plan: Any, folder: Path) -> dict[str, history.Origin]:
    """Where the entries come from, by their names: from the plan, wherever it has them."""
    sources = _sources(folder)
    found: dict[str, history.Origin] = {}
    for entry in _all(plan, "entries"):
        contender = entry.get("contender") or {}
        own = entry.get("origin") in ("folder", "command")
        name = contender.get("name")
        if entry.get("origin") == "command":
            # All commands are called the same by their contender, and so would be one line.
            name = (entry.get("twin_of") or entry["name"]).removesuffix(f" {entry.get('protocol')}")
        found[entry["name"]] = history.Origin(
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
    return {name: each.source_sha256 for some in receipts for name, each in some.items()}


def _all(value: Any, key: str) -> Iterator[Any]:
    """The members of each list called `key`, wherever in a value of JSON it is."""
    if isinstance(value, dict):
        if isinstance(value.get(key), list):
            yield from value[key]
        for inner in value.values():
            yield from _all(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from _all(inner, key)


def _first(value: Any, key: str) -> Any:
    """The first value called `key`, wherever in a value of JSON it is."""
    if isinstance(value, dict):
        if key in value:
            return value[key]
        value = list(value.values())
    if isinstance(value, list):
        return next((found for inner in value if (found := _first(inner, key)) is not None), None)
    return None
