"""The arrows of ARCHITECTURE.md: which room may import which."""

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "bakeoff"
STAGES = ["plan", "build", "start", "verify", "load", "measure", "why", "judge", "report"]
# What is built on what; each room is a folder, or a file beside them.
MAY_IMPORT = {
    "keeper": set[str](),
    "command": {"keeper"},
    "installation": {"model", "keeper"},
    "histograms": set[str](),
    "progress": {"model", "report"},
    "model": set[str](),
    "workers": {"keeper"},
    **{stage: {"model"} for stage in STAGES},
    "plan": {"model", "command", "installation"},
    "build": {"model", "command", "installation", "keeper"},
    "load": {"model", "command", "installation", "histograms"},
    "start": {"model", "keeper"},
    "measure": {"model", "keeper"},
    "why": {"model", "command"},
    "judge": {"model", "histograms"},
    "runs": {"model", "keeper", "installation", *STAGES},
    "schemas": {"model", "runs"},
    "history": {"model", "runs", "workers", "keeper"},
    "simulate": {"model", "runs", "build", "judge", "report", "progress", "workers"}
    | {"histograms"},
    "traffic": {"model"},
    "satellites": {"model", "plan", "runs", "history", "cluster"},
    "keywords": {"model"},
    "library": {"model", "keywords", "satellites", "runs", "progress", "plan", "judge"},
    "board": {"model", "plan", "build", "judge", "report", "runs", "explore"},
    "explore": {"model", "history", "runs", "judge", "report", "workers"},
    "cluster": {"model", "plan", "runs", "build", "start", "load", "measure", "installation"}
    | {"keeper"},
    "cli": {"model", "runs", "simulate", "traffic", "progress", "installation", "history"}
    | {"board", "cluster", "explore", "keeper", "workers", "satellites", *STAGES},
}
# The parts that rest on the core. Whole rooms, and the modules of the kinds that judge us; their
# contracts are in `model`, as all are.
SATELLITES = {
    "board", "explore", "history", "cluster", "traffic", "simulate",
    *(f"{room}/{kind}.py" for kind in ("crosscheck", "draws")
      for room in ("plan", "judge", "report/kinds", "runs/kinds")),
}  # fmt: skip
# Where the core and its satellites are put together.
ABOVE = {"satellites.py", "library.py", "cli"}
IMPURE = {
    "asyncio", "multiprocessing", "os", "psutil", "resource", "select", "signal",
    "socket", "subprocess", "tempfile", "threading", "time", "urllib",
}  # fmt: skip


