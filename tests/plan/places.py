"""Where plans are made in these tests: a small catalogue, or the shipped one, on two cores."""

from collections.abc import Sequence
from pathlib import Path

from bakeoff.plan import Catalogue, Environment

SHIPPED = Catalogue.shipped()
CONTENDER = """
name = "{name}"
title = "{name}"
language = "C"
kind = "server"
pipelines = {pipelines}
[run]
command = "./x"
[serves]
{serves} = "/{name}"
"""


def environment(
    catalogue: Catalogue = SHIPPED, directory: Path = Path("/"), cores: int = 2
) -> Environment:
    return Environment(catalogue, directory, range(cores), "now", ("bakeoff",))


def contender(parent: Path, name: str, *, pipelines: bool = True, serves: str = "hello") -> Path:
    folder = parent / name
    folder.mkdir(parents=True)
    text = CONTENDER.format(name=name, pipelines=str(pipelines).lower(), serves=serves)
    (folder / "contender.toml").write_text(text)
    return folder


def catalogue(root: Path, *names: str, workloads: Sequence[str] = ("hello",)) -> Catalogue:
    """A catalogue of contenders, which serve hello."""
    for name in names:
        contender(root / "contenders", name)
    (root / "workloads").mkdir()
    for name in workloads:
        (root / "workloads" / f"{name}.toml").write_text(f'name = "{name}"\ntitle = "{name}"\n')
    return Catalogue(root)
