"""Contracts refuse what they don't know, and say where and what would be right."""

import subprocess
from pathlib import Path

import pytest

from bakeoff import __version__
from bakeoff.model.base import Contract
from bakeoff.model.contender import Contender, argument_list
from bakeoff.model.errors import BadFile
from bakeoff.model.verdict import Verdict
from bakeoff.schemas import CONTRACTS, schemas

ROOT = Path(__file__).parents[2]
GOOD = """
name = "x"
title = "X"
language = "C"
kind = "server"
[run]
command = "{out}/x --port {port}"
[serves]
hello = "/"
"""


def contender(tmp_path: Path, text: str) -> Contender:
    path = tmp_path / "contender.toml"
    path.write_text(text)
    return Contender.read_toml(path)


def test_a_good_file_is_read(tmp_path: Path) -> None:
    read = contender(tmp_path, GOOD)
    assert read.run.command == "{out}/x --port {port}"
    assert read.run.ready_timeout_s == 60
    assert read.protocols == ("h1",)


def test_a_contender_names_the_protocols_that_it_speaks(tmp_path: Path) -> None:
    text = GOOD.replace("[run]", 'protocols = ["h1", "h2c", "h2"]\n[run]')
    assert contender(tmp_path, text).protocols == ("h1", "h2c", "h2")


VERSIONED = {
    name: contract
    for name, contract in CONTRACTS.items()
    if "schema_" in getattr(contract, "model_fields", ())
}


@pytest.mark.parametrize("contract", VERSIONED.values(), ids=VERSIONED)
def test_a_file_of_a_newer_bakeoff_is_told_from_a_broken_one(contract: type[Contract]) -> None:
    here = contract.model_fields["schema_"].default
    newer = f"{here.partition('/')[0]}/99"
    with pytest.raises(BadFile) as caught:
        contract.checked({"schema": newer, "a key of its own": 1}, "result.json")
    assert str(caught.value) == (
        f"result.json: `schema` is {newer}, of a newer bakeoff; "
        f"bakeoff {__version__} reads {here}: upgrade bakeoff"
    )


def test_a_schema_with_thousands_of_digits_is_a_newer_one() -> None:
    with pytest.raises(BadFile, match=r"^verdict.json: "):
        Verdict.checked({"schema": f"bakeoff.verdict/{'9' * 5000}"}, "verdict.json")


def test_a_file_of_an_earlier_bakeoff_is_named() -> None:
    with pytest.raises(BadFile, match=r"bakeoff.verdict/0"):
        Verdict.checked({"schema": "bakeoff.verdict/0"}, "verdict.json")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="No such file"):
        Contender.read_toml(tmp_path / "contender.toml")


def test_a_value_with_spaces_stays_one_argument() -> None:
    words = argument_list("'{out}/my server' --root={here}", {"out": "/a b", "here": "/c d"})
    assert words == ["/a b/my server", "--root=/c d"]


@pytest.mark.parametrize(
    ("written", "before"),
    [
        ("{out}", ""),
        ('"{out}"', ""),
        ("'{out}'", ""),
        (r"""'\'"{out}" """, "\\"),
        (r"""\"'{out}'""", '"'),
        (r"""\'{out}""", "'"),
    ],
)
@pytest.mark.parametrize("value", ["/a b", "it's", 'a "b"', "$HOME `id` \\"])
def test_in_a_shell_a_value_stays_whole_within_quotes_too(
    written: str, before: str, value: str
) -> None:
    words = argument_list(f"printf %s {written}", {"out": value}, shell=True)
    said = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    assert said == before + value


def test_braces_that_are_no_placeholder_stay() -> None:
    assert argument_list("awk {print} {port}", {"port": "1"}) == ["awk", "{print}", "1"]


def test_the_schemas_in_docs_are_current() -> None:
    kept = {path.name: path.read_text() for path in (ROOT / "docs/schemas").iterdir()}
    assert kept == schemas(), "run: make schemas"
