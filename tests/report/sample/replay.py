"""Replays made up from real article files, so that every figure is the same each time."""

from collections.abc import Mapping
from pathlib import Path

from bakeoff.judge import decide
from bakeoff.model.article import Article, Comparison, Metric, Row
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Cores
from bakeoff.model.ratio import Interval
from bakeoff.model.replay import Agreement, ComparisonResult, InARow, Replay, RowResult
from tests.report.sample.race import machine

ARTICLES = Path(__file__).parents[3] / "catalogue" / "articles"
NAMES = sorted(path.stem for path in ARTICLES.glob("*.toml"))
CORES = Cores(server=(0,), client=(1,))
FASTER = (4.1, 3.4, 5.2, 2.9, 4.4, 3.8, 4.9, 4.2)
"""How many times what was published each row does here, by its place."""
STEAL = "the hypervisor took 1.2 % of the server core's time (steal)"
CHANGES = (
    "the servers had 4 processors there and have one processor here",
    "server and generator have processors of their own here; there they shared them",
)


class MadeUp:
    """Evidence from rates alone: in every metric, ratios are those of requests per second."""

    def __init__(self, rows: Mapping[str, RowResult]) -> None:
        self.rows = rows

    def interval(self, metric: Metric, of: str, over: str) -> Interval | Finding:
        """The ratio, or why there is none."""
        a, b = (self.rows[name].requests_per_s for name in (of, over))
        if not a or not b:
            missing = of if not a else over
            return Finding.of("absent", name=missing, reason=self.rows[missing].skipped)
        ratio = b / a if metric == "memory" else a / b
        return Interval(ratio=ratio, low=ratio * 0.96, high=ratio * 1.04, n=480, boots=2)


def article(name: str) -> Article:
    return Article.read_toml(ARTICLES / f"{name}.toml")


def replay_of(source: Article, missing: Mapping[str, str]) -> Replay:
    """A complete replay in which the rows of `missing` were skipped with the reasons it has."""
    found = [_comparison(one, missing) for one in source.comparisons]
    return replay_from(source, found, complete=True)


def replay_from(source: Article, found: list[ComparisonResult], complete: bool) -> Replay:
    """The replay that measured `found`."""
    measured = [one for one in found if not one.skipped]
    return Replay(
        run="2026-11-21T20-43-16Z-replay-" + source.name,
        command_line=("bakeoff", "replay", source.name, "--scale", "0.05"),
        article=source,
        scale=0.05,
        driver="both" if any(one.agreement for one in found) else "engine",
        complete=complete,
        comparisons=tuple(found),
        claims=decide(
            source,
            {one.name: MadeUp({row.name: row for row in one.rows}) for one in measured},
            {one.name: one.skipped for one in found if one.skipped},
        ),
        machine=machine(),
    )


def brick() -> Replay:
    """An article of one comparison and many rows, one of which can't be had."""
    return replay_of(
        article("cpp-vs-go-frameworks"),
        {"brick": "there is no contender called brick in the catalogue yet"},
    )


def cut_off() -> Replay:
    """An article of four comparisons: measured, skipped, one with a row short, and not reached."""
    source = article("go-vs-node-2012")
    first, second, third, _ = source.comparisons
    with_runs = _comparison(first, {}).model_copy(
        update={
            "warnings": (Finding.of("text", text=STEAL),),
            "agreement": (
                _agreement(first.rows[0].name, 1.012, 0.985, 1.04),
                _agreement(first.rows[1].name, 1.21, 1.17, 1.25),
            ),
            "in_a_row": tuple(
                InARow(row=row.name, loader="engine", requests_per_s=runs, mean=sum(runs) / 5)
                for row, runs in zip(
                    first.rows,
                    ((31000, 33500, 35100, 34200, 35900), (24400, 25800, 24900, 25300, 25100)),
                    strict=True,
                )
            ),
        }
    )
    skipped = _comparison(second, {}, "needs webbench: apt-get install webbench")
    short = _comparison(third, {"node-cluster": "needs node: apt-get install nodejs"})
    return replay_from(source, [with_runs, skipped, short], complete=False)


def _comparison(one: Comparison, missing: Mapping[str, str], skipped: str = "") -> ComparisonResult:
    return ComparisonResult(
        name=one.name,
        title=one.title,
        load=one.load,
        loader="engine",
        cores=CORES,
        run="" if skipped else one.name,
        skipped=skipped,
        changes=CHANGES,
        rows=tuple(
            _row(row, place, skipped or missing.get(row.name, ""))
            for place, row in enumerate(one.rows)
        ),
    )


def _row(row: Row, place: int, skipped: str) -> RowResult:
    published = row.published.value("requests_per_s")
    known = {
        "name": row.name,
        "contender": row.contender,
        "label": row.label,
        "note": row.note,
        "workers": row.workers or 1,
        "published": published,
    }
    if skipped:
        return RowResult.model_validate(known | {"skipped": skipped})
    assert published
    rate = published * FASTER[place]
    background = Finding.of("text", text="used 1.4 % of its core while others were loaded")
    measured = {
        "requests_per_s": rate,
        "ratio": rate / published,
        "n": 480,
        "memory_mib": 7.4 + 11 * place,
        "p50_us": 0.8 * 64e6 / rate,
        "p99_us": 2.1 * 64e6 / rate,
        "warnings": (background,) if place == 1 else (),
    }
    return RowResult.model_validate(known | measured)


def _agreement(row: str, ratio: float, low: float, high: float) -> Agreement:
    found = Interval(ratio=ratio, low=low, high=high, n=10, boots=1)
    return Agreement(row=row, tool="ab", engine_over_tool=found)
