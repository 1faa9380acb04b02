"""What a project's files say of how its server is started."""

import tomllib
from pathlib import Path

import pytest

from bakeoff.model.contender import Contender
from bakeoff.plan.hints import Start, look, without_shell
from bakeoff.plan.templates import contender_toml

SERVER_JS = 'require("http").createServer((_, r) => r.end("Hi")).listen(process.env.PORT);'
FASTAPI = "from fastapi import FastAPI\n\napp = FastAPI(title='x')\n"
PIP = "{out}/venv/bin/pip install --quiet --disable-pip-version-check"

# A project's files, then how it is built and how it is started.
PROJECTS: dict[str, tuple[dict[str, str], tuple[str, ...], str]] = {
    "node, started by its script": (
        {
            "package.json": '{"scripts": {"start": "node src/server.js"}}',
            "src/server.js": SERVER_JS,
        },
        (),
        "node src/server.js",
    ),
    "node with a lock file and a build": (
        {
            "package.json": '{"scripts": {"start": "next start", "build": "next build"},'
            ' "dependencies": {"next": "15"}}',
            "package-lock.json": "{}",
        },
        ("npm ci", "npm run build"),
        "npm start",
    ),
    "node without a script": (
        {"package.json": '{"main": "index.js"}', "index.js": SERVER_JS},
        (),
        "node index.js",
    ),
    "go, one package": (
        {"go.mod": "module example.org/shop\n\ngo 1.22\n", "main.go": "package main\n"},
        ("go build -o {out}/shop ./.",),
        "{out}/shop",
    ),
    "go, under cmd": (
        {
            "go.mod": "module example.org/shop\n",
            "shop.go": "package shop\n",
            "cmd/serve/main.go": "// x\npackage main\n",
        },
        ("go build -o {out}/serve ./cmd/serve",),
        "{out}/serve",
    ),
    "rust": (
        {
            "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n',
            "Cargo.lock": "",
            "src/main.rs": "fn main() {}",
        },
        ("cargo build --release --locked --target-dir {out}/target",),
        "{out}/target/release/shop",
    ),
    "rust, with a binary of another name": (
        {"Cargo.toml": '[package]\nname = "shop"\n[[bin]]\nname = "serve"\n'},
        ("cargo build --release --target-dir {out}/target",),
        "{out}/target/release/serve",
    ),
    "FastAPI": (
        {"requirements.txt": "fastapi==0.115\nuvicorn[standard]\n", "shop/main.py": FASTAPI},
        ("python3 -m venv {out}/venv", f"{PIP} -r requirements.txt"),
        "{out}/venv/bin/uvicorn shop.main:app --host {host} --port {port} --workers {workers}"
        " --no-access-log",
    ),
    "Flask under gunicorn, in a pyproject": (
        {
            "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["Flask>=3", "gunicorn"]\n',
            "app.py": "import flask\nserver = flask.Flask(__name__)\n",
        },
        ("python3 -m venv {out}/venv", f"{PIP} ."),
        "{out}/venv/bin/gunicorn app:server --bind {host}:{port} --workers {workers}",
    ),
    "Flask alone": (
        {"requirements.txt": "flask\n", "app.py": "app = Flask(__name__)\n"},
        ("python3 -m venv {out}/venv", f"{PIP} -r requirements.txt"),
        "{out}/venv/bin/flask --app app:app run --host {host} --port {port}",
    ),
    "Django": (
        {
            "requirements.txt": "Django~=5.0\ngunicorn\n",
            "manage.py": "",
            "shop/wsgi.py": "application = get_wsgi_application()\n",
        },
        ("python3 -m venv {out}/venv", f"{PIP} -r requirements.txt"),
        "{out}/venv/bin/gunicorn shop.wsgi:application --bind {host}:{port} --workers {workers}",
    ),
    "a Procfile, before all else": (
        {
            "Procfile": "release: python manage.py migrate\nweb: gunicorn app:app -b 0.0.0.0:$PORT",
            "requirements.txt": "gunicorn\nflask\n",
            "app.py": "app = Flask(__name__)\n",
            "Dockerfile": 'FROM python:3\nCMD ["flask", "run"]\n',
        },
        ("python3 -m venv {out}/venv", f"{PIP} -r requirements.txt"),
        "{out}/venv/bin/gunicorn app:app -b 0.0.0.0:{port}",
    ),
    "a Procfile alone": ({"Procfile": "web: python3 app.py\n"}, (), "python3 app.py"),
    "a Dockerfile alone": (
        {"Dockerfile": 'FROM ruby:3\nEXPOSE 4567\nENTRYPOINT ["ruby"]\nCMD ["app.rb", "-p x"]\n'},
        (),
        "ruby app.rb '-p x'",
    ),
    "a Dockerfile in a shell's words": (
        {"Dockerfile": "FROM x\ncmd ./serve --port ${PORT:-80} \\\n  && true\n"},
        (),
        "sh -c './serve --port {port}    && true'",
    ),
}


def project(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("name", PROJECTS)
def test_each_kind_of_project_says_how_it_is_built_and_started(tmp_path: Path, name: str) -> None:
    files, build, command = PROJECTS[name]
    start = look(project(tmp_path, files))
    assert (start.build, start.command) == (build, command)
    assert start.hints, "where that comes from is said"
    made = Contender.checked(tomllib.loads(contender_toml("a Shop!", start)), "contender.toml")
    assert (made.name, made.title, made.run.command) == ("a-shop", "a Shop!", command)
    assert made.serves == {"get": "/"}


def guesses(start: Start) -> list[str]:
    return [hint.text for hint in start.hints if hint.guessed]


def test_where_nothing_reads_the_port_it_is_said(tmp_path: Path) -> None:
    fixed = {"Procfile": "web: node a.js", "a.js": "listen(8080)", "Dockerfile": "EXPOSE 8080"}
    start = look(project(tmp_path, fixed))
    assert ["$PORT" in guess for guess in guesses(start)] == [True]
    assert ["8080" in hint.text for hint in start.hints].count(True) == 1
    (tmp_path / "a.js").write_text(SERVER_JS)
    assert guesses(look(tmp_path)) == []


def test_several_programs_are_a_guess(tmp_path: Path) -> None:
    two = {f"cmd/{name}/main.go": "package main" for name in ("migrate", "serve")}
    start = look(project(tmp_path, {"go.mod": "module m\n", **two}))
    assert start.hints[0].guessed


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"README.md": "A server."},
        {"package.json": "{"},
        {"package.json": "[]"},
        {"package.json": "{}"},
        {"Cargo.toml": '[workspace]\nmembers = ["a"]'},
        {"Cargo.toml": "= broken"},
        {"go.mod": "module a library", "a.go": "package a"},
        {"pyproject.toml": '[project]\nname = "library"'},
        {"Procfile": "worker: python3 work.py"},
    ],
    ids=str,
)
def test_where_nothing_says_so_nothing_is_invented(tmp_path: Path, files: dict[str, str]) -> None:
    assert look(project(tmp_path, files)).command == ""


def test_a_shell_is_there_where_it_is_needed() -> None:
    assert without_shell("node a.js --port $PORT") == "node a.js --port {port}"
    assert without_shell("exec ./a") == "./a"
    assert without_shell("./a > log") == "sh -c './a > log'"
    assert without_shell("A=$HOME ./a") == "sh -c 'A=$HOME ./a'"
