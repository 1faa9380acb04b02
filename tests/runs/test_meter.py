"""What is read around each slice."""

from bakeoff.model.samples import Slice
from bakeoff.runs import AnyRun
from tests.runs.conftest import Measure
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
