"""What contenders find around them: files to serve, and somebody to ask."""

import re
from pathlib import Path

from bakeoff.model.plan import Plan
from bakeoff.model.workload import Workload
from bakeoff.plan import Catalogue
from bakeoff.report.kinds.race_method import facts
from bakeoff.runs.kinds.race import RaceRun
from tests.runs.conftest import Measure
from tests.runs.world import World

SPEEDS = {"fast": 100_000.0, "slow": 50_000.0, "upstream": 1.0}
UPSTREAM = "upstream/upstream"


def forward(measure: Measure) -> Plan:
    """A race in which contenders ask somebody who takes 7 ms."""
    workload = Workload(name="hello", upstream_delay_ms=7)
    upstream = Catalogue.shipped().upstream(workload)
    plan = measure.plan("fast", "slow", duration=2.0)
    update = {"workload": workload, "upstream": upstream, "upstream_cpus": (1,)}
    return plan.model_copy(update=update)


def raced(measure: Measure, plan: Plan, world: World) -> RaceRun:
    run = measure.run(plan, world)
    assert isinstance(run, RaceRun)
    return run


def test_there_is_one_upstream_for_all_and_its_cpu_time_is_read(measure: Measure) -> None:
    def a_millisecond(world: World, count: int) -> None:
        world.cpu_ns[UPSTREAM] = count * 1_000_000

    world = World(SPEEDS, on_slice=a_millisecond)
    run = raced(measure, forward(measure), world)
    assert world.environments.pop(UPSTREAM) == {"DELAY_MS": "7"}
    urls = {each["UPSTREAM"] for each in world.environments.values()}
    assert len(urls) == 1 and urls.pop().startswith("http://127.0.0.1:")
    slices = [each for record in run.records() if record.type == "block" for each in record.slices]
    times = [each.upstream_cpu.total_ns if each.upstream_cpu else None for each in slices]
    assert set(times) == {1_000_000}
    asked = run.result.upstream
    assert asked and (asked.delay_ms, asked.cpus) == (7, (1,))
    assert asked.busy and 0 < asked.busy < 0.1
    (said,) = [each for each in facts(run.result) if "upstream" in each]
    assert re.fullmatch(r"an upstream of 7 ms on core 1, busy \S+ % at most", said)
    assert not world.up, "it was stopped, too"


def test_a_database_has_a_password_that_contenders_know(measure: Measure) -> None:
    world = World({**SPEEDS, "database": 1.0})
    plan = measure.plan("fast", "slow", duration=2.0)
    workload = Workload(name="hello", database_rows=200)
    upstream = Catalogue.shipped().upstream(workload)
    update = {"workload": workload, "upstream": upstream, "upstream_cpus": (1,)}
    run = raced(measure, plan.model_copy(update=update), world)
    own = world.environments.pop("database/upstream")
    assert own["ROWS"] == "200" and len(own["PASSWORD"]) >= 32
    (url,) = {each["DATABASE_URL"] for each in world.environments.values()}
    assert re.fullmatch(rf"postgres://bench:{own['PASSWORD']}@127\.0\.0\.1:\d+/postgres", url)
    asked = run.result.upstream
    assert asked and (asked.delay_ms, asked.rows, asked.cpus) == (None, 200, (1,))
    (said,) = [each for each in facts(run.result) if "database" in each]
    assert re.fullmatch(r"a database of 200 rows on core 1, busy \S+ % at most", said)
    assert own["PASSWORD"] not in run.plan.to_json() and not world.up


def test_without_need_there_is_none(measure: Measure) -> None:
    world = World(SPEEDS)
    run = measure.race(world, "fast", "slow", duration=2.0)
    assert not any(world.environments.values())
    slices = [each for record in run.records() if record.type == "block" for each in record.slices]
    assert all(each.upstream_cpu is None for each in slices)


def test_files_are_written_once_and_named_to_all(measure: Measure) -> None:
    world = World(SPEEDS)
    plan = measure.plan("fast", "slow", duration=2.0)
    workload = Workload(name="hello", static_files={"a.txt": 5, "b.txt": 1000})
    raced(measure, plan.model_copy(update={"workload": workload}), world)
    (folder,) = {each["STATIC_DIR"] for each in world.environments.values()}
    assert (Path(folder) / "a.txt").read_bytes() == b"1\n2\n3"
    assert len((Path(folder) / "b.txt").read_bytes()) == 1000
