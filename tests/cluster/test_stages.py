"""What is asked of several server nodes, they do at the same time."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from bakeoff.build import Wanted
from bakeoff.cluster.remote import Node
from bakeoff.cluster.stages import stages
from bakeoff.model.errors import ContenderOut
from bakeoff.progress import Watch
from tests.cluster.test_sources import BUILT, contender


class Told:
    """A node that writes down when it is asked to build, and when it is waited for."""

    def __init__(self, address: str, seen: list[str]) -> None:
        self.address, self._seen = address, seen

    def call(self, _key: str, name: str, *_: object) -> object:
        return {"has_sources": True, "take_sources": "/there"}[name]

    def begin(self, _key: str, name: str, *_: object) -> Callable[[], Any]:
        self._seen.append(f"{self.address} begins to {name}")

        def result() -> list[ContenderOut]:
            self._seen.append(f"{self.address} is waited for")
            return [ContenderOut(f"not on {self.address}")]

        return result


def test_contenders_are_built_on_all_server_nodes_at_a_time(tmp_path: Path) -> None:
    (tmp_path / "beside").mkdir()
    wanted = [Wanted("mine", contender(tmp_path / "mine", BUILT), tmp_path / "mine")]
    seen: list[str] = []
    nodes = [cast(Node, Told(each, seen)) for each in ("one", "two", "load")]
    built = stages(nodes[:2], nodes[2:]).servers.build(wanted, Watch())
    assert [str(each) for each in built] == ["not on one"]
    assert seen == [
        "one begins to build",
        "two begins to build",
        "one is waited for",
        "two is waited for",
    ]
