"""Where the product makes a message: each place by its file and function, and which one is met."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FrameType

from bakeoff import installation

PACKAGE = Path(installation.__file__).parent
ROOT = "BakeoffError"
_CLASS = re.compile(r"^class (\w+)\((.*)\):", re.MULTILINE)


@dataclass(frozen=True)
class Site:
    """A call that makes an error of ours; `name` says which, and stays when lines move."""

    name: str
    path: Path
    first: int
    last: int


@cache
def modules() -> dict[Path, str]:
    return {path: path.read_text() for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def error_classes() -> frozenset[str]:
    """The names of BakeoffError and of all classes that are made of it."""
    bases = [
        (name, set(re.findall(r"\w+", of)))
        for text in modules().values()
        for name, of in _CLASS.findall(text)
    ]
    found = {ROOT}
    while more := {name for name, of in bases if of & found} - found:
        found |= more
    return frozenset(found)


@cache
def _namesakes() -> frozenset[tuple[str, str]]:
    """Classes that are called as an error is and are none, each with its module's last name."""
    return frozenset(
        (path.stem, name)
        for path, text in modules().items()
        for name in re.findall(r"^class (\w+)[:(]", text, re.MULTILINE)
        if name in error_classes() and name not in dict(_CLASS.findall(text))
    )


def _others(path: Path) -> set[str]:
    """Names of error classes that stand for another class in this module."""
    imported = re.findall(r"^from [\w.]*\b(\w+) import (.*)$", modules()[path], re.MULTILINE)
    taken = {(module, name) for module, names in imported for name in re.findall(r"\w+", names)}
    return {name for module, name in _namesakes() if module == path.stem or (module, name) in taken}


def sites() -> tuple[Site, ...]:
    return tuple(site for path in modules() for site in sites_of(path))


@cache
def sites_of(path: Path) -> tuple[Site, ...]:
    """Those of one module; none of what is not the product's."""
    text = modules().get(path)
    return tuple(_of_module(path, ast.parse(text))) if text else ()


def _of_module(path: Path, tree: ast.Module) -> Iterator[Site]:
    classes = error_classes() - _others(path)
    calls = sorted(_calls(tree, "", classes), key=lambda call: call[1].lineno)
    several = Counter(function for function, _ in calls)
    seen: Counter[str] = Counter()
    for function, node in calls:
        seen[function] += 1
        number = f" {seen[function]}" if several[function] > 1 else ""
        name = f"{path.relative_to(PACKAGE)} {function}{number}"
        yield Site(name, path, node.lineno, node.end_lineno or node.lineno)


def _calls(node: ast.AST, within: str, classes: frozenset[str]) -> Iterator[tuple[str, ast.Call]]:
    """The calls below a node that make an error, each with the function that it is in."""
    for child in ast.iter_child_nodes(node):
        inner = within
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{within}.{child.name}".lstrip(".")
        if isinstance(child, ast.Call) and _makes_error(child.func, within, classes):
            yield within, child
        yield from _calls(child, inner, classes)


def _makes_error(function: ast.expr, within: str, classes: frozenset[str]) -> bool:
    if isinstance(function, ast.Attribute):
        function = function.value
    if not isinstance(function, ast.Name):
        return False
    own = function.id == "cls" and within.split(".")[0] in classes
    return own or function.id in classes


def met(frame: FrameType | None) -> Iterator[str]:
    """The names of the sites that an error is being made at: its own, and who called that one.

    `frame` is that of the error's `__init__`.
    """
    while frame:
        path = Path(frame.f_code.co_filename)
        own_init = frame.f_code.co_name == "__init__" and _has_classes(path)
        if not own_init:
            yield from _at(path, frame.f_lineno)
        if not own_init and path.name != "errors.py":
            return
        frame = frame.f_back


@cache
def _has_classes(path: Path) -> bool:
    """Whether a file has error classes: what their `__init__` calls is no site of its own."""
    return any(name in error_classes() for name, _ in _CLASS.findall(modules().get(path, "")))


def _at(path: Path, line: int) -> Iterator[str]:
    for site in sites_of(path):
        if site.first <= line <= site.last:
            yield site.name
