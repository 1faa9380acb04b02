"""One entry's row of the standings, put together."""

from dataclasses import dataclass
from math import log
from statistics import median, stdev

from bakeoff.judge import cost, latency
from bakeoff.judge.compare import Compared
from bakeoff.judge.field import Field
from bakeoff.judge.history import History
from bakeoff.judge.signatures import signatures
from bakeoff.judge.validity import limited_by, server_cores, warnings
from bakeoff.judge.warmth import warm_ups
from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Receipt
from bakeoff.model.verdict import BootRatio, Interval, ResponseBytes, VerdictEntry


@dataclass(frozen=True)
class Standing:
    """What the comparison says of one entry. `against`: with the reference; None for itself."""

    against: Compared | None
    n: int
    is_reference: bool
    rank: tuple[int, int] | None
    letters: str
    warnings: tuple[str, ...] = ()
    all_blocks: Interval | None = None


OUTSIDE = Standing(None, 0, False, None, "")


def row(
    plan: Plan,
    seen: History,
    field: Field,
    name: str,
    standing: Standing,
    receipt: Receipt | None,
) -> VerdictEntry:
    """The figures of an entry that took part; one that is not valid has the standing `OUTSIDE`."""
    spent, offered = field.spent[name], field.offered[name]
    up = seen.started(name)
    lengths = seen.lengths(name)
    merged = latency.merge(seen.lasting(name))
    quantiles = latency.summary(merged)
    cores = server_cores(plan, name)
    server_busy = spent.server_busy(cores)
    ready_ms = [each.time_to_ready_ms for each in up if each.time_to_ready_ms is not None]
    ratio, low, high = _ratio(name, standing)
    boots = _boots(name, standing)
    return VerdictEntry(
        name=name,
        title=plan.entry(name).title,
        valid=not field.reasons[name],
        reasons=field.reasons[name],
        warnings=(
            *warnings(plan, name, seen, spent),
            *signatures(quantiles, server_busy, seen.tcp),
            *standing.warnings,
        ),
        ratio=ratio,
        low=low,
        high=high,
        long_slices=(
            standing.against.long.interval(name)
            if standing.against and standing.against.long
            else None
        ),
        all_blocks=standing.all_blocks,
        n=standing.n,
        boots=boots,
        rank=standing.rank,
        letters=standing.letters,
        requests_per_s=spent.requests_per_s,
        latency_us=quantiles,
        latency_n=merged.answered + merged.misses,
        percentiles_us=latency.percentile_series(merged),
        cpu_us_per_request=cost.per_request(spent),
        memory_mib=cost.memory((each.idle for each in up), seen.loaded(name)),
        bytes_per_response=response_bytes(seen, name),
        requests=spent.requests,
        measured_s=spent.measured_s,
        errors=field.whole[name].errors,
        error_kinds=dict(field.whole[name].error_kinds),
        connects=spent.connects,
        slice_ms=lengths.short_ms if lengths else None,
        long_slice_ms=lengths.long_ms if lengths else None,
        limited_by=limited_by(plan, server_busy, spent.client_busy),
        server_busy=server_busy,
        client_busy=spent.client_busy,
        leak_share=cost.leak_share(spent, cores),
        workers=plan.workers_of(name),
        time_to_ready_ms=median(ready_ms) if ready_ms else None,
        version=receipt.version if receipt else "",
        command=up[-1].command if up else (),
        cpu_source=up[-1].cpu_source if up else "",
        work=field.works.get(name),
        warm_up=warm_ups(name, seen),
        boot_sd=stdev(log(each.ratio) for each in boots) if len(boots) > 1 else None,
        open_loop=offered.summary if offered else None,
    )


def response_bytes(seen: History, name: str) -> ResponseBytes:
    """What one answer weighed when it was verified last; zero where it never was."""
    up = seen.started(name)
    if not up:
        return ResponseBytes(head=0, body=0)
    return ResponseBytes(head=up[-1].verification.head_bytes, body=up[-1].verification.body_bytes)


def _ratio(name: str, standing: Standing) -> tuple[float | None, float | None, float | None]:
    if standing.is_reference:
        return 1.0, 1.0, 1.0
    if standing.against is None:
        return None, None, None
    found = standing.against.main.interval(name)
    return found.ratio, found.low, found.high


def _boots(name: str, standing: Standing) -> tuple[BootRatio, ...]:
    if standing.against is None:
        return ()
    return tuple(
        BootRatio(boot=boot, ratio=ratio, n=n)
        for boot, ratio, n in standing.against.main.boot_ratios(name)
    )
