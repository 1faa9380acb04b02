"""`why` against planted causes, and on real pairs: `make why-bench`.

  planted  ten causes in five sizes, twice each, one at a time in brick-yardstick
  others   six causes in two sizes in small servers in Go, Node and Python
  pairs    five pairs of servers of the catalogue, twice each: what sampled blocks miss of the
           measured difference, µs and as a share of it

Of each try the sides are called left and right, at random; either may be the reference. What is
measured and judged has these names and no others. The rules of counting are in `counting.py`. A try
is kept with its commit and a name of the sources that measure and judge, and those of other sources
don't count. It goes on where it was stopped, call after call.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import bakeoff
from bakeoff.installation import engine_version
from bakeoff.measure import machine
from bakeoff.model.errors import BakeoffError
from bakeoff.model.why import Why
from bakeoff.report.sentences import sentence
from bakeoff.runs.run import open_run
from tests.judge_bench import kept
from tests.why_bench import looks
from tests.why_bench.causes import SIZES_IN, Planted, build_go, every
from tests.why_bench.counting import NOTHING, Truth, counted

ROOT = Path(__file__).parents[2]
RUNS = {"yardstick": 2, "go": 1, "node": 1, "python": 1}
PAIRS: Mapping[str, tuple[Sequence[str], Mapping[str, object]]] = {
    "nginx, libuv-http-parser": (("nginx", "libuv-http-parser"), {}),
    "gin, go-nethttp": (("gin", "go-nethttp"), {}),
    "fastify, node-http": (("fastify", "node-http"), {}),
    "uvicorn, granian": (("uvicorn", "granian"), {}),
    "go-nethttp: h2c, h1": (("go-nethttp",), {"protocol": "h1,h2c"}),
}
PAIR_RUNS = 2
MEASURES = ("bakeoff/judge", "bakeoff/runs/measuring", "bakeoff/why", "engine", "brick")
EXPECTED_S = 90.0
"""The longest that a try may take; none begins that would end later."""
PARTS = ("planted", "others", "pairs")


@dataclass
class Bench:
    """What is kept in one folder, and what is still to be tried."""

    folder: Path
    python: str = sys.executable
    minutes: float = 60.0
    seed: int = 1
    sources: str = field(default_factory=lambda: sources())

    def __post_init__(self) -> None:
        self.tries = self.folder / "tries.jsonl"

    def done(self) -> list[dict[str, Any]]:
        """The tries of these sources, in the order in which they ended."""
        return [each for each in kept.races(self.tries) if each["sources"] == self.sources]

    def run(self, servers: Sequence[str], causes: Sequence[str], pairs: Sequence[str]) -> None:
        """Tries in random order, each run of all after the one before, until the time is up."""
        (self.folder / "runs").mkdir(parents=True, exist_ok=True)
        if "go" in servers:
            build_go(self.folder)
        until_s = time.monotonic() + 60 * self.minutes
        had = {each["what"] for each in self.done()}
        todo: list[tuple[str, Callable[[], dict[str, Any]]]] = [
            (json.dumps(asdict(each)), partial(self.planted, each))
            for each in self.order(servers)
            if each.cause in causes
        ]
        todo += [
            (f"{name} {run}", partial(self.pair, name))
            for run in range(PAIR_RUNS)
            for name in pairs
        ]
        todo = [each for each in todo if each[0] not in had]
        for number, (what, tried) in enumerate(todo):
            if until_s - time.monotonic() < EXPECTED_S:
                print(f"{len(todo) - number} tries are left; the next call goes on from here")
                return
            began_s, load = time.monotonic(), os.getloadavg()[0]
            row: dict[str, Any] = {
                "what": what,
                "commit": kept.commit(),
                "sources": self.sources,
                "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                "load_average": load,
                "failed": None,
            }
            try:
                row |= tried()
            except (BakeoffError, OSError) as error:
                row["failed"] = str(error)
            row["took_s"] = round(time.monotonic() - began_s, 1)
            kept.append(self.tries, row)
            print(f"{number + 1} of {len(todo)}: {said(row)}", flush=True)

    def order(self, servers: Sequence[str]) -> list[Planted]:
        """Shuffled within each run of each server."""
        tries = every(servers, RUNS)
        random.Random(self.seed).shuffle(tries)
        return sorted(tries, key=lambda each: (servers.index(each.server), each.run))

    def planted(self, planted: Planted) -> dict[str, Any]:
        """A look at a bare server and one with a cause; then the truth."""
        log = self.folder / "access.log"
        side, reference = random.choice(looks.SIDES), random.choice(looks.SIDES)
        with_cause, bare = planted.commands(self.folder, log, self.python)
        commands = {each: with_cause if each == side else bare for each in looks.SIDES}
        words = [f"{name}={command}" for name, command in commands.items()]
        try:
            result, path = looks.look(words, self.folder / "runs", {"reference": reference})
            log.unlink(missing_ok=True)
            rate, truth, untold = result.rate_per_s, None, ""
            try:
                if rate and planted.server == "yardstick":
                    truth = looks.truth(planted, commands, side, rate)
            except BakeoffError as error:
                untold = str(error)
        finally:
            log.unlink(missing_ok=True)
        return {
            "side": side,
            "run": path.name,
            "truth": truth.model_dump() if truth else None,
            "untold": untold,
            **facts(result),
            **counted(planted, side, result, truth).model_dump(),
        }

    def pair(self, name: str) -> dict[str, Any]:
        """A look at a pair of the catalogue."""
        words, options = PAIRS[name]
        result, path = looks.look(words, self.folder / "runs", options)
        return {"run": path.name, **facts(result), **of_pair(result)}

    def again(self) -> None:
        """Judge and count all kept runs by today's rules, whatever their commit."""
        rows = kept.races(self.tries)
        self.tries.rename(self.tries.with_suffix(".before"))
        for row in rows:
            if not row["failed"] and (path := self.folder / "runs" / row["run"]).exists():
                result = open_run(path).judge()
                assert isinstance(result, Why)
                row |= facts(result)
                if "side" in row:
                    truth = Truth.model_validate(row["truth"]) if row["truth"] else None
                    planted = Planted(**json.loads(row["what"]))
                    row |= counted(planted, row["side"], result, truth).model_dump()
                else:
                    row |= of_pair(result)
            kept.append(self.tries, row)


