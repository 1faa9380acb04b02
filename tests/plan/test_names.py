"""What contenders are called."""

from pathlib import Path

import pytest

from bakeoff.model.plan import Plan
from bakeoff.plan import RaceOptions, plan_race, resolve_contenders
from bakeoff.plan.names import NAME_LENGTH_MAX, command_names, folder_names, split_name, url_names
from tests.plan.places import SHIPPED, contender, environment


@pytest.mark.parametrize(
    ("commands", "names"),
    [
        (["python3 -m http.server {port}", "python3 app.py"], ["http.server", "app.py"]),
        (["node a.js", "node b.js"], ["a.js", "b.js"]),
        (["node app.js", "node --jitless app.js"], ["app.js", "app.js --jitless"]),
        (["x app:app -w 1", "x app:app -w 4"], ["-w 1", "-w 4"]),
        (["x a:app --port {port}", "x b:app --port {port}"], ["a:app", "b:app"]),
        (["x --loop one", "x --loop two"], ["--loop one", "--loop two"]),
        (["x --config=a.toml", "x --config=b.toml"], ["--config=a.toml", "--config=b.toml"]),
        (["python3 /srv/old/app.py", "python3 /srv/new/app.py"], ["old/app.py", "new/app.py"]),
        (["python3.11 app.py", "python3.12 app.py"], ["python3.11", "python3.12"]),
        (["python3 -m x {port}", "python3 -m x -d y {port}"], ["x", "x -d y"]),
        (["sh -c 'exec python3 -u app.py'", "env A=1 ./app"], ["app.py", "app"]),
        (["php -S {host}:{port}", "busybox httpd -f -p {port}"], ["php", "httpd"]),
        (["java -jar a.jar", "java -Xmx1g -jar a.jar"], ["a.jar", "a.jar -Xmx1g"]),
        (["x $PORT", "python3"], ["x", "python3"]),
        (["x -a", "x -b", "x -a -b"], ["x -a", "x -b", "x -a -b"]),
    ],
)
def test_commands_are_called_by_distinctive_words(commands: list[str], names: list[str]) -> None:
    assert command_names(commands) == names


def test_folders_and_urls_by_their_ends_and_places() -> None:
    assert folder_names(["/a/old", "/a/new"]) == ["old", "new"]
    assert folder_names(["/old/app", "/new/app"]) == ["old/app", "new/app"]
    urls = ["http://h:1/", "http://h:2/x"]
    assert url_names(urls) == ["h:1", "h:2"]
    assert url_names(["http://h/a", "http://h/b?c=d"]) == ["/a", "/b?c=d"]
    assert url_names(["http://h/a", "http://h/b", "http://i/b"]) == ["h/a", "h/b", "i"]


def called(operands: list[str], directory: Path) -> list[str]:
    return [resolved.name for resolved in resolve_contenders(operands, SHIPPED, directory)]


def test_a_name_is_given_with_an_equals_sign(tmp_path: Path) -> None:
    contender(tmp_path, "shop")
    operands = ["api=python3 a.py", "here=http://127.0.0.1:1/?x=y", "my-shop=./shop", "n=nginx"]
    assert called(operands, tmp_path) == ["api", "here", "my-shop", "n"]


def test_what_is_there_twice_has_a_number_and_what_only_seems_so_its_words(tmp_path: Path) -> None:
    contender(tmp_path / "my", "nginx")
    assert called(["python3 a", "python3 a"], tmp_path) == ["a", "a#2"]
    assert called(["a=python3 a", "a=python3 a"], tmp_path) == ["a", "a#2"]
    assert called(["nginx", "my/nginx"], tmp_path) == ["nginx", "my/nginx"]
    assert called(["a=python3 b", "python3 a"], tmp_path) == ["a", "python3 a"]


def test_a_long_command_has_a_short_name(tmp_path: Path) -> None:
    (name, other) = called([f"python3 {'x' * 300}", "python3 y"], tmp_path)
    assert len(name) == NAME_LENGTH_MAX and other == "y"


def test_a_path_with_an_equals_sign_is_a_path(tmp_path: Path) -> None:
    contender(tmp_path, "x").rename(tmp_path / "a=b")
    assert called(["a=b"], tmp_path) == ["a=b"]


def test_only_what_has_an_equals_sign_before_its_first_space_has_a_name() -> None:
    for operand in ("python3 a.py --x=1", "http://h/?a=b", "./a=b", "nginx"):
        assert split_name(operand) == (None, operand)


def test_a_reference_and_gates_take_short_names_and_what_was_typed(tmp_path: Path) -> None:
    operands = ["python3 old.py", "fresh=python3 new.py"]
    gates = ('"python3 new.py" >= 0.98 * old.py', "fresh > old.py")
    options = RaceOptions(reference="python3 new.py", gates=gates)
    plan = plan_race(operands, options, environment(directory=tmp_path))
    assert isinstance(plan, Plan)
    assert plan.reference == "fresh"
    assert [(gate.left, gate.right) for gate in plan.gates] == [("fresh", "old.py")] * 2
    assert plan.entries[0].title == "python3 old.py"
