"""What the judge's bench keeps of a race, and the races that it has kept."""

import ast
import base64
import gzip
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bakeoff.judge.history import calm
from bakeoff.model.cut import Draw
from bakeoff.model.samples import Block, Record
from bakeoff.model.verdict import Verdict

ROOT = Path(__file__).parents[2]
MEASURES = ("bakeoff/judge", "bakeoff/runs/measuring", "bakeoff/plan/schedule.py", "engine")
"""What judges and measures: races of other sources do not count together."""
OF_NO_USE = {"processes", "equivalent", "cpu_finding", "more_s"}


def of_race(verdict: Verdict, records: Sequence[Record]) -> dict[str, Any]:
    """Figures by entry and pair, and each short block."""
    return {
        "measured_s": round(verdict.measured_s, 1),
        "blocks": verdict.blocks,
        "disturbed_blocks": verdict.disturbed_blocks,
        "stopping": verdict.stopping,
        "entries": [of_entry(verdict, each.name) for each in verdict.entries],
        "pairs": [each.model_dump(mode="json", exclude=OF_NO_USE) for each in verdict.pairs],
        "warnings": [each.code for each in verdict.warnings],
        "samples": packed(records, verdict),
    }


def of_entry(verdict: Verdict, name: str) -> dict[str, Any]:
    """The figures of an entry."""
    entry = verdict.entry(name)
    assert entry
    keys = {"name", "valid", "ratio", "cpu_ratio", "warmth", "letters"}
    keys |= {"cpu_letters", "requests_per_s", "server_busy", "client_busy", "limited_by"}
    return {
        **entry.model_dump(mode="json", include=keys),
        "cpu_us": entry.cpu_us_per_request.server,
        "reasons": [each.code for each in entry.reasons],
        "warnings": [each.code for each in entry.warnings],
    }


def packed(records: Sequence[Record], verdict: Verdict) -> str:
    """Draw, whether it counts, and for each entry [requests/s, CPU ns per request, number of its
    process] of the short blocks: JSON, compressed, as text."""
    processes = {
        (each.boot, each.draw): each.processes for each in records if isinstance(each, Draw)
    }
    blocks = [each for each in records if isinstance(each, Block) and each.kind == "short"]
    counted = {(each.boot, each.block) for each in calm(blocks, verdict.cores.here)}
    rows = [
        {
            "draw": each.draw,
            "counts": (each.boot, each.block) in counted,
            **{
                slice_.entry: [
                    round(slice_.event.requests_per_s),
                    round(1000 * (slice_.server_cpu_us_per_request or 0)),
                    processes.get((each.boot, each.draw), {}).get(slice_.entry, 0),
                ]
                for slice_ in each.slices
            },
        }
        for each in blocks
    ]
    return base64.b64encode(gzip.compress(json.dumps(rows).encode())).decode()


def sources(*more: str) -> str:
    """A short name of the sources that judge and measure, and of `more`. What they say in comments
    and docstrings is not part of it."""
    named = hashlib.sha256()
    rooms = [ROOT / each for each in (*MEASURES, *more)]
    for path in sorted(path for room in rooms for path in (room, *room.rglob("*"))):
        if not path.is_file():
            continue
        if path.suffix in (".rs", ".lock") and "target" not in path.parts:
            named.update(path.read_bytes())
        elif path.suffix == ".py" and "bakeoff" in path.parts:
            named.update(ast.dump(_without_docstrings(path.read_text())).encode())
    return named.hexdigest()[:12]


def _without_docstrings(text: str) -> ast.Module:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [each for each in node.body if not _is_text(each)] or [ast.Pass()]
    return tree


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def races(path: Path) -> list[dict[str, Any]]:
    """The races of a file, without a torn last line."""
    text = path.read_text() if path.exists() else ""
    return [json.loads(line) for line in text.split("\n")[:-1]]


def append(path: Path, race: Mapping[str, Any]) -> None:
    """Append a race."""
    whole_line(path, json.dumps(race))


def whole_line(path: Path, text: str) -> None:
    """Append a line, whole and on disk; what a kill left of another one goes."""
    with path.open("a+b") as file:
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)
        file.write(text.encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
