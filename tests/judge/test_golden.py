"""Results that stay as they were: what the judge of commit c744e0e made of these samples.

`golden.jsonl` has one result a line; `BAKEOFF_GOLDEN=write pytest tests/judge/test_golden.py`
writes them anew. Look at the difference before you commit it.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from bakeoff.judge import (
    RaceEvidence,
    ToolEvidence,
    compare_runs,
    confirmed,
    decide,
    judge,
    unequal,
    works_of,
)
from bakeoff.judge.crosscheck import crosscheck
from bakeoff.model.article import Article
from bakeoff.model.audit import AuditReport, Conduct, Crew, Written
from bakeoff.model.base import Contract
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Cores, Plan
from bakeoff.model.readings import Memory, TcpTrouble
from bakeoff.model.receipt import Receipt, Stopped
from bakeoff.model.samples import RECORD
from bakeoff.model.verdict import Verdict
from tests.judge import test_capacity, test_crosscheck, test_evidence, test_runs
from tests.judge.facts import SOUND_AUDIT
from tests.judge.races import BAD, Race, judged

GOLDEN = Path(__file__).with_name("golden.jsonl")
ROOT = Path(__file__).parents[2]
SOME = {"nginx": 1.0, "go": 0.81, "node": 0.8}

RACES = {
    "a usual race": Race(
        SOME,
        boots=2,
        blocks=12,
        long_blocks=3,
        twin="nginx",
        verified={"node": {"head_bytes": 160, "warnings": ("its body changes",)}},
        leak={"node": 0.02},
    ),
    "long slices disagree": Race(SOME, long_blocks=8, long_ratios={"go": 0.6}, boot_sd=0.003),
    "one boot on shared cores": Race(
        SOME, boots=1, workers=2, cores=Cores(server=(0,), client=(0,)), cpu_seen=False
    ),
    "solo rounds": Race(SOME, boots=12, blocks=1, solo=True, seed=5),
    "an open loop": Race(SOME, rate=4000.0, blocks=12, twin="go"),
    "an open loop not kept up with": Race(
        SOME,
        rate=4000.0,
        blocks=12,
        events={"go": {"requests": 900}, "node": {"send_lag": None, "misses": 10}},
    ),
    "figures that can't stand": Race(
        {**SOME, "a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0, "e": 1.0},
        twin="a",
        events={
            "nginx": {"errors": {"mismatch_body": 3}, "first_bad": BAD},
            "a": {"busy": 0.95},
            "b": {"in_flight_ns": 60 * 20_000_000},
            "c": {"errors": {"timeout": 4, "reset": 2}},
            "d": {"requests": 0},
        },
        busy={"a": 0.5, "go": 0.85},
        open={"e": 12},
        died={"node": "was killed by signal SIGSEGV"},
        out={1: {"go": "its port was taken"}},
    ),
    "entries that are warned of": Race(
        SOME,
        unsteady=("go",),
        events={
            "go": {"connects": 40, "errors": {"timeout": 1}, "busy": 0.87},
            "node": {"idle_closed": 3, "connects": 3},
        },
        busy={"node": 0.6},
        cpu_source={"node": "tree"},
        changes={"nginx": (10, 0.7)},
        end={
            "conducts": {"go": Conduct(escaped=2, ended=3, began=3, strayed=(1,))},
            "stopped": (Stopped(name="node", how="SIGKILL", survivors=(7, 9)),),
            "warmed": {"node": Memory(pss_mib=10, processes=1)},
            "lasted_s": 12.0,
            "tcp": TcpTrouble(listen_overflows=5, listen_drops=4, retransmits=2),
        },
        steal_s=0.02,
    ),
    "unequal work": Race(
        {**SOME, "brick": 1.1, "deno": 0.7},
        verified={
            "nginx": {"headers": (("Server", "n"), ("Date", "d"), ("Content-Length", "13"))},
            "go": {"headers": (("Date", "d"), ("Content-Length", "13"), ("X-Go", "1"))},
            "node": {"headers": (("Server", "n"), ("Content-Length", "13"), ("ETag", "x"))},
            "deno": {"body_bytes": 14, "keeps_alive": False},
        },
        audits={
            "nginx": SOUND_AUDIT,
            "go": SOUND_AUDIT.model_copy(update={"segments": 2, "answer_ms": 41.0}),
            "node": SOUND_AUDIT.model_copy(update={"kept": 5, "date": "frozen"}),
            "brick": SOUND_AUDIT.model_copy(
                update={
                    "keeps_http_1_0": False,
                    "closes_when_asked": False,
                    "date": "none",
                    "segments": None,
                    "awaits_request": False,
                }
            ),
        },
        crews={
            "go": Crew(processes=1, threads=8, processes_at_work=1, threads_at_work=6),
            "node": Crew(processes=1, threads=4, processes_at_work=1, threads_at_work=1),
        },
        written={"node": Written(log_bytes=90_000_000, scratch_bytes=0)},
        workers=4,
        cores=Cores(server=(0, 1, 2, 3, 4, 5, 6, 7), client=(8,)),
    ),
}


UNEQUAL = RACES["unequal work"]


def recorded() -> Verdict:
    """The race that is kept in `records`."""
    path = ROOT / "records" / "2026-11-21-default-race"
    plan, machine = Plan.read_json(path / "plan.json"), Machine.read_json(path / "machine.json")
    receipts = json.loads((path / "receipts.json").read_text())
    lines = (path / "samples.jsonl").read_text().splitlines()
    return judge(
        plan,
        {name: Receipt.model_validate(each) for name, each in receipts.items()},
        [RECORD.validate_json(line) for line in lines],
        machine,
        complete=True,
    )


def claims() -> list[Contract]:
    article = Article.read_toml(ROOT / "catalogue" / "articles" / "go-vs-node-2012.toml")
    first, second, *_ = article.comparisons
    names = [row.name for row in first.rows]
    race = Race({name: 1.0 + place for place, name in enumerate(names)}, long_blocks=3)
    raced = RaceEvidence(race.plan(), judged(race), race.records())
    tool = ToolEvidence(
        test_evidence.toured(**{row.name: 100.0 + n for n, row in enumerate(second.rows)})
    )
    return list(
        decide(article, {first.name: raced, second.name: tool}, {"another": "wrk is not there"})
    )


def results() -> dict[str, Any]:
    plan, works = UNEQUAL.plan(), works_of(UNEQUAL.plan(), UNEQUAL.records())
    queues = {"a": 5000.0, "b": 5000.0, "c": 3000.0}
    changed: dict[str, dict[str, object]] = {
        "c": {"errors": {"mismatch_body": 1}, "first_bad": BAD},
        "b": {"busy": 0.95},
    }
    tools = test_crosscheck.rounds(
        {"engine": test_crosscheck.ENGINE, "ab": {**test_crosscheck.ENGINE, "p50": 3500}}
    )
    return {
        **{name: judged(race) for name, race in RACES.items()},
        "the recorded race": recorded(),
        "a confirmed race": confirmed(
            judged(Race(SOME, twin="nginx")),
            judged(Race({"nginx": 1.0, "go": 0.5, "node": 0.8}, boots=12, blocks=1, solo=True)),
        ),
        "an audit": AuditReport(
            workload="hello", connections=64, works=works, unequal=unequal(plan, works), skipped=()
        ),
        "two runs": compare_runs(
            test_runs.run(1), test_runs.run(2, ratios={"ref": 1.0, "a": 0.4, "x": 1.0})
        ),
        "capacities": test_capacity.run(
            queues, noise=0.02, slos=("p99=10ms", "p50=2ms"), changed=changed
        ),
        "a crosscheck": list(crosscheck(tools, [("ab", "engine")], test_crosscheck.whole_ms)),
        "claims": claims(),
    }


def as_data(result: Any) -> Any:
    if isinstance(result, list):
        return [as_data(each) for each in result]
    return json.loads(result.to_json())


def test_results_stay_as_they_were() -> None:
    now = {name: as_data(result) for name, result in results().items()}
    if os.environ.get("BAKEOFF_GOLDEN") == "write":
        lines = [json.dumps([name, each], ensure_ascii=False) for name, each in now.items()]
        GOLDEN.write_text("\n".join(lines) + "\n", encoding="utf-8")
    golden = dict(json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines())
    assert now.keys() == golden.keys()
    for name, each in now.items():
        assert_same(each, golden[name], name)


def assert_same(now: Any, golden: Any, where: str) -> None:
    """Equal; floats to six digits, since the last ones differ between builds of numpy."""
    if isinstance(golden, dict):
        assert now.keys() == golden.keys(), where
        for key, each in golden.items():
            assert_same(now[key], each, f"{where}.{key}")
    elif isinstance(golden, list):
        assert len(now) == len(golden), where
        for place, each in enumerate(golden):
            assert_same(now[place], each, f"{where}[{place}]")
    elif isinstance(golden, float):
        assert now == pytest.approx(golden, rel=1e-6), where
    else:
        assert now == golden, where
