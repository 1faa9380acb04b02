"""What a word on the command line names."""

from pathlib import Path

import pytest

from bakeoff.model.errors import BadUsage
from bakeoff.plan import Catalogue, Named, name_contenders

CATALOGUE = Catalogue.shipped()


def named(words: list[str], here: Path, **more: list[int]) -> list[Named]:
    return name_contenders(words, CATALOGUE, here, **more)


def folder(parent: Path, name: str) -> Path:
    made = parent / name
    made.mkdir()
    (made / "contender.toml").write_text(
        f'name = "{name}"\ntitle = "T"\nlanguage = "C"\nkind = "server"\n'
        '[run]\ncommand = "./x"\n[serves]\nhello = "/"\n'
    )
    return made


def test_a_bare_word_is_a_catalogue_name(tmp_path: Path) -> None:
    (one,) = named(["nginx"], tmp_path)
    assert (one.name, one.origin) == ("nginx", "catalogue")
    assert one.folder == CATALOGUE.root / "contenders" / "nginx"


def test_a_path_is_a_folder_even_with_spaces(tmp_path: Path) -> None:
    (tmp_path / "my servers").mkdir()
    made = folder(tmp_path / "my servers", "old")
    (one,) = named(["./my servers/old"], tmp_path)
    assert (one.name, one.origin, one.folder) == ("old", "folder", made)


def test_several_words_are_a_command_that_runs_where_it_was_typed(tmp_path: Path) -> None:
    (one,) = named(["python3 -m http.server $PORT"], tmp_path)
    assert (one.origin, one.folder) == ("command", tmp_path)
    assert one.contender
    assert one.contender.run.command == "python3 -m http.server {port}"


def test_a_url_is_something_already_up(tmp_path: Path) -> None:
    (one,) = named(["http://127.0.0.1:8080/a?b=c"], tmp_path)
    assert one.attached
    assert (one.attached.address, one.attached.path) == ("127.0.0.1:8080", "/a?b=c")


def test_a_name_that_comes_again_gets_a_number(tmp_path: Path) -> None:
    assert [one.name for one in named(["nginx"] * 3, tmp_path)] == ["nginx", "nginx#2", "nginx#3"]


def test_ports_go_to_the_commands_in_their_order(tmp_path: Path) -> None:
    found = named(["nginx", "python3 a.py", "python3 b.py"], tmp_path, ports=[3000, 3001])
    assert [one.fixed_port for one in found] == [None, 3000, 3001]


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("ngnix", "there is no contender called ngnix; did you mean nginx or granian or gin?"),
        ("zzz", "the catalogue has: "),
        ("./nowhere", "no such folder or program"),
        ("nosuchprogram --port 1", "there is no program called nosuchprogram"),
        ("python3 'a", "cannot be split into words"),
        ("python3 {prot}", "{prot} is not a placeholder"),
        ("https://localhost/", "plain HTTP"),
        ("http:///x", "names no host"),
        ("http://localhost:99999/", "is no URL"),
        ("", "is empty"),
    ],
)
def test_a_word_that_names_nothing_is_refused(tmp_path: Path, word: str, says: str) -> None:
    with pytest.raises(BadUsage) as caught:
        named([word], tmp_path)
    assert says in str(caught.value)


def test_a_folder_without_a_contender_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadUsage, match=r"has no contender\.toml"):
        named(["./empty"], tmp_path)


def test_a_contender_whose_name_is_not_its_folders_is_refused(tmp_path: Path) -> None:
    folder(tmp_path, "a").rename(tmp_path / "b")
    with pytest.raises(BadUsage, match="`name` is `a`, but the folder is `b`"):
        named(["./b"], tmp_path)


def test_a_port_or_pid_without_an_owner_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadUsage, match="--port 3000: there is no command"):
        named(["nginx"], tmp_path, ports=[3000])
    with pytest.raises(BadUsage, match="--pid 1: there is no URL"):
        named(["nginx"], tmp_path, pids=[1])
    with pytest.raises(BadUsage, match="there is no such process"):
        named(["http://127.0.0.1:1/"], tmp_path, pids=[2**22 + 1])
