"""The sample's verdict."""

import math
import random

from bakeoff.model.audit import Audit, Crew, Work
from bakeoff.model.plan import Cores
from bakeoff.model.verdict import (
    BootRatio,
    Errors,
    Interval,
    Latency,
    MemoryUse,
    NoiseFloor,
    Pair,
    PerRequest,
    ResponseBytes,
    Verdict,
    VerdictEntry,
    WarmUp,
)
from tests.report.sample.plans import machine, skipped
from tests.report.sample.runners import (
    AIOHTTP,
    BLOCKS_PER_BOOT,
    BOOTS,
    GO,
    GUNICORN,
    LIBUV,
    NGINX,
    NODE,
    REFERENCE_RATE,
    SHARES,
    SLICE_MS,
    STANDING,
    TWIN,
    Runner,
)


def verdict() -> Verdict:
    return Verdict(
        run="20261121T204316Z-hello",
        workload="hello",
        mode="closed",
        connection="keep-alive",
        connections=64,
        solo=False,
        reference="nginx",
        valid=True,
        complete=True,
        warnings=("the hypervisor took 1.2 % of the server core's time (steal)",),
        fairness=(
            "gunicorn answers in 2 writes, the others in one",
            "libuv-http-parser sends no Server header, the others do",
        ),
        noise_floor=NoiseFloor(
            name=TWIN.name, ratio=1.001, low=0.998, high=1.004, n=480, boots=BOOTS
        ),
        equivalence_margin=0.02,
        entries=tuple(_entry(runner) for runner in (*STANDING, AIOHTTP)),
        pairs=tuple(_pair(a, b) for i, a in enumerate(STANDING) for b in STANDING[i + 1 :]),
        skipped=(skipped(),),
        minimum_detectable_effect=0.0061,
        boots=BOOTS,
        blocks=BOOTS * BLOCKS_PER_BOOT,
        disturbed_blocks=0,
        measured_s=66.4,
        steal_share=0.012,
        cores=Cores(server=(0,), client=(1,)),
        seed=7,
        machine=machine(),
    )


def _entry(runner: Runner) -> VerdictEntry:
    valid = runner is not AIOHTTP
    rate = REFERENCE_RATE * runner.ratio
    cost = 1e6 / rate * 0.98
    requests = round(rate * 9.4)
    chance = random.Random(runner.name)
    return VerdictEntry(
        name=runner.name,
        title=runner.title,
        valid=valid,
        reasons=() if valid else ("3 wrong answers: body differs at byte 7",),
        warnings=("used 1.4 % of its core while others were loaded",) if runner is GO else (),
        ratio=runner.ratio if valid else None,
        low=runner.ratio - runner.half_width if valid else None,
        high=runner.ratio + runner.half_width if valid else None,
        long_slices=Interval(
            ratio=runner.ratio * 0.99,
            low=runner.ratio * 0.97,
            high=runner.ratio * 1.01,
            n=48,
            boots=3,
        )
        if valid and runner is not NGINX
        else None,
        n=BOOTS * BLOCKS_PER_BOOT,
        boots=tuple(
            BootRatio(
                boot=boot,
                ratio=1.0 if runner is NGINX else runner.ratio * (1 + chance.gauss(0, 0.004)),
                n=BLOCKS_PER_BOOT,
            )
            for boot in range(BOOTS)
        )
        if valid
        else (),
        rank=runner.rank,
        letters=runner.letters,
        requests_per_s=rate,
        latency_n=round(runner.ratio * 100_000),
        latency_us=Latency(
            mean=64e6 / rate,
            p50=_latency_us(rate, 0.5),
            p75=_latency_us(rate, 0.75),
            p90=_latency_us(rate, 0.9),
            p99=_latency_us(rate, 0.99),
            p99_9=_latency_us(rate, 0.999),
            max=_latency_us(rate, 0.999999),
        ),
        percentiles_us=tuple((share, _latency_us(rate, share)) for share in SHARES),
        cpu_us_per_request=PerRequest(
            server=cost,
            server_user=cost * runner.user_share,
            server_system=cost * (1 - runner.user_share),
            client=6.1 + runner.head_bytes / 400,
        ),
        memory_mib=MemoryUse(idle=runner.memory_mib * 0.86, loaded=runner.memory_mib),
        bytes_per_response=ResponseBytes(head=runner.head_bytes, body=13),
        requests=requests,
        measured_s=9.4,
        errors=Errors() if valid else Errors(mismatch=3, read=1),
        error_kinds={} if valid else {"mismatch_body": 3, "reset": 1},
        slice_ms=SLICE_MS,
        long_slice_ms=100,
        limited_by="server",
        server_busy=0.99,
        client_busy=0.62 * runner.ratio,
        leak_share=0.014 if runner is GO else 0.0003,
        workers=1,
        time_to_ready_ms=12.4 + runner.memory_mib * 6,
        version=f"{runner.title} 1.22.1",
        command=("./server", "--port", "18080"),
        cpu_source="cgroup-v2",
        work=_work(runner),
        warm_up=_warm_up(runner),
        boot_sd=0.0043 if valid and runner is not NGINX else None,
    )


def _warm_up(runner: Runner) -> tuple[WarmUp, ...]:
    """Node compiles, and its second boot was cut off; all others are flat from the start."""
    courses = {NODE: ("warm-up", "unsteady", "warm-up")}.get(runner, ("flat",) * BOOTS)
    lasted_s = {"flat": 1.0, "warm-up": 4.25, "unsteady": 20.0}
    return tuple(
        WarmUp.model_validate(
            {
                "boot": boot,
                "course": course,
                "lasted_s": 3.0 if boot == 0 and course == "flat" else lasted_s[course],
                "requests_per_s": REFERENCE_RATE * runner.ratio,
            }
        )
        for boot, course in enumerate(courses)
    )


def _work(runner: Runner) -> Work:
    """The one that isn't ranked was never audited, as in a run of an earlier version."""
    known = runner is not AIOHTTP
    names = ("content-length", "content-type", "date", "server")
    audit = Audit(
        asked=20,
        kept=7 if runner is NODE else 20,
        keeps_http_1_0=runner is not GUNICORN,
        closes_when_asked=True,
        date="moves",
        segments=2 if runner is GUNICORN else 1,
        apart_ms=0,
        answer_ms=0.1,
    )
    crew = Crew(
        processes=2 if runner is NGINX else 1, threads=7, processes_at_work=1, threads_at_work=1
    )
    return Work(
        head_bytes=runner.head_bytes,
        body_bytes=13,
        headers=names[:-1] if runner is LIBUV else names,
        keeps_alive=True,
        workers=1,
        audit=audit if known else None,
        crew=crew if known else None,
        written_per_request=(0.04 if runner is GO else 0.0) if known else None,
    )


def _latency_us(rate: float, share: float) -> float:
    return (
        64e6 / rate * (0.7 + 0.16 * -(math.log(1 - share) ** 1) + 0.01 * math.log(1 - share) ** 2)
    )


def _pair(a: Runner, b: Runner) -> Pair:
    ratio = a.ratio / b.ratio
    relative = max(a.half_width / a.ratio, b.half_width / b.ratio) or 0.004
    told_apart = a.letters != b.letters
    return Pair(
        a=a.name,
        b=b.name,
        ratio=ratio,
        low=ratio * (1 - relative),
        high=ratio * (1 + relative),
        n=BOOTS * BLOCKS_PER_BOOT,
        finding=("faster" if ratio > 1 else "slower") if told_apart else "can't tell",
        equivalent=not told_apart,
        minimum_detectable_effect=relative * 1.1,
    )
