"""A run in a static site: a copy of what its pages are made of, without what is private."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bakeoff.explore.private import Private
from bakeoff.explore.site import RUNS
from bakeoff.model.errors import BadUsage
from bakeoff.runs import AnyRun
from bakeoff.runs.store import PLAN_FILE


def copy_into(site: Path, run: AnyRun) -> Counter[str]:
    """Copy a run that is judged into `site`/runs: plan, machine, receipts, results, its parts'.

    Samples and logs stay where they are. What was replaced in the texts is counted by what stands
    there now. A run of that name that is there already is replaced. Raises `BadUsage`.
    """
    if not run.is_judged:
        reason = f"has no result yet; `bakeoff report {run.path}` makes one"
        raise BadUsage(f"{run.path}: {reason}")
    private = Private.here([run.path.parent, run.path.resolve().parent], _public(run.path))
    to = site / RUNS / run.path.resolve().name
    draft = to.with_name(f".{to.name}.tmp")
    try:
        shutil.rmtree(draft, ignore_errors=True)
        for file in _files(run.path):
            value = private.within(_without_logs(json.loads(file.read_bytes())))
            copy = draft / file.relative_to(run.path)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(json.dumps(value, ensure_ascii=False))
        if to.exists():
            shutil.rmtree(to)
        draft.rename(to)
    except OSError as error:
        raise BadUsage(f"{to}: can't be written: {error.strerror}") from None
    return private.replaced


def _files(folder: Path) -> Iterator[Path]:
    """Everything in JSON of a run and of its parts."""
    yield from sorted(folder.glob("*.json"))
    for part in sorted(folder.iterdir()):
        if (part / PLAN_FILE).exists():
            yield from _files(part)


def _without_logs(value: Any) -> Any:
    """The same without what compilers printed: nobody reads it there, and it is full of paths."""
    if isinstance(value, dict):
        return {
            key: "" if key == "log" and isinstance(item, str) else _without_logs(item)
            for key, item in value.items()
        }
    return [_without_logs(item) for item in value] if isinstance(value, list) else value


def _public(folder: Path) -> set[str]:
    """The contenders' names: who calls a contender as the machine wants it to be read."""
    entries = json.loads((folder / PLAN_FILE).read_bytes()).get("entries", [])
    return {entry["name"] for entry in entries if isinstance(entry, dict) and "name" in entry}
