"""Building: once per state of the sources, whole or not at all."""

from pathlib import Path

import pytest

from bakeoff.build import build, is_built, missing_tools
from bakeoff.model.contender import Contender
from bakeoff.model.errors import ContenderOut
from bakeoff.model.receipt import Receipt


def contender(folder: Path, command: object, **more: object) -> Contender:
    folder.mkdir(exist_ok=True)
    return Contender.checked(
        {
            "name": "x",
            "title": "T",
            "language": "sh",
            "kind": "server",
            "build": {"command": command},
            "run": {"command": "{out}/server"},
            "serves": {"hello": "/"},
            **more,
        },
        "here",
    )


def test_commands_run_in_order_in_the_folder_and_leave_a_receipt(tmp_path: Path) -> None:
    folder = tmp_path / "with a space"
    folder.mkdir()
    (folder / "source").write_text("v1")
    made = contender(folder, ["cp source {out}/server", "cp {out}/server '{out}/a copy'"])
    receipt = build(made, folder)
    assert (folder / ".out" / "a copy").read_text() == "v1"
    assert receipt.commands[0] == ("cp", "source", f"{folder}/.out/server")
    assert Receipt.read_json(folder / ".out" / "receipt.json") == receipt


def test_it_is_built_again_only_when_sources_change(tmp_path: Path) -> None:
    made = contender(tmp_path / "x", "mktemp -p {out} built-XXXXXX")
    assert not is_built(made, tmp_path / "x")
    first = build(made, tmp_path / "x")
    assert is_built(made, tmp_path / "x")
    assert build(made, tmp_path / "x") == first
    assert len(list((tmp_path / "x" / ".out").glob("built-*"))) == 1
    (tmp_path / "x" / "source").write_text("new")
    assert not is_built(made, tmp_path / "x")
    assert build(made, tmp_path / "x").source_sha256 != first.source_sha256
    assert len(list((tmp_path / "x" / ".out").glob("built-*"))) == 1, "it is built from nothing"


def test_sources_beside_its_folder_build_it_again_too(tmp_path: Path) -> None:
    library, header = tmp_path / "library", tmp_path / "header.h"
    (library / "src").mkdir(parents=True)
    (library / "src" / "a.c").write_text("1")
    header.write_text("1")
    build_section = {"command": "true", "sources": ["../library", "../header.h"]}
    made = contender(tmp_path / "x", "true", build=build_section)
    hashes = [build(made, tmp_path / "x").source_sha256]
    for changed in (library / "src" / "a.c", header, library / "new"):
        changed.write_text("2")
        assert not is_built(made, tmp_path / "x")
        hashes.append(build(made, tmp_path / "x").source_sha256)
        assert is_built(made, tmp_path / "x")
    assert len(set(hashes)) == 4


def test_a_source_that_is_not_there_is_named(tmp_path: Path) -> None:
    build_section = {"command": "true", "sources": ["../library"]}
    made = contender(tmp_path / "x", "true", build=build_section)
    with pytest.raises(ContenderOut, match=rf" \.\./library.* {tmp_path}/library"):
        build(made, tmp_path / "x")
    assert not is_built(made, tmp_path / "x")


def test_it_is_built_again_when_its_commands_change(tmp_path: Path) -> None:
    first = build(contender(tmp_path / "x", "touch {out}/a"), tmp_path / "x")
    changed = contender(tmp_path / "x", "touch {out}/b")
    assert not is_built(changed, tmp_path / "x")
    second = build(changed, tmp_path / "x")
    assert first.commands != second.commands
    assert not (tmp_path / "x" / ".out" / "a").exists()


def test_it_is_built_again_when_a_tool_has_another_version(tmp_path: Path) -> None:
    first, second, gone = (
        contender(tmp_path / "x", "true", requires={"tool": {"check": check}})
        for check in ("echo 1", "echo 2", "false")
    )
    build(first, tmp_path / "x")
    assert is_built(first, tmp_path / "x")
    assert not is_built(second, tmp_path / "x")
    assert is_built(gone, tmp_path / "x"), "it can't be built again"
    assert build(second, tmp_path / "x").tools == {"tool": "2"}


