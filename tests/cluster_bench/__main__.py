"""The bench of many machines: `make cluster-bench`, or `python -m tests.cluster_bench`.

The machines are network namespaces with a Ray cluster between them: one server node, two load
nodes, and a head where bakeoff is called. brick-yardstick races itself (`equal`) and a copy that
does 3 % more for a request (`planted`, as in tests/judge_bench):

  cluster  on these machines
  alone    on this machine, without a cluster, in turn with the former
  poor     `equal` on machines whose server is 2 ms away ± 0.2, and loses 0.1 % of all frames

All of it shares the cores of this machine, of which it takes the first for the servers and the last
for all generators. Each finished race is kept (--kept), so the bench may be stopped at any time and
goes on from there. It wants root, and a machine without other work.
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from statistics import median
from typing import Literal

import bakeoff
from bakeoff.installation import engine_version
from bakeoff.measure import machine
from bakeoff.simulate import rate
from tests.cluster.machines import ROOT, Machines, why_not
from tests.cluster_bench.growth import growth
from tests.judge_bench import kept, live, planted, record

Arm = Literal["cluster", "alone", "poor"]
ARMS: tuple[Arm, ...] = ("cluster", "alone", "poor")
EFFECT = 0.03
POOR = ("--delay-ms", "1", "--jitter-ms", "0.1", "--loss", "0.001")
JOINS = """
import json, sys, time
began = time.monotonic()
from bakeoff.cluster.joining import joined
imported = time.monotonic()
with joined(sys.argv[1], (), lambda text: None):
    ready = time.monotonic()
