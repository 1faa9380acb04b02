"""The judge's bench: `make judge-bench`, or `python -m tests.judge_bench`.

Three parts. `simulated`: races of servers that don't exist, equal ones and such as differ by 1, 3
and 10 %. `null`: two copies of one real server. `planted`: a real server whose cost per request is
known to differ by so much. Each finished race is kept under build/judge-bench, so the bench may be
stopped at any time and goes on from there; `--races` is how many there are to be in the end. The
record, of all that is kept, is written at the end of any run.

A run of everything takes about an hour and a half, and wants a machine without other work.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import bakeoff
from bakeoff.load import engine_version
from bakeoff.measure import machine
from bakeoff.simulate import USUAL, Size, study
from tests.judge_bench import live, planted, record

PARTS = ("simulated", "null", "planted")
RACES = {"simulated": 200, "null": 30, "planted": 12}
EFFECTS = (0.01, 0.03, 0.1)
DURATIONS_S = {"simulated": 30.0, "null": 20.0, "planted": 30.0, "calibration": 20.0}
PLANTED = "planted"


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="judge-bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--races", type=int, help="of each kind, in the end (200, 30, 12)")
    parser.add_argument("--effects", type=float, nargs="+", default=list(EFFECTS), metavar="SHARE")
    parser.add_argument("--duration", type=float, help="of a race, s (30 simulated, 20 null, 30)")
    parser.add_argument("--boots", type=int, default=3)
    parser.add_argument("--contender", help="of the null races (the planted server without extra)")
    parser.add_argument("--seed", type=int, default=1, help="of the simulated races")
    parser.add_argument("--kept", type=Path, default=Path("build/judge-bench"))
    parser.add_argument("--out", type=Path, help="write the record there, as JSON")
    return parser.parse_args()


class Bench:
    """The races that are kept in one folder, and those still to be run."""

    def __init__(self, chosen: argparse.Namespace) -> None:
        self.chosen = chosen
        self.contender = chosen.contender or PLANTED
        self.kept: Path = chosen.kept.resolve()
        self.calibrations = self.kept / "calibrations.jsonl"
        self.simulated = self.kept / "simulated.json"

    def races_of(self, part: str) -> int:
        return int(self.chosen.races or RACES[part])

    def path(self, part: str, effect: float) -> Path:
        """Where the races of one kind are kept."""
        name = f"planted-{effect:g}" if part == "planted" else f"null-{self.contender}"
        return self.kept / f"{name}-{self.duration_s(part):g}s.jsonl"

    def duration_s(self, part: str) -> float:
        return float(self.chosen.duration or DURATIONS_S[part])

    def simulate(self) -> None:
        """All effects, on the usual conditions."""
        duration_s = self.duration_s("simulated")
        races = self.races_of("simulated")
        found = []
        with study(self.chosen.seed) as asked:
            for effect in (0.0, *self.chosen.effects):
                size = Size(effect, 2, duration_s, self.chosen.boots)
                rates = asked.rates(size, USUAL, races)
                say(f"simulated {effect:.1%}: {rates.model_dump_json()}")
                found.append({"effect": effect, **rates.model_dump()})
        result = {"seed": self.chosen.seed, "conditions": USUAL.model_dump(), "effects": found}
        self.kept.mkdir(parents=True, exist_ok=True)
        self.simulated.write_text(json.dumps(result))

    def race(self) -> None:
        """Real races, of that kind next of which there are the fewest: so all kinds meet the same
        weather, and a bench that is stopped has some of each."""
        planted.fetch(self.kept)
        wanted = {("null", 0.0): self.races_of("null")} if "null" in self.chosen.only else {}
        if "planted" in self.chosen.only:
            while (n := planted.done(self.calibrations)) < planted.CALIBRATIONS:
                say(f"calibrating, {n + 1} of {planted.CALIBRATIONS}")
                seconds = self.duration_s("calibration")
                planted.calibrate(self.calibrations, seconds)
            wanted |= {("planted", each): self.races_of("planted") for each in self.chosen.effects}
        while True:
            done = {kind: len(live.races(self.path(*kind))) for kind in wanted}
            left = [kind for kind in wanted if done[kind] < wanted[kind]]
            if not left:
                return
            kind = min(left, key=lambda each: done[each] / wanted[each])
            one = self.one(*kind)
            live.add_race(self.path(*kind), one)
            say(
                f"{kind[0]} {kind[1]:.1%}, {done[kind] + 1} of {wanted[kind]}: {one.ratio:.4f} "
                f"({one.low:.4f} to {one.high:.4f}), {one.finding} {'; '.join(one.why_not)}"
            )

    def one(self, part: str, effect: float) -> live.Live:
        """One race, of two copies or of the base and a slower one."""
        duration_s = self.duration_s(part)
        contender, loops = self.contender, 0
        words = [self.chosen.contender or planted.command()] * 2
        if part == "planted":
            loops = planted.truth(self.calibrations).loops(effect)
            contender, words = PLANTED, [planted.command(), planted.command(loops)]
        verdict = live.race(words, duration_s, self.chosen.boots, self.kept)
        return live.kept(verdict, contender, effect, loops, duration_s)

    def record(self) -> dict[str, object]:
        """All that is kept, summed up."""
        found: dict[str, object] = {
            "what": "how often the judge errs: python -m tests.judge_bench",
            "machine": machine(engine=engine_version(), bakeoff=bakeoff.__version__).model_dump(),
        }
        if self.simulated.exists():
            found["simulated"] = json.loads(self.simulated.read_text())
        files = sorted(self.kept.glob("null-*.jsonl"))
        found["null"] = [record.of_null(live.races(each)) for each in files]
        if planted.done(self.calibrations) > 1:
            truth = planted.truth(self.calibrations)
            found["truth"] = vars(truth)
            files = sorted(self.kept.glob("planted-*.jsonl"))
            found["planted"] = [record.of_planted(live.races(each), truth) for each in files]
        return found


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """Runs what was asked, and writes what there is."""
    chosen = options()
    bench = Bench(chosen)
    interrupted = False
    try:
        if "simulated" in chosen.only:
            bench.simulate()
        if {"null", "planted"} & set(chosen.only):
            bench.race()
    except KeyboardInterrupt:
        interrupted = True
        say("interrupted: what is finished is kept, and the next run goes on")
    text = json.dumps(bench.record(), indent=1)
    if chosen.out:
        chosen.out.write_text(text + "\n")
    else:
        print(text)
    sys.exit(130 if interrupted else 0)


if __name__ == "__main__":
    main()
