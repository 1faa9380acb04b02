"""Plans and records of races that never ran: a builder whose defaults are a sound, quiet race."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from hdrh.histogram import HdrHistogram

from bakeoff.judge import judge
from bakeoff.model.audit import Audit, Crew, Written
from bakeoff.model.contender import Contender, RunSection
from bakeoff.model.cut import SliceLengths, Warmup
from bakeoff.model.engine import BadExchange, SliceEvent
from bakeoff.model.entry import VerdictEntry
from bakeoff.model.finding import Finding
from bakeoff.model.findings.values import Value
from bakeoff.model.plan import Connection, Cores, Entry, Plan
from bakeoff.model.protocol import Agreed, Protocol
from bakeoff.model.readings import CoreTime, CpuTime, Memory
from bakeoff.model.receipt import Receipt, Verification
from bakeoff.model.samples import Block, BootEnd, BootEntry, BootStart, Record, Slice
from bakeoff.model.verdict import Verdict
from bakeoff.model.workload import Workload
from tests.judge.facts import MACHINE

MS = 1_000_000
CONNECTIONS = 64


@cache
def encoded(values: tuple[tuple[int, int], ...]) -> str:
    """A histogram of (latency in ns, count), as the engine writes it."""
    histogram = HdrHistogram(1, 60_000_000_000, 3)
    for value, count in values:
        histogram.record_value(value, count)
    return str(histogram.encode().decode())


def event(**changed: object) -> SliceEvent:
    """A quiet slice: 20 ms, 1,000 requests, Little's law kept, server and not client busy."""
    sound: dict[str, object] = {
        "target": 0,
        "block": 0,
        "start_ns": 1000 * MS,
        "end_ns": 1020 * MS,
        "drained_ns": 1021 * MS,
        "requests": 1000,
        "bytes": 147_000,
        "requests_all": 1300,
        "redirects": 0,
        "misses": 0,
        "unsent": 0,
        "connects": 0,
        "idle_closed": 0,
        "errors": {},
        "latency": encoded(((1_280_000, 1000),)),
        "latency_count": 1000,
        "latency_mean_us": 1280.0,
        "in_flight_ns": CONNECTIONS * 20 * MS,
        "service": None,
        "send_lag": None,
        "cpu_ns": 10 * MS,
        "delayed_ns": 0,
        "busy": 0.5,
        "first_bad": None,
    }
    return SliceEvent.model_validate(sound | changed)


def throughput_event(requests: int, length_ms: int) -> SliceEvent:
    """A slice of `length_ms` with `requests` answers, all connections in use."""
    mean_us = CONNECTIONS * length_ms * 1e3 / max(1, requests)
    return event(
        end_ns=(1000 + length_ms) * MS,
        drained_ns=(1001 + length_ms) * MS,
        requests=requests,
        requests_all=round(requests * (length_ms + 6) / length_ms),
        latency_count=requests,
        latency_mean_us=mean_us,
        in_flight_ns=CONNECTIONS * length_ms * MS,
    )


def altered(
    records: Iterable[Record], alter: Callable[[Block, Slice], Slice | None]
) -> list[Record]:
    """The records with each slice as `alter` makes it; None: the entry had no turn."""
    return [
        record.model_copy(
            update={
                "slices": tuple(slice_ for each in record.slices if (slice_ := alter(record, each)))
            }
        )
        if isinstance(record, Block)
        else record
        for record in records
    ]


def with_event(slice_: Slice, **changed: object) -> Slice:
    """The slice with some figures of its event changed."""
    return slice_.model_copy(update={"event": slice_.event.model_copy(update=changed)})


def entry(name: str, twin_of: str | None = None) -> Entry:
    contender = Contender(
        name="some",
        title="Some",
        language="C",
        kind="server",
        run=RunSection(command="./some"),
        serves={"hello": "/"},
    )
    return Entry(
        name=name,
        title=name.title(),
        origin="catalogue",
        contender=contender,
        path="/",
        twin_of=twin_of,
    )


def receipt(name: str) -> Receipt:
    return Receipt(
        name=name,
        version=f"{name} 1.0",
        tools={},
        source_sha256="0" * 64,
        commands=(),
        log="",
        built_s=1,
    )


