"""An article's comparison, as it can be measured here."""

from pathlib import Path

import pytest

from bakeoff.model.article import Comparison
from bakeoff.model.replay import PlannedComparison
from bakeoff.plan import Catalogue, ReplayOptions, adapt, plan_replay, run_size
from tests.plan.places import SHIPPED, environment


def adapted(
    name: str,
    comparison: str | Comparison,
    cores: int = 2,
    scale: float = 0.05,
    catalogue: Catalogue = SHIPPED,
) -> PlannedComparison:
    replay = plan_replay(SHIPPED.article(name), ReplayOptions(scale=scale), environment())
    if isinstance(comparison, str):
        comparison = replay.article.comparison(comparison)
    return adapt(replay, comparison, catalogue, range(cores))


def comparisons() -> list[tuple[str, Comparison]]:
    return [
        (name, one) for name in SHIPPED.article_names() for one in SHIPPED.article(name).comparisons
    ]


@pytest.mark.parametrize(("name", "one"), comparisons(), ids=lambda each: str(each)[:30])
def test_every_row_takes_part_but_those_that_do_not_exist_yet(name: str, one: Comparison) -> None:
    made = adapted(name, one.name)
    assert made.plan
    racing = {entry.name for entry in made.plan.entries if not entry.twin_of}
    assert racing | set(made.skipped) == {row.name for row in one.rows}
    assert {row.contender for row in one.rows if row.name in made.skipped} <= {"brick"}


def test_the_load_has_the_articles_shape() -> None:
    plan = adapted("hello-world-2013", SHIPPED.article("hello-world-2013").comparisons[0].name).plan
    assert plan
    assert (plan.connection, plan.http, plan.connections) == ("close", "1.0", 10)
    assert plan.workload.name == "hello"


def test_a_row_has_the_workers_that_the_article_gave_it() -> None:
    name = SHIPPED.article("node-go-spring").comparisons[0].name
    made = adapted("node-go-spring", name, cores=8)
    assert made.plan
    assert made.plan.workers_of("node-pm2") == 4
    assert made.plan.workers_of("node-http") == 1
    assert made.plan.workers_of("go-nethttp") == 7


@pytest.mark.parametrize(
    ("cpus", "cores", "server", "client"),
    [
        ("one", 8, (0,), (5, 6, 7)),
        ("one", 2, (0,), (1,)),
        ("all-but-one", 8, (0, 1, 2, 3, 4, 5, 6), (7,)),
        ("all", 2, (0,), (1,)),
        ("all", 1, (0,), (0,)),
    ],
)
def test_the_generator_has_cores_of_its_own(
    cpus: str, cores: int, server: tuple[int, ...], client: tuple[int, ...]
) -> None:
    article = SHIPPED.article("go-vs-node-2012")
    one = article.comparisons[0].model_copy(update={"cpus": cpus})
    made = adapted("go-vs-node-2012", one, cores)
    assert (made.cores.server, made.cores.client) == (server, client)


def test_what_had_to_change_is_said() -> None:
    one = next(
        comparison
        for comparison in SHIPPED.article("go-vs-node-2012").comparisons
        if comparison.cpus != "one"
    )
    time, processors, sharing = adapted("go-vs-node-2012", one.name).changes
    assert " 3 s" in time and "3 processors" in processors
    one = SHIPPED.article("cpp-vs-go-frameworks").comparisons[0]
    on_two = adapted("cpp-vs-go-frameworks", one.name).changes
    assert sharing in on_two and "wrk ran 8 threads" in on_two[-1]
    on_one = adapted("cpp-vs-go-frameworks", one.name, cores=1).changes
    differ = [alone != apart for alone, apart in zip(on_one, on_two, strict=True)]
    assert differ == [False, False, True, False], "server and generator share the only processor"


def test_the_scale_shortens_every_row_alike_down_to_what_can_be_judged() -> None:
    article = SHIPPED.article("cpp-vs-go-frameworks")
    name = article.comparisons[0].name
    whole, tenth, least = (adapted(article.name, name, scale=s).plan for s in (1.0, 0.1, 0.001))
    assert whole and tenth and least
    entries = len(whole.entries)
    assert whole.duration_s == pytest.approx(100 * entries)
    assert tenth.duration_s == pytest.approx(10 * entries)
    assert least.duration_s == pytest.approx(3 * entries)


def test_an_article_that_argues_from_latency_gets_more_long_slices() -> None:
    plans = [adapted(name, one.name).plan for name, one in comparisons()]
    assert {plan.long_share for plan in plans if plan} == {0.2, 0.5}


def test_memory_that_is_claimed_is_compared_boot_by_boot() -> None:
    boots = {one.name: adapted(name, one.name) for name, one in comparisons() if "go" in name}
    plans = [made.plan for made in boots.values() if made.plan]
    assert {(plan.run, plan.boots) for plan in plans} >= {("empty", 3)}
    assert 1 in {plan.boots for plan in plans}


def test_a_catalogue_without_the_contenders_leaves_nothing_to_measure(tmp_path: Path) -> None:
    (tmp_path / "contenders").mkdir()
    (tmp_path / "workloads").symlink_to(SHIPPED.root / "workloads")
    name = SHIPPED.article("go-vs-node-2012").comparisons[0].name
    made = adapted("go-vs-node-2012", name, catalogue=Catalogue(tmp_path))
    assert made.plan is None and "go-nethttp" in made.skipped


@pytest.mark.parametrize(
    ("article", "scale", "size"),
    [
        ("hello-world-2013", 1.0, (10_000, None)),
        ("hello-world-2013", 0.0001, (100, None)),
        ("node-go-spring", 1.0, (None, 1.0)),
        ("cpp-vs-go-frameworks", 1.0, (None, 10.0)),
        ("cpp-vs-go-frameworks", 0.05, (None, 1.0)),
    ],
)
def test_the_runs_of_a_tool_share_the_articles_load(
    article: str, scale: float, size: tuple[int | None, float | None]
) -> None:
    (shape,) = SHIPPED.article(article).loads.values()
    assert run_size(shape, scale, 10) == size