def imports(path: Path) -> set[str]:
    """Every module that a file imports, wherever in the file it does so."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            # A relative import stays in its package.
            assert node.level <= 1, f"{path}: imports reach no further than their own package"
            if node.level == 0:
                found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def rooms(path: Path) -> set[str]:
    return {name.split(".")[1] for name in imports(path) if name.startswith("bakeoff.")}


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_what_it_may(room: str) -> None:
    files = [*PACKAGE.glob(f"{room}.py"), *(PACKAGE / room).rglob("*.py")]
    assert files
    for path in files:
        stray = rooms(path) - MAY_IMPORT[room] - {room, "__version__"}
        assert not stray, f"{path.relative_to(PACKAGE)} imports {stray}"


RUNS_MAY_IMPORT = {
    "holder": set[str](),
    "store": {"holder"},
    "programs": set[str](),
    "indexing": set[str](),
    "results": set[str](),
    "stages": {"results"},
    "measuring": {"stages", "store"},
    "run": {"indexing", "measuring", "results", "stages", "store"},
    "life": {"measuring", "run", "stages", "store"},
    "kinds": {"indexing", "measuring", "results", "run", "stages"},
}


@pytest.mark.parametrize("part", RUNS_MAY_IMPORT)
def test_the_life_of_a_run_knows_no_kind_and_measuring_knows_no_run(part: str) -> None:
    for path in [*(PACKAGE / "runs").glob(f"{part}.py"), *(PACKAGE / "runs" / part).glob("*.py")]:
        of_runs = {name.split(".")[2] for name in imports(path) if name.startswith("bakeoff.runs.")}
        stray = of_runs - RUNS_MAY_IMPORT[part] - {part}
        assert not stray, f"{path.relative_to(PACKAGE)} imports {stray}"


def is_satellite(path: Path) -> bool:
    """Whether a file of the package, or a folder, belongs to a satellite."""
    parts = path.relative_to(PACKAGE)
    return bool({part.as_posix() for part in (parts, *parts.parents)} & SATELLITES)


def test_the_core_knows_no_satellite() -> None:
    hidden = {f"bakeoff.{part.removesuffix('.py').replace('/', '.')}" for part in SATELLITES}
    for path in PACKAGE.rglob("*.py"):
        if is_satellite(path) or path.relative_to(PACKAGE).parts[0] in ABOVE:
            continue
        known = {
            name for name in imports(path) for part in hidden if f"{name}.".startswith(f"{part}.")
        }
        assert not known, f"{path.relative_to(PACKAGE)} imports {known}"


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_no_circle_of_files_by_any_import_lazy_or_for_types_alone() -> None:
    # The package's own face names the functions that users import; no file needs them of it.
    paths = {module_of(path): path for path in PACKAGE.rglob("*.py")}
    needs = {
        module: {
            found
            for name in ({} if module == PACKAGE.name else imports(path))
            for found in (name, name.rpartition(".")[0])
            if found in paths and (found == name or name not in paths)
        }
        for module, path in paths.items()
    }
    while free := {module for module, others in needs.items() if not others - {module}}:
        needs = {module: others - free for module, others in needs.items() if module not in free}
    assert not needs, "each of these needs another of them"


def test_every_package_is_a_room_that_this_test_knows() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    files = {path.stem for path in PACKAGE.glob("*.py")}
    assert folders | files == set(MAY_IMPORT) | {"__init__", "__main__"}


def test_the_command_line_alone_prints_and_reads_what_was_typed() -> None:
    # Programs of their own: three write documents, one is the servers' keeper, one slow clients,
    # and one judges runs that go on.
    programs = {
        PACKAGE / "schemas.py",
        PACKAGE / "report/warnings.py",
        PACKAGE / "report/glossary.py",
        PACKAGE / "keeper/service.py",
        PACKAGE / "load/slow_sender.py",
        PACKAGE / "explore/live/judging.py",
    }
    for path in {*PACKAGE.rglob("*.py")} - {*(PACKAGE / "cli").rglob("*.py")} - programs:
        tree = ast.parse(path.read_text())
        named = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        named |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        stray = named & {"print", "sys.argv", "sys.stdout"}
        assert not stray, f"{path.relative_to(PACKAGE)} uses {stray}"


def test_a_kind_of_run_is_told_from_the_others_by_its_class_alone() -> None:
    for path in (PACKAGE / "runs").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Compare):
                assert ".kind" not in ast.unparse(node), f"{path.name}: {ast.unparse(node)}"


@pytest.mark.parametrize("room", ["judge", "report", "model"])
def test_pure_rooms_have_no_clock_no_network_and_no_process(room: str) -> None:
    for path in (PACKAGE / room).rglob("*.py"):
        stray = {name for name in imports(path) if {name, name.split(".")[0]} & IMPURE}
        assert not stray, f"{path.relative_to(PACKAGE)} imports {stray}"


def test_the_tool_names_no_contender_in_its_code() -> None:
    names = [
        path.parent.name for path in PACKAGE.parent.glob("catalogue/contenders/*/contender.toml")
    ]
    assert names
    # What a project's own files depend on may be a package of a contender's name.
    for path in set(PACKAGE.rglob("*.py")) - {PACKAGE / "plan" / "hints.py"}:
        strings = {
            node.value
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        assert not strings & set(names), f"{path.relative_to(PACKAGE)} names a contender"


def test_the_engine_the_contenders_and_the_workloads_know_nothing_of_the_package() -> None:
    root = PACKAGE.parent
    folders = [*root.glob("engine/*/src"), root / "brick", root / "catalogue"]
    for folder in folders:
        for path in folder.rglob("*"):
            if path.suffix in {".rs", ".go", ".js", ".c", ".cpp", ".py", ".toml", ".sh"}:
                if ".out" in path.parts:
                    continue
                assert "import bakeoff" not in path.read_text(), path


BRICK = PACKAGE.parent / "brick"
# Of the system's headers, arpa/inet.h alone: it reads addresses, and opens nothing.
BRICK_MAY_INCLUDE = {
    "include": r"<brick/|<\w+>$",
    "src/http": r'<brick/|<\w+>$|<\w*mmintrin|<arpa/inet.h>|"http/|"apart.hpp"$'
    r'|"ws/(endpoint|upgrade).hpp"$',
    "src/ws": r'<brick/|<\w+>$|"ws/|"http/(head|output).hpp"$',
}


@pytest.mark.parametrize("room", BRICK_MAY_INCLUDE)
def test_the_bricks_face_and_its_protocols_know_no_socket(room: str) -> None:
    files = [*(BRICK / room).rglob("*.hpp"), *(BRICK / room).rglob("*.cpp")]
    assert files
    for path in files:
        for included in re.findall(r"^#\s*include (.*?)(?: *//.*)?$", path.read_text(), re.M):
            assert re.match(BRICK_MAY_INCLUDE[room], included), f"{path} includes {included}"


def test_the_brick_builds_alone() -> None:
    for path in BRICK.rglob("CMakeLists.txt"):
        assert "../" not in path.read_text(), f"{path} reaches out of the brick"
