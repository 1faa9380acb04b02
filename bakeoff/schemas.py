"""JSON Schemas of the contracts: `python -m bakeoff.schemas FOLDER` writes them."""

import json
import sys
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from bakeoff.model.article import Article
from bakeoff.model.audit import AuditReport
from bakeoff.model.ci import ProjectFile
from bakeoff.model.cluster import ClusterReport
from bakeoff.model.compare import RunsComparison
from bakeoff.model.contender import Contender
from bakeoff.model.earlier import Earlier
from bakeoff.model.engine import Event, Job, SliceCommand, StopCommand
from bakeoff.model.finding import Finding
from bakeoff.model.findings import CODES, example
from bakeoff.model.findings.values import VALUES, Value
from bakeoff.model.history import Past
from bakeoff.model.load import LoadResult
from bakeoff.model.machine import Machine
from bakeoff.model.receipt import Receipt
from bakeoff.model.samples import Record
from bakeoff.model.simulation import Simulation
from bakeoff.model.workload import Workload
from bakeoff.runs.run import KINDS, schema_name

CONTRACTS: dict[str, Any] = {
    "article": Article,
    "audit": AuditReport,
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
    return {
        f"{name}.schema.json": json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
        for name, schema in by_name.items()
    }


def _code(name: str) -> dict[str, Any]:
    """What a finding of one code has."""
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
