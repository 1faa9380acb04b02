"""How a server is built and started, according to its project's own files."""

import json
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

SOURCES_READ = 200
"""At most this many files are searched for the port."""
VENV = "{out}/venv"
_PORT = re.compile(r"\$\{PORT(?::-?\d+)?\}|\$PORT\b")
_SHELL = re.compile(r"[|&;<>`]|\$[({\w]")
_NOT_SOURCES = {"node_modules", "target", "venv", "dist", "build", "__pycache__"}
_SUFFIXES = {".js", ".mjs", ".cjs", ".ts", ".py", ".go", ".rs", ".rb", ".java", ".c", ".cpp"}
_PYTHON = re.compile("python3?|gunicorn|uvicorn|hypercorn|granian|flask|daphne")
_WSGI = "gunicorn {app} --bind {{host}}:{{port}} --workers {{workers}}"


@dataclass(frozen=True)
class Hint:
    """A conclusion and its file; `guessed`: the file doesn't say so itself."""

    text: str
    file: str
    guessed: bool = False


@dataclass(frozen=True)
class Start:
    """How a server is built and started; `command` is empty if no file has it.

    `tools` are the tools that it needs, each with the command that checks for it.
    """

    language: str = ""
    command: str = ""
    build: tuple[str, ...] = ()
    tools: tuple[tuple[str, str], ...] = ()
    hints: tuple[Hint, ...] = ()

    def told(self, text: str, file: str, *, guessed: bool = False, **changed: Any) -> "Start":
        return replace(self, hints=(*self.hints, Hint(text, file, guessed)), **changed)


def look(folder: Path) -> Start:
    """All hints of the files in `folder`. A file that can't be read gives none."""
    start = Start()
    for read in (_node, _go, _rust, _python, _dockerfile, _procfile):
        start = read(folder, start)
    return _port(folder, start) if start.command else start


def without_shell(command: str) -> str:
    """A command with {port} for $PORT, with a shell around it if it needs one."""
    command = _PORT.sub("{port}", command.strip()).removeprefix("exec ")
    return f"sh -c {shlex.quote(command)}" if _SHELL.search(command) else command


def _node(folder: Path, start: Start) -> Start:
    file = "package.json"
    package = _parsed(_text(folder / file), json.loads)
    if package is None:
        return start
    build, why = [], []
    if package.get("dependencies") or package.get("devDependencies"):
        locked = (folder / "package-lock.json").exists()
        build.append("npm ci" if locked else "npm install")
    scripts = package.get("scripts") or {}
    if "build" in scripts:
        build.append("npm run build")
        why.append("scripts.build")
    start = replace(start, language="JavaScript", build=tuple(build))
    start = replace(start, tools=(("node", "node --version"),))
    if begin := scripts.get("start"):
        # npm or a shell would be an additional process.
        command = without_shell(begin) if begin.startswith("node ") else "npm start"
        return start.told(f"starts with `{begin}`", f"{file}, scripts.start", command=command)
    main = package.get("main") or "server.js"
    if (folder / main).is_file():
        return start.told(f"starts with `node {main}`", file, guessed=True, command=f"node {main}")
    return start


def _go(folder: Path, start: Start) -> Start:
    module = re.search(r"^module\s+(\S+)", _text(folder / "go.mod"), re.MULTILINE)
    if module is None:
        return start
    mains = [
        path.parent
        for path in (*sorted(folder.glob("*.go")), *sorted(folder.glob("cmd/*/*.go")))
        if re.search(r"^package main\b", _text(path), re.MULTILINE)
    ]
    if not mains:
        return start
    package = mains[0].relative_to(folder)
    name = (mains[0] if package.parts else Path(module[1])).name
    return start.told(
        f"`./{package}` is built and started" if package.parts else "its package main is built",
        "go.mod",
        guessed=len(set(mains)) > 1,
        language="Go",
        build=(f"go build -o {{out}}/{name} ./{package}",),
        tools=(("go", "go version"),),
        command=f"{{out}}/{name}",
    )


def _rust(folder: Path, start: Start) -> Start:
    cargo = _toml(folder / "Cargo.toml")
    bins = [binary.get("name") for binary in cargo.get("bin", ())]
    name = (bins or [cargo.get("package", {}).get("name")])[0]
    if not name or not (bins or (folder / "src" / "main.rs").exists()):
        return start
    locked = " --locked" if (folder / "Cargo.lock").exists() else ""
    return start.told(
        f"the binary {name} is built with cargo",
        "Cargo.toml",
        guessed=len(bins) > 1,
        language="Rust",
        build=(f"cargo build --release{locked} --target-dir {{out}}/target",),
        tools=(("cargo", "cargo --version"),),
        command=f"{{out}}/target/release/{name}",
    )