def sources() -> str:
    """What measures and judges, by git's names of it; not what is changed and not committed."""
    rooms = [f"HEAD:{room}" for room in MEASURES]
    told = subprocess.run(
        ["git", "rev-parse", *rooms], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return "-".join(name[:6] for name in told.stdout.split())


def facts(result: Why) -> dict[str, Any]:
    return {
        "given_up": result.given_up,
        "rate_per_s": result.rate_per_s,
        "lasted_s": round(result.lasted_s, 1),
        "profiling": dict(result.profiling),
        "missing": {layer: reason.code for layer, reason in result.missing.items()},
    }


def of_pair(result: Why) -> dict[str, Any]:
    """What is said of a pair, and the share of its measured difference that sampled blocks miss.

    `why` takes out of each contender's samples what profiling costs it, so that its lines add up to
    the plain difference. Here only what it costs both together is taken out.
    """
    if not result.pairs:
        return {"missed": None}
    (pair,) = result.pairs
    its, other = (result.profiling.get(name, 1.0) for name in (pair.name, pair.other))
    sampled_us = (pair.its_us * its - pair.other_us * other) / (its * other) ** 0.5
    return {
        "its_us": pair.its_us,
        "other_us": pair.other_us,
        "cpu": pair.cpu.model_dump(),
        "missed_us": sampled_us - pair.cpu.more,
        "missed": abs(sampled_us / pair.cpu.more - 1),
        "missed_of_request": abs(sampled_us - pair.cpu.more) / max(pair.its_us, pair.other_us),
        "said": sentence(pair.finding),
    }


def said(row: Mapping[str, Any]) -> str:
    if row["failed"] or row["given_up"]:
        return f"{row['what']}: {row['failed'] or row['given_up']}"
    if "missed" in row:
        return f"{row['what']}: {row['said']}; missed: {row['missed']}"
    claimed, size = row["claimed_us"], ""
    if truth := row["truth"]:
        verdict = "right" if row["size_right"] else "wrong"
        size = f"; claimed {claimed}, true {truth['us']}: size {verdict}"
    wrong = f"; wrong: {', '.join(row['wrong'])}" if row["wrong"] else ""
    return f"{row['what']}: {'right' if row['right'] else 'MISSED'}{wrong}{size}; {row['took_s']} s"


def summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """For each server its tries, names and sizes; and what the pairs miss."""
    of: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        if row["what"].startswith("{"):
            of[json.loads(row["what"])["server"]].append({**NOTHING.model_dump(), **row})
    found: dict[str, Any] = {
        server: {
            "tries": len(tries),
            "named_right": sum(each["right"] for each in tries),
            "wrong_names": sum(len(each["wrong"]) for each in tries),
            **(
                {"sizes_right": sum(t["size_right"] for t in tries)}
                if server == "yardstick"
                else {}
            ),
        }
        for server, tries in of.items()
    }
    found["pairs"] = {
        row["what"]: {key: row.get(key) for key in ("cpu", "missed_us", "missed")}
        for row in rows
        if "missed" in row
    }
    found["failed"] = [f"{row['what']}: {row['failed']}" for row in rows if row["failed"]]
    return found


def write(out: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """The record: what the tries come to, and each."""
    record = {
        "what": "how often bakeoff why names a planted cause, and what it misses of real pairs",
        "command": "python -m tests.why_bench",
        "commits": sorted({row["commit"] for row in rows}),
        "machine": machine(engine=engine_version(), bakeoff=bakeoff.__version__).model_dump(),
        "summary": summary(rows),
        "tries": rows,
    }
    out.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="why-bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--minutes", type=float, default=60.0, help="no try begins that would end later (60)"
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--causes", nargs="+", choices=SIZES_IN["yardstick"])
    parser.add_argument("--servers", nargs="+", choices=list(RUNS)[1:], default=list(RUNS)[1:])
    parser.add_argument("--python", default=sys.executable, help="for the server in Python")
    parser.add_argument("--seed", type=int, default=1, help="of the order (1)")
    parser.add_argument("--kept", type=Path, default=ROOT / "build/why-bench")
    parser.add_argument("--again", action="store_true", help="judge what is kept again, and end")
    parser.add_argument("--out", type=Path, help="write the record there, as JSON")
    chosen = parser.parse_args()
    bench = Bench(chosen.kept.resolve(), chosen.python, chosen.minutes, chosen.seed)
    servers = ["yardstick"] if "planted" in chosen.only else []
    servers += chosen.servers if "others" in chosen.only else []
    try:
        if chosen.again:
            bench.again()
        else:
            pairs = list(PAIRS) if "pairs" in chosen.only else []
            bench.run(servers, chosen.causes or list(SIZES_IN["yardstick"]), pairs)
    except KeyboardInterrupt:
        print("stopped; the next call goes on from here")
    rows = kept.races(bench.tries) if chosen.again else bench.done()
    print(json.dumps(summary(rows), indent=1))
    if chosen.out:
        write(chosen.out, rows)


if __name__ == "__main__":
    main()
