"""Fault texts that functions return: each is held against the page, as a pattern."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.messages.sites import PACKAGE, modules

MODULES = (
    "load/tools/running.py",
    "model/article.py",
    "model/contender.py",
    "model/fields.py",
    "model/request.py",
    "model/shape.py",
    "model/workload.py",
    "plan/entries.py",
    "plan/race.py",
    "plan/workloads.py",
    "runs/measuring/instances.py",
    "runs/measuring/queues.py",
    "start/faults.py",
    "traffic/access_log.py",
    "traffic/har.py",
    "traffic/openapi.py",
    "verify/events.py",
    "verify/exchange.py",
    "verify/expected.py",
    "verify/http2.py",
    "verify/mix.py",
    "verify/secure.py",
)
"""Modules whose texts are faults: the functions return them, and others say them."""
_SENTENCE = re.compile(r"[a-z]\S* \S*[a-z]\S* \S*[a-z]|[a-z]{2}\S* \S*[a-z]{3}")


@dataclass(frozen=True)
class Text:
    """A text of a module, with `{}` for each value, and the pattern that it makes."""

    name: str
    pattern: re.Pattern[str]


def texts() -> Iterator[Text]:
    for module in MODULES:
        tree = ast.parse(modules()[PACKAGE / module])
        for node in _said(tree):
            template = _template(node)
            if _SENTENCE.search(template) and not template.startswith("^"):
                parts = map(re.escape, re.split(r"\{\w*\}", template))
                yield Text(f"{module}: {template}", re.compile(".*".join(parts)))


def _said(node: ast.AST) -> Iterator[ast.Constant | ast.JoinedStr]:
    """The texts below a node that are neither documentation, nor assertions, nor patterns."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Assert) or (
            isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
        ):
            continue
        if isinstance(child, ast.Call) and ast.unparse(child.func) == "re.compile":
            continue
        if isinstance(child, ast.JoinedStr):
            yield child
            for value in child.values:
                if isinstance(value, ast.FormattedValue):
                    yield from _said(value)
        elif isinstance(child, ast.Constant):
            if isinstance(child.value, str):
                yield child
        else:
            yield from _said(child)


def _template(node: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    return "".join(
        str(value.value) if isinstance(value, ast.Constant) else "{}" for value in node.values
    )
