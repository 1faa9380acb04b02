"""What `bakeoff init` writes keeps the contracts of those files."""

import tomllib

from bakeoff.model.ci import ProjectFile
from bakeoff.model.contender import Contender
from bakeoff.plan.hints import Start
from bakeoff.plan.templates import bakeoff_toml, catalogue_toml


def made(start: Start) -> Contender:
    return Contender.checked(tomllib.loads(catalogue_toml("a Server!", start)), "contender.toml")


def test_one_of_the_catalogue_has_all_that_the_catalogue_wants() -> None:
    tools = (("node", "node --version"),)
    contender = made(Start("JavaScript", "node server.js", ("npm ci",), tools))
    assert (contender.name, contender.run.command) == ("a-server", "node server.js")
    assert contender.requires["node"].apt == ("nodejs", "npm")
    assert contender.version and contender.version.command == "node --version"
    assert set(contender.serves) == {"hello", "empty", "json"}


def test_without_a_known_tool_its_program_is_taken_to_know_its_version() -> None:
    contender = made(Start(command="./serve -p {port}"))
    assert contender.version and contender.version.command == "./serve --version"


def test_bakeoff_toml_keeps_its_contract() -> None:
    project = ProjectFile.checked(tomllib.loads(bakeoff_toml()), "bakeoff.toml")
    assert (project.contender, project.duration) == (".", "3m")
    assert project.gates == ("head >= 0.98 * base",)
