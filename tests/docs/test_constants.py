"""docs/CONSTANTS.md names every constant that decides, with its value and where it is from.

`BAKEOFF_GOLDEN=write pytest tests/docs` writes the values, leaves out what is gone, and adds a row
for what is new, whose origin is then to be told.
"""

import ast
import os
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONSTANTS = ROOT / "docs" / "CONSTANTS.md"
TABLE = re.compile(r"(?<=<!-- constants -->\n).*?(?=<!-- end -->)", re.DOTALL)
HEAD = "| constant | value | from |\n|---|---:|---|\n"
MODULES = [
    *sorted((ROOT / "bakeoff" / "judge").glob("*.py")),
    ROOT / "bakeoff/plan/schedule.py",
    ROOT / "bakeoff/runs/measuring/session.py",
    ROOT / "bakeoff/model/samples.py",
    ROOT / "bakeoff/runs/measuring/draws.py",
    ROOT / "bakeoff/runs/measuring/draw_rule.py",
]
"""Where all constants are named; of other modules, those that the table has."""


def number(value: object) -> str | None:
    """A number, or a tuple of numbers, as the table has it; None: it is none."""
    if isinstance(value, tuple):
        parts = [number(part) for part in value]
        return f"({', '.join(map(str, parts))})" if parts and all(parts) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"


def assigned(path: Path) -> Iterator[str]:
    """The constants that a module assigns itself."""
    for node in ast.parse(path.read_text()).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        for target in targets:
            named = target.elts if isinstance(target, ast.Tuple) else [target]
            yield from (node.id for node in named if isinstance(node, ast.Name))


def value_of(constant: str) -> str | None:
    """The value of `judge.compare.MARGIN`, say; None: there is no such number."""
    module, _, name = constant.rpartition(".")
    try:
        return number(getattr(import_module(f"bakeoff.{module}"), name, None))
    except ModuleNotFoundError:
        return None


def deciding() -> list[str]:
    """All constants of `MODULES` that are numbers."""
    return [
        constant
        for path in MODULES
        for name in assigned(path)
        if name.isupper() and not name.startswith("_")
        for constant in [
            ".".join((*path.relative_to(ROOT / "bakeoff").with_suffix("").parts, name))
        ]
        if value_of(constant)
    ]


def rows() -> dict[str, tuple[str, str]]:
    """Constant → its value, and where it is from."""
    found = TABLE.search(CONSTANTS.read_text())
    assert found
    lines = found[0].removeprefix(HEAD).splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return {constant.strip("`"): (value, origin) for constant, value, origin in cells}


def test_the_constants_are_those_of_the_code() -> None:
    table = rows()
    if os.environ.get("BAKEOFF_GOLDEN") == "write":
        known = [*deciding(), *(name for name in table if name not in deciding())]
        lines = [
            f"| `{name}` | {value} | {table.get(name, ('', ''))[1]} |\n"
            for name in known
            if (value := value_of(name))
        ]
        text = TABLE.sub(lambda _: HEAD + "".join(lines), CONSTANTS.read_text())
        CONSTANTS.write_text(text)
    table = rows()
    assert {name: value for name, (value, _) in table.items()} == {
        name: value_of(name) for name in table
    }


def test_none_is_missing() -> None:
    assert set(deciding()) <= set(rows())


def test_each_says_where_it_is_from() -> None:
    assert [name for name, (_, origin) in rows().items() if len(origin) < 10] == []
