"""Runs on the machines of a cluster: what their plans have, and what happens when one is lost."""

import pytest

from bakeoff.model.errors import BadUsage, NodeLost
from bakeoff.model.machine import Cluster, ClusterNode
from bakeoff.model.plan import Cores, Plan
from bakeoff.plan import Environment, RaceOptions, plan_race
from bakeoff.runs import resume
from tests.runs.conftest import Measure
from tests.runs.world import World

SPEEDS = {"fast": 40_000.0, "slow": 20_000.0}


def node(address: str, cpus: tuple[int, ...]) -> ClusterNode:
    return ClusterNode(
        address=address,
        host=address,
        roles=("server",),
        kernel="Linux",
        python="3.11",
        ray="2.60.0",
        bakeoff="0.2.0",
        cpus=cpus,
    )


CLUSTER = Cluster(
    address="10.0.0.1:6379",
    server=node("10.0.0.1", (0, 1, 2, 3)),
    loads=(node("10.0.0.2", (0, 1)),),
    routes=(),
    slice_ms_min=150,
)


def lose(at_slice: int) -> World:
    """A world in which a node is lost in that slice."""

    def at(_world: World, count: int) -> None:
        if count == at_slice:
            raise NodeLost("the node 10.0.0.2 is gone")

    return World(SPEEDS, on_slice=at)


def test_a_lost_node_interrupts_a_race_which_goes_on_later(measure: Measure) -> None:
    world = lose(200)
    run = measure.race(world, "fast", "slow")
    assert run.interrupted
    assert not run.result.complete
    assert not world.up
    assert any("10.0.0.2 is gone" in line for line in world.seen)
    assert resume(run.path, World(SPEEDS).stages(), world).result.complete


def test_a_lost_node_puts_no_cell_of_a_grid_out(measure: Measure) -> None:
    run = measure.grid(lose(100))
    assert run.interrupted
    assert not run.out()
    again = resume(run.path, World(SPEEDS).stages(), World(SPEEDS))
    assert again.result.complete


def test_a_node_lost_before_the_first_block_is_what_is_said(measure: Measure) -> None:
    with pytest.raises(NodeLost, match=r"10\.0\.0\.2"):
        measure.race(lose(1), "fast", "slow")


def test_servers_have_all_cores_of_their_machine_and_its_address(measure: Measure) -> None:
    plan = plan_race(["fast", "slow"], RaceOptions(seed=1), measure.environment.on(CLUSTER))
    assert plan.cluster == CLUSTER
    cores = Cores(server=(0, 1, 2, 3), client=(0, 1), apart=True)
    assert getattr(plan, "cores", None) == cores
    assert not cores.shared
    assert cores.here == {0, 1, 2, 3}
    assert getattr(plan, "host", None) == "10.0.0.1"


def test_slices_over_a_network_are_as_long_as_it_needs(measure: Measure) -> None:
    options = RaceOptions(seed=1, duration=30.0)
    plan = plan_race(["fast", "slow"], options, measure.environment.on(CLUSTER))
    run = measure.run(plan, World(SPEEDS))
    lengths = next(each.lengths for each in run.records() if each.type == "warmup")
    assert {each.short_ms for each in lengths.values()} == {150}


def test_cores_are_those_of_each_machine(measure: Measure) -> None:
    here = measure.environment.on(CLUSTER)
    assert here.cores_for("server=3,client=1") == Cores(server=(3,), client=(1,), apart=True)
    with pytest.raises(BadUsage, match=r" server .* 4; .* 0, 1"):
        here.cores_for("server=4,client=0")
    with pytest.raises(BadUsage, match=r" load .* 3; .* 0, 1"):
        here.cores_for("server=0,client=3")


def test_load_nodes_have_the_cores_that_all_of_them_have(measure: Measure) -> None:
    def here(*cpus: tuple[int, ...]) -> Environment:
        loads = tuple(node(f"10.0.0.{number}", each) for number, each in enumerate(cpus, 2))
        return measure.environment.on(CLUSTER.model_copy(update={"loads": loads}))

    assert here((0, 1, 2), (1, 2, 3)).cores_for(None).client == (1, 2)
    with pytest.raises(BadUsage, match=r" load .* 0; .* 1, 2"):
        here((0, 1, 2), (1, 2, 3)).cores_for("server=0,client=0")
    with pytest.raises(BadUsage, match=r"\(10\.0\.0\.2: 0, 1; 10\.0\.0\.3: 2\)"):
        here((0, 1), (2,)).cores_for(None)


def test_only_the_clusters_servers_are_loaded(measure: Measure) -> None:
    here = measure.environment.on(CLUSTER)
    options = RaceOptions(seed=1, workload="hello")
    with pytest.raises(BadUsage, match="--allow-host 192"):
        plan_race(["http://192.0.2.1/"], options, here)
    may = CLUSTER.model_copy(update={"may_load": ("192.0.2.1",)})
    assert plan_race(["http://192.0.2.1/"], options, here.on(may))
    assert plan_race(["http://10.0.0.1/"], options, here)


def rotated(measure: Measure, **options: object) -> Plan:
    """A race on two server nodes, of which one has fewer processors."""
    cluster = CLUSTER.model_copy(update={"others": (node("10.0.0.3", (0, 1)),)})
    chosen = RaceOptions.model_validate({"seed": 1, "server_nodes": 2, "duration": 20.0, **options})
    plan = plan_race(["fast", "slow"], chosen, measure.environment.on(cluster))
    assert isinstance(plan, Plan)
    return plan


def test_contenders_are_on_another_server_node_in_each_boot(measure: Measure) -> None:
    plan = rotated(measure)
    assert plan.boots == 2
    assert plan.cores.server == (0, 1)
    run = measure.run(plan, World(SPEEDS))
    starts = [each for each in run.records() if each.type == "boot"]
    hosts = [
        {each.name: each.address.partition(":")[0] for each in start.started} for start in starts
    ]
    assert hosts == [
        {"fast": "10.0.0.1", "slow": "10.0.0.1", "fast (twin)": "10.0.0.3"},
        {"fast": "10.0.0.3", "slow": "10.0.0.3", "fast (twin)": "10.0.0.1"},
    ]
    (machines,) = run.result.machines
    assert (machines.contender, machines.machine, machines.over) == ("fast", "10.0.0.3", "10.0.0.1")
    assert machines.low < 1 < machines.high
