"""What is read around each slice."""

from bakeoff.model.plan import Cores, NetworkPath
from bakeoff.model.samples import Slice
from bakeoff.runs import AnyRun
from tests.runs.conftest import Measure
from tests.runs.processes import PATH
from tests.runs.test_draws import SLOW_START, blocks
from tests.runs.test_race import SPEEDS
from tests.runs.world import World


def slices(run: AnyRun) -> list[Slice]:
    return [each for block in blocks(run) for each in block.slices]


def test_what_others_had_of_the_servers_cores_is_a_share_of_each_slice(measure: Measure) -> None:
    def neighbour(world: World, _count: int) -> None:
        world.others_ns += 10_000_000

    found = slices(measure.race(World(SPEEDS, on_slice=neighbour), "fast", "slow", duration=8.0))
    short = [each for each in found if each.event.window_ns == 20_000_000]
    assert short and {each.others_share for each in short} == {10 / (20 + 20 + 1)}


def test_contenders_are_no_others(measure: Measure) -> None:
    """Not even where they work out of their turn: that is a leak, and has a name."""
    world = World(SPEEDS, ready_ms=SLOW_START, compiles_s={"fast": 0.1, "slow": 0.1})
    run = measure.race(world, "fast", "slow", twin=False, duration=8.0)
    assert {each.others_share for each in slices(run)} == {0.0}


def over_a_path(measure: Measure, world: World, path_cpus: tuple[int, ...]) -> set[int]:
    """What slices of a race had beside the generator, whose path works 3 ms in each of them."""
    plan = measure.plan("fast", "slow", duration=8.0)
    path = {"path": NetworkPath(delay_ms=20), "path_cpus": path_cpus}
    return {each.beside_ns for each in slices(measure.run(plan.model_copy(update=path), world))}


def test_a_path_on_the_generators_core_is_beside_it(measure: Measure) -> None:
    def work(world: World, _count: int) -> None:
        world.cpu_ns[PATH] = world.cpu_ns.get(PATH, 0) + 3_000_000

    assert over_a_path(measure, World(SPEEDS, on_slice=work), (1,)) == {3_000_000}
    assert over_a_path(measure, World(SPEEDS, on_slice=work), (2,)) == {0}


def test_on_one_core_for_all_contenders_are_beside_the_generator(measure: Measure) -> None:
    plan = measure.plan("fast", "slow", duration=8.0)
    one = plan.model_copy(update={"cores": Cores(server=(0,), client=(0,))})
    found = slices(measure.run(one, World(SPEEDS)))
    assert all(each.server_cpu and each.beside_ns >= each.server_cpu.total_ns for each in found)
    assert {each.others_share for each in found} == {None}


def test_the_engine_reads_the_cpu_time_of_processes_on_its_own_machine_only(
    measure: Measure,
) -> None:
    world = World(SPEEDS)
    plan = measure.plan("fast", "slow", duration=8.0)
    measure.run(plan, world)
    assert world.server_pids and () not in world.server_pids
    elsewhere = World(SPEEDS)
    apart = Cores(server=(0,), client=(1,), apart=True)
    measure.run(plan.model_copy(update={"cores": apart}), elsewhere)
    assert elsewhere.server_pids == {()}