def test_a_failing_build_shows_the_end_of_its_log_and_is_not_kept(tmp_path: Path) -> None:
    made = contender(tmp_path / "x", ["seq 100", "ls no-such-file"])
    with pytest.raises(ContenderOut, match=r"(?s)`ls no-such-file` .* 2.*'no-such-file'"):
        build(made, tmp_path / "x")
    assert (tmp_path / "x" / ".out" / "build.log").read_text().startswith("$ seq 100\n1\n2\n")
    assert not is_built(made, tmp_path / "x")


@pytest.mark.parametrize(
    ("printed", "cause"),
    [
        ("dial tcp: lookup proxy.golang.org: no such host", "this machine seems to be offline"),
        ("npm error code EAI_AGAIN", "this machine seems to be offline"),
        ("x.c:1:10: fatal error: Python.h: No such file", "sudo apt-get install python3-dev"),
    ],
)
def test_a_known_cause_of_a_failing_build_is_named_with_its_fix(
    tmp_path: Path, printed: str, cause: str
) -> None:
    made = contender(tmp_path / "x", f"sh -c 'echo {printed}; exit 1'")
    with pytest.raises(ContenderOut) as caught:
        build(made, tmp_path / "x")
    assert cause in str(caught.value).splitlines()[0]


def test_a_missing_tool_is_named_with_its_package(tmp_path: Path) -> None:
    requires = {"nocc": {"check": "nocc --version", "apt": ["nocc-dev"]}, "sh": {"check": "true"}}
    made = contender(tmp_path / "x", "true", requires=requires)
    assert [one.tool for one in missing_tools([(made, tmp_path / "x")])[0]] == ["nocc"]
    with pytest.raises(ContenderOut, match=r" nocc: .* nocc-dev"):
        build(made, tmp_path / "x")


def test_contenders_that_need_the_same_tool_have_it_checked_once(tmp_path: Path) -> None:
    counted = f"sh -c 'echo >> {tmp_path}/checks; exit $0' {{status}}"
    several = []
    for name, status in (("a", 0), ("b", 0), ("c", 1), ("d", 1)):
        tool = {"check": counted.format(status=status)}
        several.append(
            (contender(tmp_path / name, "true", requires={"tool": tool}), tmp_path / name)
        )
    assert [len(each) for each in missing_tools(several)] == [0, 0, 1, 1]
    assert len((tmp_path / "checks").read_text()) == 2
    missing_tools(several)
    assert len((tmp_path / "checks").read_text()) == 3, "what was missing may be there now"


def test_a_check_of_a_file_of_the_folder_is_the_folders_own(tmp_path: Path) -> None:
    several = []
    for name in ("a", "b"):
        folder = tmp_path / name
        made = contender(folder, "true", requires={"tool": {"check": "sh ./check"}})
        (folder / "check").write_text(f"exit {int(name == 'b')}\n")
        several.append((made, folder))
    assert [len(each) for each in missing_tools(several)] == [0, 1]


def test_a_version_command_that_fails_means_that_nothing_was_built(tmp_path: Path) -> None:
    made = contender(tmp_path / "x", "true", version={"command": "{out}/server --version"})
    with pytest.raises(ContenderOut, match=f"`{tmp_path}/x/.out/server --version`"):
        build(made, tmp_path / "x")


def test_build_variables_are_filled(tmp_path: Path) -> None:
    section = {"command": "sh -c 'echo $WHERE > {out}/said'", "env": {"WHERE": "{here}"}}
    build(contender(tmp_path / "x", "", build=section), tmp_path / "x")
    assert (tmp_path / "x" / ".out" / "said").read_text().strip() == str(tmp_path / "x")