left = time.monotonic()
took = {"import_s": imported - began, "join_s": ready - imported, "leave_s": left - ready}
print(json.dumps(took))
"""


def options(words: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="cluster-bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--races", type=int, default=10, help="of each kind, in the end (10)")
    parser.add_argument("--duration", type=float, default=20.0, help="of a race, s (20)")
    parser.add_argument("--only", nargs="+", choices=ARMS, default=list(ARMS))
    parser.add_argument("--seed", type=int, help="of the order, and of what the network loses")
    parser.add_argument("--kept", type=Path, default=Path("build/cluster-bench"))
    parser.add_argument("--out", type=Path, help="write the record there, as JSON")
    return parser.parse_args(words)


class Bench:
    """The races that are kept in one folder, and those still to be run."""

    def __init__(self, chosen: argparse.Namespace) -> None:
        self.chosen = chosen
        self.kept: Path = chosen.kept.resolve()
        # What lies here is sent to the server node, and must not change from race to race.
        self.here = self.kept / "place"
        self.seed = chosen.seed if chosen.seed is not None else random.randrange(10**8)
        self.setups = self.kept / "setups.jsonl"
        self.losses = self.kept / "losses.jsonl"
        self.timings = self.kept / "timings.jsonl"

    def run(self) -> None:
        self.kept.mkdir(parents=True, exist_ok=True)
        planted.fetch(self.here)
        cores = machine(engine=engine_version(), bakeoff=bakeoff.__version__).cpus
        live.append(self.timings, planted.timing(0, cores - 1))
        self.cpus = ("--cpus", f"server=0,client={cores - 1}")
        arms: list[Arm] = [arm for arm in ARMS[:2] if arm in self.chosen.only]
        if arms:
            with self._machines() as there:
                self._join(there)
                self._race_all(arms, there)
        if "poor" in self.chosen.only:
            with self._machines((*POOR, "--seed", str(self.seed))) as there:
                self._race_all(["poor"], there)
                kept.append(self.losses, there.end_poor_link())

    @contextmanager
    def _machines(self, poor: tuple[str, ...] = ()) -> Iterator[Machines]:
        with Machines(self.kept / "homes", poor) as made:
            made.start("more")
            yield made

    def _join(self, there: Machines) -> None:
        """How long it takes to be joined to a cluster that runs."""
        while len(kept.races(self.setups)) < self.chosen.races:
            words = [sys.executable, "-c", JOINS, there.address]
            joining = there.call("head", words)
            out, err = joining.communicate(timeout=300)
            if joining.returncode:
                sys.exit(f"cluster-bench: can't join: {err[-800:]}")
            kept.append(self.setups, json.loads(out))
            say(f"joined: {out.strip()}")

    def _race_all(self, arms: list[Arm], there: Machines) -> None:
        """Races of all kinds, in random order within each turn."""
        chance = random.Random(self.seed)
        for number in range(self.chosen.races):
            kinds = [*product(arms, ("equal", "planted"))]
            chance.shuffle(kinds)
            for arm, part in kinds:
                if (arm, part) != ("poor", "planted") and len(self._of(arm, part)) <= number:
                    self._race(arm, part, there)

    def _race(self, arm: Arm, part: str, there: Machines) -> None:
        began_s, loops = time.monotonic(), 0
        if part == "planted":
            loops = self.truth().loops(EFFECT, self._request_us())
        words = [f"base={planted.command()}", f"more={planted.command(loops)}", *self.cpus]
        within: list[str] = []
        if arm != "alone":
            words += ["--cluster", there.address]
            within = ["ip", "netns", "exec", there.space("head")]
        try:
            verdict, records = live.race(words, self.chosen.duration, self.here, within)
        except live.RaceFailed as error:
            say(f"{arm} {part}: {error}")
            return
        ran = live.kept(
            verdict,
            records,
            part=part,
            subject=f"{EFFECT:g}" if part == "planted" else planted.SERVER,
            loops=loops,
            duration_s=self.chosen.duration,
            took_s=time.monotonic() - began_s,
        )
        live.append(self._file(arm), ran)
        pair = ran.ratio
        told = (
            f"{pair.ratio:.4f} ({pair.low:.4f} to {pair.high:.4f}), {pair.finding}" if pair else ""
        )
        say(f"{arm} {part}, {ran.took_s:.0f} s: {told or '; '.join(ran.why_not) or 'no ratio'}")

    def truth(self) -> planted.Truth:
        """What the planted loops take."""
        return planted.truth(live.lines(self.timings, planted.Timing))

    def _request_us(self) -> float:
        """What a request of the base took in the last race: only to choose the loops."""
        took = [
            each.typical_us[0]
            for arm in ARMS[:2]
            for each in live.lines(self._file(arm), live.Live)
        ]
        return next((each for each in reversed(took) if each), planted.USUAL_US)

    def _file(self, arm: Arm) -> Path:
        return self.kept / f"{arm}.jsonl"

    def _of(self, arm: Arm, part: str) -> list[live.Live]:
        wanted = (part, self.chosen.duration)
        return [
            e for e in live.lines(self._file(arm), live.Live) if (e.part, e.duration_s) == wanted
        ]

    def record(self) -> dict[str, object]:
        facts = machine(engine=engine_version(), bakeoff=bakeoff.__version__)
        result: dict[str, object] = {
            "what": "does a cluster say what one machine says: python -m tests.cluster_bench",
            "machine": facts.model_dump(),
            "machines": "network namespaces: a head, a server node, two load nodes",
            "truth": self.truth().model_dump(),
            "setup": _setup(kept.races(self.setups)),
            "growth": growth(slices=10),
            "poor_link": {"options": POOR, "counted": kept.races(self.losses)},
        }
        result |= {arm: self.of_arm(arm) for arm in ARMS}
        result["agreement"] = {part: self.agreement(part) for part in ("equal", "planted")}
        return result

    def of_arm(self, arm: Arm) -> dict[str, object]:
        """What the races of an arm say together, and each of them."""
        equal, unequal = self._of(arm, "equal"), self._of(arm, "planted")
        return {
            "equal": record.of_equals(equal)["all"] if equal else None,
            "covers_1": _share([e.ratio.low <= 1 <= e.ratio.high for e in equal if e.ratio]),
            "planted": record.of_planted(unequal, self.truth()) if unequal else None,
            "warnings": sorted({said for each in equal + unequal for said in each.warnings}),
            "races": [each.model_dump() for each in equal + unequal],
        }

    def agreement(self, part: str) -> object:
        """In how many turns the intervals of the cluster and of one machine overlap."""
        turns = zip(self._of("cluster", part), self._of("alone", part), strict=False)
        return _share(
            [
                a.ratio.low <= b.ratio.high and b.ratio.low <= a.ratio.high
                for a, b in turns
                if a.ratio and b.ratio
            ]
        )


def _setup(joins: list[dict[str, float]]) -> dict[str, object]:
    """What being joined adds to a run: importing Ray, joining, leaving."""
    whole = [sum(each.values()) for each in joins]
    return {
        "n": len(joins),
        "median_s": {key: median(e[key] for e in joins) for key in (joins[0] if joins else ())},
        "whole_median_s": median(whole) if whole else None,
        "whole_most_s": max(whole, default=None),
    }


def _share(happened: list[bool]) -> dict[str, object] | None:
    return rate(sum(happened), len(happened)).model_dump() if happened else None


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    chosen = options()
    if reason := why_not():
        sys.exit(f"cluster-bench: {reason}")
    bench = Bench(chosen)
    interrupted = False
    try:
        bench.run()
    except KeyboardInterrupt:
        interrupted = True
        say("interrupted: what is finished is kept, and the next run goes on")
    text = json.dumps(bench.record(), indent=1).replace(f"{ROOT}/", "")
    if chosen.out:
        chosen.out.write_text(text + "\n")
    else:
        print(text)
    sys.exit(130 if interrupted else 0)


if __name__ == "__main__":
    main()