def _python(folder: Path, start: Start) -> Start:
    project = _toml(folder / "pyproject.toml").get("project", {})
    requirements = folder / "requirements.txt"
    is_one = project or requirements.exists() or (folder / "manage.py").exists()
    if not is_one:
        return start
    file = requirements.name if requirements.exists() else "pyproject.toml"
    wanted = [*project.get("dependencies", ()), *_text(requirements).splitlines()]
    packages = {
        re.split(r"[^\w-]", line.strip().lower())[0]
        for line in wanted
        if line.strip()[:1].isalpha()
    }
    start = replace(start, language="Python", tools=(("python3", "python3 --version"),))
    if packages:
        what = "-r requirements.txt" if requirements.exists() else "."
        install = f"{VENV}/bin/pip install --quiet --disable-pip-version-check {what}"
        start = replace(start, build=(f"python3 -m venv {VENV}", install))
    found = _python_app(folder, packages)
    if found:
        command, text = found
        return start.told(text, file, guessed=True, command=_in_venv(command, start))
    return start


def _python_app(folder: Path, packages: set[str]) -> tuple[str, str] | None:
    """The command that serves an app of a known framework, and the text of its hint."""
    if "django" in packages or (folder / "manage.py").exists():
        for path in sorted(folder.glob("*/wsgi.py")):
            return _wsgi(f"{path.parent.name}.wsgi:application", packages), f"Django: {path.name}"
    kinds = (("fastapi", "FastAPI"), ("starlette", "Starlette"), ("flask", "Flask"))
    for package, kind in kinds:
        made = re.compile(rf"^(\w+)\s*(?::.*)?=\s*(?:\w+\.)?{kind}\(", re.MULTILINE)
        for path in (*sorted(folder.glob("*.py")), *sorted(folder.glob("*/*.py"))):
            match = made.search(_text(path)) if package in packages else None
            if match is None:
                continue
            module = ".".join(path.relative_to(folder).with_suffix("").parts)
            app, text = f"{module}:{match[1]}", f"{kind}: `{match[1]}` in {path.name}"
            if kind == "Flask":
                return _wsgi(app, packages), text
            workers = "--workers {workers}"
            return f"uvicorn {app} --host {{host}} --port {{port}} {workers} --no-access-log", text
    return None


def _wsgi(app: str, packages: set[str]) -> str:
    if _WSGI.split()[0] in packages:
        return _WSGI.format(app=app)
    if app.endswith(".wsgi:application"):
        return "python3 manage.py runserver --noreload {host}:{port}"
    return f"flask --app {app} run --host {{host}} --port {{port}}"


def _in_venv(command: str, start: Start) -> str:
    """The command with its Python program taken from the virtual environment, if there is one."""
    program, _, rest = command.partition(" ")
    if _PYTHON.fullmatch(program) and start.build and start.language == "Python":
        return f"{VENV}/bin/{program} {rest}"
    return command


def _dockerfile(folder: Path, start: Start) -> Start:
    file = "Dockerfile"
    lines = re.sub(r"\\\n", " ", _text(folder / file))
    said = {
        word.upper(): rest.strip()
        for word, rest in re.findall(r"^\s*(CMD|ENTRYPOINT|EXPOSE)\s+(.+)$", lines, re.M | re.I)
    }
    command = " ".join(_exec_form(said[key]) for key in ("ENTRYPOINT", "CMD") if key in said)
    if command and not start.command:
        start = start.told(
            f"starts with `{command}`",
            f"{file}, CMD",
            guessed=True,
            command=_in_venv(without_shell(command), start),
        )
    if "EXPOSE" in said:
        start = start.told(f"listens on port {said['EXPOSE']} in its container", f"{file}, EXPOSE")
    return start


def _exec_form(text: str) -> str:
    try:
        words = json.loads(text)
    except ValueError:
        return text
    return shlex.join(map(str, words)) if isinstance(words, list) else text


def _procfile(folder: Path, start: Start) -> Start:
    """It has the command of production, so it comes last."""
    web = re.search(r"^web:\s*(.+)$", _text(folder / "Procfile"), re.MULTILINE)
    if web is None:
        return start
    command = without_shell(web[1])
    # A file is started from the folder in which it is built.
    if start.command.startswith("{out}/") and not start.command.startswith(VENV):
        return start.told(f"`{web[1].strip()}` is taken to be what is built", "Procfile, web")
    command = _in_venv(command, start)
    return start.told(f"starts with `{web[1].strip()}`", "Procfile, web", command=command)


def _port(folder: Path, start: Start) -> Start:
    """A hint about the port, which must be variable: base and head run at the same time."""
    if "{port}" in start.command:
        return start.told("its command takes the port", "its command")
    for path in _sources(folder):
        if re.search(r"\bPORT\b", _text(path)):
            return start.told("takes its port from $PORT", path.name)
    return start.told("nothing here reads $PORT: let it listen there", "its sources", guessed=True)


def _sources(folder: Path) -> Iterator[Path]:
    left = SOURCES_READ
    waiting = [folder]
    while waiting and left:
        for path in sorted(waiting.pop().iterdir()):
            if path.is_dir() and not path.name.startswith(".") and path.name not in _NOT_SOURCES:
                waiting.append(path)
            elif path.suffix in _SUFFIXES and left:
                left -= 1
                yield path


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _parsed(text: str, parse: Callable[[str], Any]) -> dict[str, Any] | None:
    try:
        value = parse(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _toml(path: Path) -> dict[str, Any]:
    return _parsed(_text(path), tomllib.loads) or {}