@dataclass
class Race:
    """A race in the making: change what is to be wrong with it, then ask for plan and records.

    `changes` has from which block of each boot on an entry is faster, and by which factor; `end`
    is what every boot's end says otherwise.
    """

    ratios: Mapping[str, float]
    boots: int = 3
    blocks: int = 20
    long_blocks: int = 0
    long_ratios: Mapping[str, float] = field(default_factory=dict)
    noise: float = 0.01
    boot_sd: float = 0.0
    twin: str | None = None
    twin_ratio: float = 1.0
    seed: int = 1
    scale: float = 1.0
    connection: Connection = "keep-alive"
    pipeline: int = 1
    protocol: Protocol = "h1"
    streams: int = 1
    workers: int = 1
    solo: bool = False
    cores: Cores = field(default_factory=lambda: Cores(server=(0,), client=(1,)))
    events: dict[str, dict[str, object]] = field(default_factory=dict)
    busy: dict[str, float] = field(default_factory=dict)
    upstream: dict[str, float] = field(default_factory=dict)
    upstream_cpus: tuple[int, ...] = (1,)
    database_rows: int | None = None
    leak: dict[str, float] = field(default_factory=dict)
    out: dict[int, dict[str, str]] = field(default_factory=dict)
    died: dict[str, str] = field(default_factory=dict)
    open: dict[str, int] = field(default_factory=dict)
    unsteady: tuple[str, ...] = ()
    verified: dict[str, dict[str, object]] = field(default_factory=dict)
    agreed: dict[str, Agreed] = field(default_factory=dict)
    audits: dict[str, Audit] = field(default_factory=dict)
    crews: dict[str, Crew] = field(default_factory=dict)
    written: dict[str, Written] = field(default_factory=dict)
    cpu_source: dict[str, str] = field(default_factory=dict)
    changes: dict[str, tuple[int, float]] = field(default_factory=dict)
    end: dict[str, object] = field(default_factory=dict)
    steal_s: float = 0.0
    cpu_seen: bool = True
    rate: float | None = None
    """Of an open loop: `ratios` are then how much sooner an entry answers."""

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.ratios, *(["twin"] if self.twin else []))

    def plan(self, order: Sequence[str] | None = None) -> Plan:
        entries = [entry(name) for name in order or tuple(self.ratios)]
        if self.twin:
            entries.append(entry("twin", twin_of=self.twin))
        return Plan(
            run="20260102T030405-race",
            command_line=("race",),
            entries=tuple(entries),
            workload=Workload(name="hello", title="Hello", database_rows=self.database_rows),
            upstream_cpus=self.upstream_cpus,
            mode="open" if self.rate else "closed",
            rate=self.rate,
            connection=self.connection,
            connections=CONNECTIONS,
            pipeline=self.pipeline,
            protocol=self.protocol,
            streams=self.streams,
            duration_s=20,
            boots=self.boots,
            workers=self.workers,
            cores=self.cores,
            reference=next(iter(self.ratios)),
            solo=self.solo,
            seed=self.seed,
        )

    def receipts(self) -> dict[str, Receipt]:
        return {name: receipt(name) for name in self.ratios}

    def records(self) -> list[Record]:
        rng = np.random.default_rng(self.seed)
        return [record for boot in range(self.boots) for record in self._boot(boot, rng)]

    def _boot(self, boot: int, rng: np.random.Generator) -> list[Record]:
        out = self.out.get(boot, {})
        up = [name for name in self.names if name not in out]
        shift = dict(zip(self.names, rng.normal(0, self.boot_sd, len(self.names)), strict=True))
        kinds = ["short"] * self.blocks + ["long"] * self.long_blocks
        if self.rate:
            kinds = ["long"] * self.blocks
        start = BootStart(
            boot=boot,
            started=tuple(self._up(name) for name in up),
            out=out,
            engine="0.1.0",
            io="epoll",
            connections_open={name: self.open.get(name, CONNECTIONS) for name in up},
            agreed={name: self.agreed[name] for name in up if name in self.agreed},
        )
        warmup = Warmup(
            boot=boot,
            lengths=dict.fromkeys(up, SliceLengths(short_ms=20, long_ms=100, ramp_ms=5)),
            requests_per_s={},
            mean_latency_us={},
            steady={name: name not in self.unsteady for name in up},
        )
        blocks = [
            self._block(boot, number, kind, up, shift, rng) for number, kind in enumerate(kinds)
        ]
        end = BootEnd(
            boot=boot,
            loaded={name: Memory(pss_mib=30, processes=1) for name in up},
            stopped=(),
            died=self.died,
            crews={name: crew for name, crew in self.crews.items() if name in up},
            written={name: each for name, each in self.written.items() if name in up},
        )
        return [start, warmup, *blocks, end.model_copy(update=self.end)]

    def _up(self, name: str) -> BootEntry:
        sound: dict[str, object] = {
            "name": name,
            "status": 200,
            "head_bytes": 134,
            "body_bytes": 13,
            "keeps_alive": True,
        }
        return BootEntry(
            name=name,
            pid=100,
            address="127.0.0.1:8080",
            command=("./some",),
            time_to_ready_ms=12,
            cpu_source=self.cpu_source.get(name, "cgroup-v2"),
            idle=Memory(pss_mib=20, processes=1),
            verification=Verification.model_validate(sound | self.verified.get(name, {})),
            audit=self.audits.get(name),
        )

    def _block(
        self,
        boot: int,
        number: int,
        kind: str,
        up: list[str],
        shift: dict[str, float],
        rng: np.random.Generator,
    ) -> Block:
        weather = rng.normal(0, 0.1)
        noise = dict(zip(self.names, rng.standard_t(4, len(self.names)), strict=True))
        slices = []
        for name in up:
            of_kind = self.long_ratios if kind == "long" else {}
            ratio = of_kind.get(name, self.ratios.get(name, self.twin_ratio))
            since, factor = self.changes.get(name, (self.blocks, 1.0))
            ratio *= factor if number >= since else 1.0
            wobble = weather + shift[name] + noise[name] * self.noise / 2
            if self.rate:
                slices.append(self._slice(name, self._open_event(1000 / ratio * np.exp(-wobble))))
                continue
            length_ms = 100 if kind == "long" else 20
            requests = round(1_000 * self.scale * length_ms * ratio * np.exp(wobble))
            slices.append(self._slice(name, throughput_event(requests, length_ms)))
        at_s = boot * 1000 + number
        core = CoreTime(
            cpu=0,
            user_s=0,
            system_s=0,
            softirq_s=0,
            steal_s=at_s * self.steal_s,
            idle_s=at_s * (1 - self.steal_s),
        )
        return Block.model_validate(
            {
                "boot": boot,
                "block": number,
                "kind": kind,
                "slices": tuple(slices),
                "at_ns": at_s * 1000 * MS,
                "cores": (core,),
            }
        )

    def _open_event(self, p99_us: float) -> SliceEvent:
        """A slice of 250 ms in an open loop that is kept up with; all are as slow as the p99."""
        assert self.rate
        due = round(self.rate / 4)
        return event(
            end_ns=1250 * MS,
            drained_ns=1251 * MS,
            requests=due,
            requests_all=round(due * 1.2),
            latency=encoded(((round(p99_us * 1000), due),)),
            latency_count=due,
            latency_mean_us=p99_us,
            in_flight_ns=round(due * p99_us * 1000),
            service=encoded(((round(p99_us * 1000) - 10_000, due),)),
            send_lag=encoded(((10_000, due),)),
        )

    def _slice(self, name: str, quiet: SliceEvent) -> Slice:
        measured = SliceEvent.model_validate(quiet.model_dump() | self.events.get(name, {}))
        span_ns = quiet.drained_ns - quiet.start_ns + 5 * MS
        cpu_ns = round(span_ns * self.busy.get(name, 0.98))
        cpu = CpuTime(total_ns=cpu_ns, user_ns=cpu_ns // 4, system_ns=cpu_ns // 4)
        return Slice(
            entry=name,
            event=measured,
            server_cpu=cpu if self.cpu_seen else None,
            upstream_cpu=self._upstream_cpu(name, span_ns),
            leak_ns=round(100 * MS * self.leak.get(name, 0)),
            leak_wall_ns=100 * MS,
            rate=self.rate,
        )

    def _upstream_cpu(self, name: str, span_ns: int) -> CpuTime | None:
        if name not in self.upstream:
            return None
        total_ns = round(span_ns * self.upstream[name])
        return CpuTime(total_ns=total_ns, user_ns=total_ns // 4, system_ns=total_ns // 4)


BAD = BadExchange(
    kind="mismatch_body", detail="body differs at byte 7", request_base64="", response_base64=""
)


def judged(
    race: Race, records: Sequence[Record] | None = None, *, complete: bool = True, **planned: object
) -> Verdict:
    """The verdict on the race, or on other records of it, where that was `planned` otherwise."""
    kept = race.records() if records is None else records
    plan = race.plan().model_copy(update=planned)
    return judge(plan, race.receipts(), kept, MACHINE, complete)


def row(verdict: Verdict, name: str) -> VerdictEntry:
    entry = verdict.entry(name)
    assert entry
    return entry


def codes(findings: Iterable[Finding]) -> list[str]:
    return [finding.code for finding in findings]


def says(findings: Iterable[Finding], code: str, **values: Value) -> bool:
    """Whether one of the findings has this code, and these values among its own."""
    return any(
        finding.code == code and {**finding.values, **values} == finding.values
        for finding in findings
    )
