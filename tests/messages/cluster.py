"""`--cluster`: what a Ray cluster lacks. Ray itself is not started."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from bakeoff import satellites
from bakeoff.cluster import joining
from bakeoff.cluster.head import Member
from bakeoff.model.machine import Cluster
from tests.cluster.test_joining import HEAD, node
from tests.messages.case import Scene, Section, Situation, case, cases
from tests.messages.worlds import A, world
from tests.verify.protocols import serve_http_1
from tests.verify.serving import serving


def _somebody_else(scene: Scene) -> None:
    scene.stands_for["PORT"] = str(scene.until_end.enter_context(serving(serve_http_1)))


def _without_ray(scene: Scene) -> None:
    # It is imported in another process.
    scene.write("others/ray.py", "raise ModuleNotFoundError(\"No module named 'ray'\")\n")
    scene.patch.setenv("PYTHONPATH", str(scene.folder / "others"))


def members(*resources: str, **facts: object) -> Situation:
    """Ray lists nodes with these resources, 10.0.0.1 and so on, whose machines say these facts."""

    def situation(scene: Scene) -> None:
        @contextmanager
        def connected(_address: str) -> Iterator[Any]:
            yield SimpleNamespace(address=HEAD, members=lambda: there, gone=lambda: "")

        @contextmanager
        def agents(members: Sequence[Any], *_: object) -> Iterator[tuple[list[None], list[Any]]]:
            nodes = (node(roles=(role,), address=each.address, **facts) for role, each in members)
            yield [], [*nodes]

        there = [
            Member(str(n), f"10.0.0.{n}", dict.fromkeys(each.split(), 1.0))
            for n, each in enumerate(resources, start=1)
        ]
        scene.patch.setattr(joining, "connected", connected)
        scene.patch.setattr(joining, "agents", agents)

    return situation


def joined(server_cpus: tuple[int, ...] = (0, 1), load_cpus: tuple[int, ...] = (0, 1)) -> Situation:
    """A cluster of 10.0.0.1, which serves, and 10.0.0.2, which loads."""

    def situation(scene: Scene) -> None:
        cluster = Cluster(
            address=HEAD,
            server=node(cpus=server_cpus),
            others=(node(address="10.0.0.3"),),
            loads=(node(address="10.0.0.2", roles=("load",), cpus=load_cpus),),
            routes=(),
            slice_ms_min=100,
        )

        @contextmanager
        def cluster_is_joined(*_: object) -> Iterator[Any]:
            world()(scene)
            yield joining.Joined(cluster, satellites.real_stages(), None, (), None)  # type: ignore[arg-type]

        scene.patch.setattr(joining, "joined", cluster_is_joined)

    return situation


RACE = f"race {A} --cluster 10.0.0.1"
SECTION = Section(
    "Clusters",
    (
        case(f"race {A} --cluster auto", "Ray is not installed", _without_ray),
        case(f"race {A} --cluster here:there"),
        case(f"race {A} --cluster 127.0.0.1:1", "nobody listens there"),
        case(f"race {A} --cluster 127.0.0.1:PORT", "PORT is a web server's", _somebody_else),
        *cases(
            RACE,
            ("its nodes have no resources", members("", "")),
            ("one node has `server`, and none `load`", members("server", "")),
            ("one node has both", members("server load")),
        ),
        case(f"{RACE} --server-nodes 2", "one node has `server`", members("server", "load")),
        *cases(
            RACE,
            ("its nodes have bakeoff 0.1", members("server", "load", bakeoff="0.1")),
            ("its nodes have no engine", members("server", "load", engine="")),
            (
                "its nodes' disks are full",
                members("server", "load", unwritable="No space left on device"),
            ),
            ("its server nodes have other cores", joined(server_cpus=(2, 3))),
        ),
        case(f"{RACE} --cpus server=0,client=7", "each node has the cores 0 and 1", joined()),
        case("race http://127.0.0.9/ --cluster 10.0.0.1", "", joined()),
        case("race http://10.0.0.1/ --cluster 10.0.0.1 --server-nodes 2", "", joined()),
        case(f"{RACE} --server-nodes 2 --boots 3", "", joined()),
        case(f"{RACE} --server-nodes 2 --workload forward", "", joined()),
    ),
)
