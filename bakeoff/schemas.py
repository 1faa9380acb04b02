"""JSON Schemas of the contracts: `python -m bakeoff.schemas FOLDER` writes them."""

import ast
import json
import sys
from inspect import cleandoc
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from bakeoff.model.article import Article
from bakeoff.model.audit import AuditReport
from bakeoff.model.board import Board, BoardFile
from bakeoff.model.ci import ProjectFile
from bakeoff.model.compare import RunsComparison
from bakeoff.model.contender import Contender
from bakeoff.model.engine import Event, Job, SliceCommand, StopCommand
from bakeoff.model.finding import Finding
from bakeoff.model.findings import CODES, example
from bakeoff.model.findings.values import VALUES, Value
from bakeoff.model.history import Earlier, Past
from bakeoff.model.load import LoadResult
from bakeoff.model.machine import ClusterReport, Machine
from bakeoff.model.receipt import Receipt
from bakeoff.model.samples import Record
from bakeoff.model.simulation import Simulation
from bakeoff.model.workload import Workload
from bakeoff.runs.run import KINDS, schema_name

CONTRACTS: dict[str, Any] = {
    "article": Article,
    "audit": AuditReport,
    "board": Board,
    "board-file": BoardFile,
    "compare": RunsComparison,
    "cluster": ClusterReport,
    "contender": Contender,
    "earlier": Earlier,
    "engine-command": Job | SliceCommand | StopCommand,
    "engine-event": Event,
    "finding": Finding,
    "history": Past,
    "load": LoadResult,
    "machine": Machine,
    "project": ProjectFile,
    "receipts": dict[str, Receipt],
    "sample": Record,
    "simulation": Simulation,
    "workload": Workload,
    **{
        schema_name(contract).removeprefix("bakeoff."): contract
        for kind in KINDS.values()
        for contract in (kind.plan_type, kind.result_type)
    },
}


def schemas() -> dict[str, str]:
    """File name → the schema as text."""
    by_name = {
        name: TypeAdapter(contract).json_schema(by_alias=True)
        for name, contract in CONTRACTS.items()
    }
    by_name["finding"]["oneOf"] = [_code(code) for code in CODES]
    explained = _explained()
    for schema in by_name.values():
        for section in (schema, *schema.get("$defs", {}).values()):
            for key, value in section.get("properties", {}).items():
                if said := explained.get(section.get("title", ""), {}).get(key):
                    value["description"] = said
    return {
        f"{name}.schema.json": json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
        for name, schema in by_name.items()
    }


def _explained() -> dict[str, dict[str, str]]:
    """Class → key → the docstring below the field. Pydantic would read every class's source each
    time that bakeoff starts."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted((Path(__file__).parent / "model").rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if not isinstance(node, ast.ClassDef):
                continue
            own = found.setdefault(node.name, {})
            for base in node.bases:
                own |= found.get(base.id, {}) if isinstance(base, ast.Name) else {}
            for field, below in pairwise(node.body):
                match field, below:
                    case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(ast.Constant(str(said))):
                        own[name.rstrip("_")] = cleandoc(said)
    return found


def _code(name: str) -> dict[str, Any]:
    """The schema of a finding of one code."""
    row, given = CODES[name], example(name)
    values = {
        value: {"description": VALUES[value].meaning}
        | _type(given[value], may_be_null=value in row.optional)
        for value in row.values
    }
    return {
        "description": row.meaning,
        "properties": {
            "code": {"const": name},
            "values": {"properties": values, "required": list(row.values)},
        },
    }


_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array"}


def _type(given: Value, *, may_be_null: bool = False) -> dict[str, Any]:
    """The type of a value, from an example of it."""
    own = _TYPES[type(given)]
    items = {"items": _type(given[0])} if isinstance(given, list) else {}
    return {"type": [own, "null"] if may_be_null else own} | items


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in schemas().items():
        (folder / name).write_text(text)
