"""From an operand to a contender."""

from pathlib import Path
from typing import Any

import pytest

from bakeoff.plan import ResolvedContender, resolve_contenders
from tests.plan.places import SHIPPED, contender


def resolve(operands: list[str], directory: Path, **more: Any) -> list[ResolvedContender]:
    return resolve_contenders(operands, SHIPPED, directory, **more)


def test_a_bare_name_is_a_catalogue_name(tmp_path: Path) -> None:
    (resolved,) = resolve(["nginx"], tmp_path)
    assert (resolved.name, resolved.origin) == ("nginx", "catalogue")
    assert resolved.folder == SHIPPED.root / "contenders" / "nginx"


def test_a_path_is_a_folder_even_with_spaces(tmp_path: Path) -> None:
    made = contender(tmp_path / "my servers", "old")
    (resolved,) = resolve(["./my servers/old"], tmp_path)
    assert (resolved.name, resolved.origin, resolved.folder) == ("old", "folder", made)


def test_several_words_are_a_command_that_runs_where_it_was_typed(tmp_path: Path) -> None:
    (resolved,) = resolve(["python3 -m http.server $PORT"], tmp_path)
    assert (resolved.origin, resolved.folder) == ("command", tmp_path)
    assert resolved.contender
    assert resolved.contender.run.command == "python3 -m http.server {port}"


@pytest.mark.parametrize(
    ("typed", "shell", "name"),
    [
        ("node a.js --port {port}", False, "a.js"),
        ("node a.js '$HOME && {port}'", False, "a.js"),
        ("python3 -c 'import a; a.b()'", False, "python3 -c 'import a; a.b()'"),
        ("env A=1 node a.js", False, "a.js"),
        ("cd 'my app' && A=1 node a.js", True, "a.js"),
        ("exec node a.js", True, "a.js"),
        ("node a.js >log 2>&1", True, "a.js"),
        ('node a.js "$HOME/b"', True, "a.js"),
        ("node $(cat main)", True, None),
        ("cat x | node a.js", True, None),
    ],
)
def test_shell_syntax_takes_one(tmp_path: Path, typed: str, shell: bool, name: str | None) -> None:
    (resolved,) = resolve([typed], tmp_path)
    assert resolved.contender and resolved.contender.run.shell == shell
    if name and "import" not in typed:
        assert resolved.name == name


def test_a_url_is_something_already_up(tmp_path: Path) -> None:
    (resolved,) = resolve(["http://127.0.0.1:8080/a?b=c"], tmp_path)
    assert resolved.attached
    assert (resolved.attached.address, resolved.attached.path) == ("127.0.0.1:8080", "/a?b=c")


def test_a_name_that_comes_again_gets_a_number(tmp_path: Path) -> None:
    assert [one.name for one in resolve(["nginx"] * 3, tmp_path)] == ["nginx", "nginx#2", "nginx#3"]


def test_ports_go_to_the_commands_in_their_order(tmp_path: Path) -> None:
    resolved = resolve(["nginx", "python3 a.py", "python3 b.py"], tmp_path, ports=[3000, 3001])
    assert [one.fixed_port for one in resolved] == [None, 3000, 3001]


def test_a_folder_goes_by_its_own_name_so_a_repository_may_be_cloned_twice(tmp_path: Path) -> None:
    for name in ("old", "new one"):
        contender(tmp_path, "shop").rename(tmp_path / name)
    resolved = resolve(["./old", "./new one"], tmp_path)
    assert [one.name for one in resolved] == ["old", "new one"]
