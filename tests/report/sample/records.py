"""The sample's records: three boots of short and long blocks."""

import base64
import math
import random

from bakeoff.model.engine import SliceEvent
from bakeoff.model.receipt import Stopped, Verification
from bakeoff.model.samples import (
    Block,
    BootEnd,
    BootEntry,
    BootStart,
    CoreTime,
    CpuTime,
    Memory,
    Record,
    Slice,
    SliceLengths,
    Warmup,
)
from tests.report.sample.runners import (
    BLOCKS_PER_BOOT,
    BOOTS,
    NODE,
    REFERENCE_RATE,
    RUNNERS,
    SLICE_MS,
    Runner,
)


def records() -> list[Record]:
    chance = random.Random(7)
    return [record for boot in range(BOOTS) for record in _boot(boot, chance)]


def _boot(boot: int, chance: random.Random) -> list[Record]:
    level = {runner.name: 1 + chance.gauss(0, 0.004) for runner in RUNNERS}
    started = tuple(_boot_entry(runner) for runner in chance.sample(RUNNERS, len(RUNNERS)))
    blocks: list[Record] = []
    at_s, busy_s, drift = 5_000.0 + boot * 60, 100.0 + boot * 40, 0.0
    for number in range(BLOCKS_PER_BOOT):
        kind = "long" if number % 10 == 9 else "short"
        slice_s = 0.1 if kind == "long" else SLICE_MS / 1000
        drift = 0.97 * drift + chance.gauss(0, 0.02)
        slices = []
        for runner in chance.sample(RUNNERS, len(RUNNERS)):
            noise = chance.gauss(0, 0.008) - (0.3 if chance.random() < 0.004 else 0)
            rate = REFERENCE_RATE * runner.ratio * level[runner.name] * math.exp(drift + noise)
            slices.append(_slice(runner, number, at_s, slice_s, round(rate * slice_s)))
            at_s += slice_s + 0.006
            busy_s += slice_s
        blocks.append(
            Block(
                boot=boot,
                block=number,
                kind=kind,
                slices=tuple(slices),
                at_ns=round(at_s * 1e9),
                cores=_cores(at_s, busy_s),
            )
        )
    return [
        BootStart(
            boot=boot,
            started=started,
            engine="volley 0.1.0",
            io="epoll",
            connections_open={runner.name: 64 for runner in RUNNERS},
        ),
        Warmup(
            boot=boot,
            lengths={
                runner.name: SliceLengths(short_ms=SLICE_MS, long_ms=100, ramp_ms=5)
                for runner in RUNNERS
            },
            requests_per_s={
                runner.name: (REFERENCE_RATE * runner.ratio,) * 4 for runner in RUNNERS
            },
            mean_latency_us={
                runner.name: 64e6 / REFERENCE_RATE / runner.ratio for runner in RUNNERS
            },
            steady={runner.name: runner is not NODE for runner in RUNNERS},
        ),
        *blocks,
        BootEnd(
            boot=boot,
            loaded={r.name: Memory(pss_mib=r.memory_mib, processes=1) for r in RUNNERS},
            stopped=tuple(Stopped(name=runner.name, how="SIGTERM") for runner in RUNNERS),
        ),
    ]


def _cores(at_s: float, busy_s: float) -> tuple[CoreTime, ...]:
    shares = ((0.38, 0.44, 0.1, 0.012), (0.22, 0.25, 0.06, 0.01))
    return tuple(
        CoreTime(
            cpu=cpu,
            user_s=round(busy_s * user, 2),
            system_s=round(busy_s * system, 2),
            softirq_s=round(busy_s * softirq, 2),
            steal_s=round(busy_s * steal, 2),
            idle_s=round(at_s - busy_s * (user + system + softirq + steal), 2),
        )
        for cpu, (user, system, softirq, steal) in enumerate(shares)
    )


def _slice(runner: Runner, block: int, at_s: float, slice_s: float, requests: int) -> Slice:
    return Slice(
        entry=runner.name,
        event=SliceEvent(
            target=RUNNERS.index(runner),
            block=block,
            start_ns=round(at_s * 1e9),
            end_ns=round((at_s + slice_s) * 1e9),
            drained_ns=round((at_s + slice_s + 0.001) * 1e9),
            requests=requests,
            bytes=requests * (runner.head_bytes + 13),
            requests_all=round(requests * 1.1),
            redirects=0,
            misses=0,
            unsent=0,
            connects=0,
            idle_closed=0,
            errors={},
            latency="",
            latency_count=requests,
            latency_mean_us=64e6 * slice_s / max(1, requests),
            in_flight_ns=round(64e9 * slice_s),
            service=None,
            send_lag=None,
            cpu_ns=round(slice_s * 5e8),
            busy=0.6,
            first_bad=None,
        ),
        server_cpu=CpuTime(
            total_ns=round(slice_s * 1e9),
            user_ns=round(slice_s * 1e9 * runner.user_share),
            system_ns=round(slice_s * 1e9 * (1 - runner.user_share)),
        ),
        leak_ns=1000,
        leak_wall_ns=1_000_000,
    )


def _boot_entry(runner: Runner) -> BootEntry:
    fields = f"Server: {runner.title}\r\nContent-Type: text/plain\r\nContent-Length: 13"
    head = f"HTTP/1.1 200 OK\r\n{fields}\r\n\r\n"
    return BootEntry(
        name=runner.name,
        pid=4242,
        address="127.0.0.1:18080",
        command=("./server", "--port", "18080"),
        time_to_ready_ms=12.4 + runner.memory_mib * 6,
        cpu_source="cgroup-v2",
        idle=Memory(pss_mib=runner.memory_mib * 0.86, processes=1),
        verification=Verification(
            name=runner.name,
            status=200,
            head_bytes=runner.head_bytes,
            body_bytes=13,
            headers=(("Server", runner.title), ("Content-Length", "13")),
            keeps_alive=True,
            response_base64=base64.b64encode(f"{head}Hello, World!".encode()).decode(),
        ),
    )
