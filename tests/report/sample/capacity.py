"""Capacities made up for the report's tests: two near each other, slower ones, and faults."""

from math import log

from bakeoff.model.capacity import (
    Capacity,
    CapacityEntry,
    CapacityPair,
    CapacityReport,
    CostAt,
    CostFigure,
    CostLine,
    CurvePoint,
    Mean,
)
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Cores, Skipped
from bakeoff.model.ratio import Interval
from bakeoff.model.receipt import Expectation
from bakeoff.model.request import ExpectSection
from bakeoff.plan import ladder, parse_slo
from tests.ratios import interval
from tests.report.sample.race import machine

STRICT, LOOSE = parse_slo("p99=10ms"), parse_slo("p99=50ms,p99.9=100ms")


def point(rate: float, speed: float) -> CurvePoint:
    """What M/M/1 does at that rate; past saturation four fifths are answered, late."""
    over = rate >= speed
    mean_us = 1e6 / max(speed - rate, speed / 1000)
    return CurvePoint(
        rate=rate,
        slices=8,
        requests=round(rate * 2.4),
        answered=0.8 * speed / rate if over else 1.0,
        errors=0.002 if over else 0.0,
        goodput=0.8 * speed if over else rate,
        quantiles_us={
            f"p{p:g}": -log(1 - p / 100) * mean_us + (0 if p < 99.9 or not over else 1e5)
            for p in (50, 99, 99.9)
        },
        cpu_us_per_request=1e6 / speed,
        client_busy=0.5,
        send_lag_us=12.0,
    )


def entry(name: str, speed: float, **changed: object) -> CapacityEntry:
    strict, loose = 0.98 * speed, 0.99 * speed
    rungs = [ladder.rung_of(strict) + step for step in (-28, -14, -6, -2, -1, 0, 1, 2, 3, 8)]
    curve = tuple(point(ladder.rate_of(rung), speed) for rung in rungs)
    sound: dict[str, object] = {
        "name": name,
        "title": name.title(),
        "version": "1.0",
        "valid": True,
        "peak": speed,
        "capacities": tuple(
            Capacity(
                objective=slo.text,
                finding="found",
                requests_per_s=rate,
                low=0.97 * rate,
                high=1.03 * rate,
                limit="p99",
            )
            for slo, rate in ((STRICT, strict), (LOOSE, loose))
        ),
        "mean": Mean(requests_per_s=0.985 * speed, low=0.96 * speed, high=1.01 * speed),
        "at_capacity": curve[5],
        "beyond": curve[-1],
        "curve": curve,
    }
    return CapacityEntry.model_validate(sound | changed)


def pair(a: str, b: str, objective: str, ratio: float) -> CapacityPair:
    return CapacityPair(
        a=a,
        b=b,
        objective=objective,
        ratio=Interval(ratio=ratio, low=ratio * 0.96, high=ratio * 1.04, n=60),
        finding="higher" if ratio > 1.04 else "can't tell",
    )


def cost(at: CostAt, figure: CostFigure, quick: float, equal: float, finding: str) -> CostLine:
    unseen = {"value": None, "n": 0, "why": {"code": "not_seen"}}
    ratio = interval(equal / quick, 1.03, n=9)
    return CostLine.model_validate(
        {
            "at": at,
            "figure": figure,
            "requests_per_s": {"quick": 26_000.0, "equal": 26_000.0 if at == "equal" else 27_000.0},
            "values": [
                {"name": "quick", "value": quick, "n": 9},
                {"name": "equal", "value": equal, "n": 9},
                *({"name": name, **unseen} for name in ("bounded", "slow")),
            ],
            "pairs": [{"a": "quick", "b": "equal", "ratio": ratio, "finding": finding}],
        }
    )


def report() -> CapacityReport:
    """Two objectives, five contenders, a warning, one skipped."""
    held = Expectation(answers=24, expect=ExpectSection(json_={"id": "number"}), varied=("id",))
    bounded = (
        entry("bounded", 30_000)
        .capacities[0]
        .model_copy(update={"finding": "at least", "low": None, "high": None, "limit": "generator"})
    )
    unmet = Capacity(
        objective=STRICT.text,
        finding="not met",
        requests_per_s=None,
        limit="p99",
        best_us=44_000,
        best_rate=1200,
    )
    untold = Capacity(
        objective=LOOSE.text, finding="can't tell", requests_per_s=None, limit="p99.9"
    )
    entries = (
        entry("quick", 52_000, held={"GET /": held}),
        entry(
            "equal",
            52_500,
            warnings=(Finding.of("text", text="it was out in 1 of 3 boots; in boot 2: no answer"),),
        ),
        entry("bounded", 30_000, capacities=(bounded,), mean=None),
        entry("slow", 1_500, capacities=(unmet, untold), mean=None, at_capacity=None, beyond=None),
        entry(
            "liar",
            60_000,
            valid=False,
            reasons=(Finding.of("text", text="3 of 1,000 answers were wrong"),),
            capacities=(),
            mean=None,
            at_capacity=None,
            beyond=None,
            curve=(),
        ),
    )
    return CapacityReport(
        run="2026-01-02T03-04-05Z-capacity-sample",
        command_line=("bakeoff", "capacity", "quick", "equal", "--slo", "p99=10ms"),
        objectives=(STRICT, LOOSE),
        workload="hello",
        arrivals="poisson",
        connection="keep-alive",
        connections=64,
        reference="quick",
        complete=True,
        warnings=(Finding.of("text", text="there was one boot"),),
        entries=entries,
        pairs=(
            pair("equal", "quick", STRICT.text, 1.01),
            pair("equal", "quick", LOOSE.text, 1.06),
            pair("equal", "quick", "", 1.03),
        ),
        costs=(
            cost("share", "cpu_us_per_request", 19.0, 38.0, "better"),
            cost("equal", "memory_mib", 20.0, 20.2, "tie"),
        ),
        skipped=(Skipped(name="gone", reason="can't be built"),),
        step=1.05,
        boots=3,
        blocks=72,
        disturbed_blocks=2,
        measured_s=120,
        cores=Cores(server=(0,), client=(1,)),
        seed=7,
        machine=machine(),
    )


def nobody() -> CapacityReport:
    """Nobody meets the one objective that was asked for."""
    whole = report()
    slow = whole.entries[3]
    only = slow.model_copy(update={"capacities": slow.capacities[:1]})
    return whole.model_copy(
        update={"objectives": (STRICT,), "entries": (only,), "pairs": (), "costs": ()}
        | {"complete": False}
    )
