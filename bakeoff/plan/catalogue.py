"""The catalogue: folders with a contender.toml, workloads, articles, the default line-up."""

from dataclasses import dataclass
from pathlib import Path

from bakeoff import installation
from bakeoff.model.article import Article
from bakeoff.model.base import Contract
from bakeoff.model.contender import Contender
from bakeoff.model.errors import BadFile, BadUsage, nearest
from bakeoff.model.plan import Entry
from bakeoff.model.workload import Workload
from bakeoff.plan.workloads import with_files

CONTENDER_FILE = "contender.toml"
UPSTREAM, DATABASE, ECHO = "upstream", "database", "echo-upstream"
"""The folders of the services that may be upstreams of the contenders."""


class LineUp(Contract):
    """contenders/lineup.toml: the contenders of a race that names none."""

    default: tuple[str, ...]


def read_contender(folder: Path) -> Contender:
    """The contender in a folder of the catalogue.

    Raises `BadFile` where its name isn't the folder's. Outside the catalogue they may differ:
    people clone one repository into several folders.
    """
    path = folder / CONTENDER_FILE
    contender = Contender.read_toml(path)
    if contender.name != folder.resolve().name:
        fault = f"is `{contender.name}`, but the folder is `{folder.resolve().name}`: use one name"
        raise BadFile(path, "name", fault)
    return contender


@dataclass(frozen=True)
class Catalogue:
    """The `contenders/`, `workloads/` and `articles/` of `root`."""

    root: Path

    @classmethod
    def shipped(cls) -> "Catalogue":
        return cls(installation.shipped("catalogue"))

    def names(self) -> list[str]:
        folders = self.root / "contenders"
        return sorted(path.parent.name for path in folders.glob(f"*/{CONTENDER_FILE}"))

    def folder(self, name: str) -> Path:
        """The folder of the contender `name`. Raises `BadUsage` with the nearest names."""
        folder = self.root / "contenders" / name
        # To list all of them for each one takes a board's plan a second.
        if Path(name).name != name or not (folder / CONTENDER_FILE).exists():
            names = self.names()
            hint = nearest(name, names, "the catalogue has")
            raise BadUsage(
                f"there is no contender called {name}{hint}\n"
                "A contender is a catalogue name (see `bakeoff contenders`), a folder with "
                'contender.toml, a quoted command ("node app.js") or a URL.'
            )
        return folder

    def default_line_up(self) -> tuple[str, ...]:
        return LineUp.read_toml(self.root / "contenders" / "lineup.toml").default

    def article_names(self) -> list[str]:
        return sorted(path.stem for path in (self.root / "articles").glob("*.toml"))

    def article(self, name: str) -> Article:
        """The article `name`, or the one in the file of that name.

        Raises `BadUsage` with the nearest names, `BadFile`.
        """
        if name.endswith(".toml"):
            return Article.read_toml(Path(name))
        if name not in self.article_names():
            hint = nearest(name, self.article_names(), "there are")
            raise BadUsage(f"there is no article called {name}{hint}")
        path = self.root / "articles" / f"{name}.toml"
        article = Article.read_toml(path)
        if article.name != name:
            raise BadFile(
                path, "name", f"is `{article.name}`, but the file is `{name}.toml`: use one name"
            )
        return article

    def upstream(self, workload: Workload) -> Entry | None:
        if not workload.has_upstream:
            return None
        name = ECHO if workload.websocket else UPSTREAM
        folder = self.root / (DATABASE if workload.database_rows else name)
        contender = read_contender(folder)
        return Entry(
            name=contender.name,
            title=contender.title,
            origin="catalogue",
            contender=contender,
            folder=str(folder),
            path="/",
        )

    def workload(self, name: str) -> Workload:
        """The workload `name`. Raises `BadUsage` with the nearest names."""
        folder = self.root / "workloads"
        names = sorted(path.stem for path in folder.glob("*.toml"))
        if name not in names:
            hint = nearest(name, names, "there are")
            raise BadUsage(f"there is no workload called {name}{hint}")
        path = folder / f"{name}.toml"
        return with_files(Workload.read_toml(path), path)
