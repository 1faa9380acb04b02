"""A race of the report's tests: five contenders, a twin, a tie, one invalid, one skipped."""

import base64
from functools import cache

from bakeoff.judge import judge
from bakeoff.model.audit import Crew, Written
from bakeoff.model.cut import Warmup
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Plan, Skipped
from bakeoff.model.readings import CoreTime, Memory
from bakeoff.model.receipt import Receipt
from bakeoff.model.samples import Block, Record
from bakeoff.model.verdict import Verdict
from tests.judge.facts import MACHINE, SOUND_AUDIT
from tests.judge.races import BAD, Race, encoded

RATIOS = {
    "nginx": 1.0, "libuv-http-parser": 0.998, "go-nethttp": 0.581, "node-http": 0.313,
    "gunicorn": 0.0413, "aiohttp": 0.11,
}  # fmt: skip
HEADS = dict(zip(RATIOS, (156, 81, 117, 152, 158, 149), strict=True))
MIB = dict(zip((*RATIOS, "twin"), (27.4, 23.1, 38.9, 81.2, 68.7, 62.0, 27.4), strict=True))
RATE = 83_000.0
# ns at 50 %, 90 %, 99 %, 99.9 % and above, of a contender with 64,000 requests/s.
LATENCIES = ((0.9, 500), (1.3, 400), (1.9, 90), (2.7, 9), (4.4, 1))


def _race() -> Race:
    fields: dict[str, tuple[str, ...]] = dict.fromkeys(RATIOS, ("content-length", "date", "server"))
    fields["libuv-http-parser"] = ("content-length", "date")
    audits = dict.fromkeys((*RATIOS, "twin"), SOUND_AUDIT)
    audits["node-http"] = SOUND_AUDIT.model_copy(update={"kept": 7})
    audits["gunicorn"] = SOUND_AUDIT.model_copy(update={"segments": 2, "keeps_http_1_0": False})
    events: dict[str, dict[str, object]] = {
        name: {"latency": _latencies(ratio)} for name, ratio in (*RATIOS.items(), ("twin", 1.0))
    }
    events["aiohttp"] = {"errors": {"mismatch_body": 1}, "first_bad": BAD}
    return Race(
        RATIOS,
        blocks=36,
        long_blocks=4,
        noise=0.006,
        boot_sd=0.003,
        twin="nginx",
        seed=7,
        scale=RATE / 1_000_000,
        events=events,
        leak={"go-nethttp": 0.014},
        verified={
            name: {
                "head_bytes": head,
                "headers": tuple((field.title(), "x") for field in fields[name]),
                "response_base64": _answer(name),
            }
            for name, head in HEADS.items()
        },
        audits=audits,
        crews={
            name: Crew(processes=1, threads=7, processes_at_work=1, threads_at_work=1)
            for name in RATIOS
        },
        written={
            name: Written(log_bytes=20_000 if name == "go-nethttp" else 0, scratch_bytes=0)
            for name in RATIOS
        },
        end={"loaded": {name: Memory(pss_mib=mib, processes=1) for name, mib in MIB.items()}},
    )


def _latencies(ratio: float) -> str:
    return encoded(tuple((round(at * 1e6 / ratio), n) for at, n in LATENCIES))


def _answer(name: str) -> str:
    head = f"HTTP/1.1 200 OK\r\nServer: {name}\r\nContent-Length: 13\r\n\r\n"
    return base64.b64encode(f"{head}Hello, World!".encode()).decode()


def machine() -> Machine:
    return MACHINE.model_copy(
        update={
            "taken_at": "2026-11-21T20:43:16Z",
            "distribution": "Debian GNU/Linux 12 (bookworm)",
            "threads_per_core": None,
            "port_range": None,
            "mitigations": {"spectre_v2": "Mitigation: Enhanced IBRS", "meltdown": "Not affected"},
        }
    )


@cache
def plan() -> Plan:
    changed = {
        "command_line": ("bakeoff", "race", "nginx", "libuv-http-parser", "--seed", "7"),
        "skipped": (
            Skipped(name="erlang-cowboy", reason="needs erl: apt-get install erlang-base"),
        ),
    }
    return _race().plan().model_copy(update=changed)


def receipts() -> dict[str, Receipt]:
    built = {
        "tools": {"cc": "gcc (Debian 12.2.0-14) 12.2.0"},
        "source_sha256": "5f" * 32,
        "commands": (("cc", "-O2", "-o", "server", "server.c"),),
    }
    return {name: each.model_copy(update=built) for name, each in _race().receipts().items()}


@cache
def records() -> tuple[Record, ...]:
    """Three boots of a minute; node-http compiles while it is warmed up."""
    changed: list[Record] = []
    for record in _race().records():
        if isinstance(record, Warmup):
            rates: dict[str, tuple[float, ...]] = {
                name: (RATE * ratio,) * 4 for name, ratio in RATIOS.items()
            }
            rates["node-http"] = tuple(
                RATE * 0.313 * share for share in (0.6, 0.7, 0.9, 1, 1, 1, 1, 1)
            )
            unsteady = record.boot == 1
            courses = dict.fromkeys(RATIOS, "flat")
            courses["node-http"] = "unsteady" if unsteady else "warm-up"
            steady = record.steady | {"node-http": not unsteady}
            update = {"requests_per_s": rates, "courses": courses, "steady": steady}
            record = record.model_copy(update=update)
        elif isinstance(record, Block):
            at_s = 5_000 + record.boot * 60 + record.block
            cores = tuple(_core(cpu, record.boot * 40 + record.block) for cpu in (0, 1))
            alone = {"others_share": 0.01}
            slices = tuple(each.model_copy(update=alone) for each in record.slices)
            update = {"at_ns": at_s * 10**9, "cores": cores, "slices": slices}
            record = record.model_copy(update=update)
        changed.append(record)
    return tuple(changed)


def _core(cpu: int, busy_s: int) -> CoreTime:
    shares = {"user_s": 0.38, "system_s": 0.44, "softirq_s": 0.1, "steal_s": 0.012}
    spent = {part: share * busy_s / (cpu + 1) for part, share in shares.items()}
    return CoreTime.model_validate({"cpu": cpu, **spent, "idle_s": busy_s - sum(spent.values())})


@cache
def verdict() -> Verdict:
    return judge(plan(), receipts(), records(), machine(), True)
