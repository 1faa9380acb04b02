"""What a replay says in plain English."""

from bakeoff.model.replay import ClaimResult, ComparisonResult, Replay, RowResult
from bakeoff.report import figures

METRICS = {
    "requests_per_s": "requests per second",
    "bytes_per_s": "bytes per second",
    "latency_p50": "median latency",
    "latency_p99": "p99 latency",
    "latency_stdev": "standard deviation of latency",
    "latency_p99_over_p50": "p99 over median latency",
    "memory": "memory",
    "cpu": "CPU use",
}


def headline(replay: Replay) -> str:
    """How many of the claims hold, in a sentence or two."""
    holds, fails, open_ones = (
        sum(one.finding == found for one in replay.claims)
        for found in ("holds", "does not hold", "can't tell")
    )
    said = (
        f"Of {figures.plural(len(replay.claims), 'claim')} of {replay.article.name}, {holds} "
        f"hold here, {fails} do not, and of {open_ones} nobody can tell."
    )
    if replay.complete:
        return said
    return f"{said} The replay ended early: what was not measured counts as can't tell."


def mode(replay: Replay) -> str:
    """How it was replayed, in one line."""
    driver = {
        "engine": "load by our engine in the article's shape",
        "both": "load by our engine, and by the article's own tool to compare",
    }.get(replay.driver, f"load by the real {replay.driver}")
    return f"{driver}, at scale {replay.scale:g}"


def claim(one: ClaimResult) -> str:
    """What the finding rests on: the interval and what the article had, or why nobody can tell."""
    parts = []
    if one.measured:
        ratio = figures.ratio_times(one.measured.ratio, one.measured.low, one.measured.high)
        parts.append(f"{one.of} over {one.over} in {METRICS[one.metric]}: {ratio}")
        parts.append(f"n = {one.measured.n:,}")
    if one.published is not None:
        parts.append(f"published {figures.significant(one.published, 3)}×")
    parts.append(f"claimed {_range(one)}")
    if one.why:
        parts.append(one.why)
    return "; ".join(parts)


def _range(one: ClaimResult) -> str:
    if one.above and one.below:
        return f"{one.above:.3g} to {one.below:.3g}×"
    return f"over {one.above:.3g}×" if one.above else f"under {one.below:.3g}×"


def load(replay: Replay, one: ComparisonResult) -> str:
    """The article's command, and who made the load here."""
    command = replay.article.loads[one.load].command
    return command if one.loader == "engine" else f"{command}, by the real {one.loader}"


def label(row: RowResult) -> str:
    """The article's name of a row with the contender's, where they differ."""
    return row.name if row.label.lower() == row.name else f"{row.name} ({row.label})"


def agreements(one: ComparisonResult) -> list[str]:
    """How far engine and tool agree, a sentence a row."""
    said = []
    for each in one.agreement:
        found = each.engine_over_tool
        ratio = figures.ratio_times(found.ratio, found.low, found.high)
        verdict = "they agree within noise" if found.low <= 1 <= found.high else "they differ"
        said.append(f"{each.row}: our engine over {each.tool} {ratio}, n = {found.n}: {verdict}")
    return said


def in_a_row(one: ComparisonResult) -> list[str]:
    """The article's own procedure, a sentence a row: every run, and their mean."""
    said = []
    for each in one.in_a_row:
        runs = ", ".join(figures.rate(rate) for rate in each.requests_per_s)
        said.append(f"{each.row}: {runs}; mean {figures.rate(each.mean)} requests/s")
    return said
