"""The judge's bench: `make judge-bench`, or `python -m tests.judge_bench`.

Three parts, of real races with a user's own options (but for the twin):

  equal    two copies of one program, of several programs in turn: a finding is a false one
  planted  a server and one that does a little more for each request; how much is timed apart
  repeat   the same five contenders, restarted: do the intervals of two races overlap?

and, where it is asked for with --only, `simulated`: races of servers that don't exist.

Races come in random order, of the kind that is furthest behind: any stop leaves a balanced set.
Each finished race is kept (--kept), so the bench may be stopped at any time and goes on from there,
call after call, until there are --races of each kind. --minutes bounds one call. The record, of all
that is kept, is written at the end of any call. It wants a machine without other work.

Races of other machines count with --earlier RECORD, but planted ones: what a planted loop takes was
timed there.
"""

import argparse
import json
import random
import subprocess
import sys
import time
from pathlib import Path

import bakeoff
from bakeoff.load import engine_version
from bakeoff.measure import machine
from bakeoff.model.machine import Machine
from bakeoff.plan import Environment
from bakeoff.simulate import USUAL, Size, study
from tests.judge_bench import live, planted, record
from tests.judge_bench.agenda import Agenda, Kind

RACES = {"equal": 40, "planted": 40, "repeat": 10}
EQUALS = ("libuv-http-parser", "brick", "go-nethttp", "node-http", "vertx", "uvicorn")
REPEATED = ("libuv-http-parser", "brick", "go-nethttp", "node-http", "uvicorn")
EFFECTS = (0.005, 0.01, 0.03, 0.1)
DURATIONS_S = {"equal": 20.0, "planted": 30.0, "repeat": 60.0}
HALF_A_PERCENT_S = 60.0
"""An effect below 1 % is looked for in a minute."""
SIMULATED = 200
PARTS = ("equal", "planted", "repeat", "simulated")
REPEAT_SHARE = 0.5
"""A race of five takes as long as three others."""


def options(words: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="judge-bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS[:3]))
    parser.add_argument("--minutes", type=float, help="no race begins that would end later")
    parser.add_argument("--races", type=int, help="of each kind, in the end (40, 40, 10)")
    parser.add_argument("--programs", nargs="+", default=list(EQUALS), metavar="NAME")
    parser.add_argument("--repeated", nargs="+", default=list(REPEATED), metavar="NAME")
    parser.add_argument("--effects", type=float, nargs="+", default=list(EFFECTS), metavar="SHARE")
    parser.add_argument("--duration", type=float, help="of a race, s (20; 30 and 60; 60)")
    parser.add_argument("--seed", type=int, help="of the order, and of simulated races")
    parser.add_argument("--kept", type=Path, default=Path("build/judge-bench"))
    parser.add_argument(
        "--earlier", type=Path, nargs="+", default=[], metavar="RECORD", help="count its races, too"
    )
    parser.add_argument("--out", type=Path, help="write the record there, as JSON")
    return parser.parse_args(words)


def kinds_of(chosen: argparse.Namespace) -> list[Kind]:
    """All kinds of races that were asked for."""
    kinds: list[Kind] = []
    if "equal" in chosen.only:
        duration_s = chosen.duration or DURATIONS_S["equal"]
        kinds += [Kind("equal", name, duration_s) for name in chosen.programs]
    if "planted" in chosen.only:
        for effect in chosen.effects:
            usual_s = DURATIONS_S["planted"] if effect >= 0.01 else HALF_A_PERCENT_S
            kinds.append(Kind("planted", f"{effect:g}", chosen.duration or usual_s))
    if "repeat" in chosen.only:
        duration_s = chosen.duration or DURATIONS_S["repeat"]
        kinds.append(Kind("repeat", " ".join(chosen.repeated), duration_s, REPEAT_SHARE))
    return kinds


class Bench:
    """The races that are kept in one folder, and those still to be run."""

    def __init__(self, chosen: argparse.Namespace) -> None:
        self.chosen = chosen
        self.kept: Path = chosen.kept.resolve()
        self.races = self.kept / "races.jsonl"
        self.timings = self.kept / "timings.jsonl"
        self.simulated = self.kept / "simulated.json"
        self.earlier = [race for path in chosen.earlier for race in live.of_record(path)]

    def done(self) -> list[live.Live]:
        """All races that count: those of earlier records, and those that are kept here."""
        return [*self.earlier, *live.lines(self.races, live.Live)]

    def simulate(self) -> None:
        """All effects, on the usual conditions."""
        seed, races = self.chosen.seed or 1, self.chosen.races or SIMULATED
        effects = []
        with study(seed) as asked:
            for effect in (0.0, *self.chosen.effects):
                size = Size(effect, 2, self.chosen.duration or 30.0, 1)
                rates = asked.rates(size, USUAL, races)
                say(f"simulated {effect:.1%}: {rates.model_dump_json()}")
                effects.append({"effect": effect, **rates.model_dump()})
        result = {"seed": seed, "conditions": USUAL.model_dump(), "effects": effects}
        self.kept.mkdir(parents=True, exist_ok=True)
        self.simulated.write_text(json.dumps(result))

    def race(self) -> None:
        """Real races, until there are enough of each kind, or the call's time is up."""
        began_s = time.monotonic()
        kinds = kinds_of(self.chosen)
        if any(kind.part == "planted" for kind in kinds):
            planted.fetch(self.kept)
            self._time_loops()
        kinds = self._built(kinds)
        races = {part: self.chosen.races or number for part, number in RACES.items()}
        agenda = Agenda(kinds, races, random.Random(self.chosen.seed))  # type: ignore[arg-type]
        whole_s = 60 * self.chosen.minutes if self.chosen.minutes else float("inf")
        while True:
            done = self.done()
            left_s = whole_s - (time.monotonic() - began_s)
            kind = agenda.next(done, left_s)
            if kind is None:
                return
            try:
                ran = self._race_once(kind)
            except live.RaceFailed as error:
                agenda.failed(kind)
                say(f"{kind.part} {kind.subject}: {error}")
                continue
            live.append(self.races, ran)
            say(f"{len(agenda.of(done, kind)) + 1} of {races[kind.part]}: {_said(ran)}")

    def _race_once(self, kind: Kind) -> live.Live:
        began_s, loops = time.monotonic(), 0
        words = kind.subject.split() if kind.part == "repeat" else [kind.subject] * 2
        if kind.part == "planted":
            loops = self._truth().loops(float(kind.subject), self._request_us())
            words = [planted.command(), planted.command(loops)]
        self.kept.mkdir(parents=True, exist_ok=True)
        verdict, records = live.race(words, kind.duration_s, self.kept)
        return live.kept(
            verdict,
            records,
            part=kind.part,
            subject=kind.subject,
            loops=loops,
            duration_s=kind.duration_s,
            took_s=time.monotonic() - began_s,
        )

    def _request_us(self) -> float:
        """What a request of the base took in the last race with it: only to choose the loops."""
        done = [each for each in live.lines(self.races, live.Live) if each.part == "planted"]
        measured = [each.typical_us[0] for each in done if each.ratio and each.typical_us[0]]
        return measured[-1] if measured else planted.USUAL_US

    def _time_loops(self) -> None:
        """Time the planted loops, once in each call."""
        cores = Environment.here(()).cores_for(None)
        timing = planted.timing(cores.server[0], cores.client[-1])
        live.append(self.timings, timing)
        say(f"a loop takes {timing.alone_ns:.4f} ns, {timing.beside_ns:.4f} ns beside work")

    def _truth(self) -> planted.Truth:
        return planted.truth(live.lines(self.timings, planted.Timing))

    def _built(self, kinds: list[Kind]) -> list[Kind]:
        """Those whose programs are built; the others are named, and left out."""
        names = {name for kind in kinds if kind.part != "planted" for name in kind.subject.split()}
        missing = {name for name in sorted(names) if not _setup(name)}
        for name in missing:
            say(f"{name} can't be built here, and is left out: bakeoff setup {name} says why")
        return [kind for kind in kinds if not missing & set(kind.subject.split())]

    def record(self) -> dict[str, object]:
        """All that is kept, summed up."""
        facts: Machine = machine(engine=engine_version(), bakeoff=bakeoff.__version__)
        races = self.done()
        parts = {part: [each for each in races if each.part == part] for part in RACES}
        result: dict[str, object] = {
            "what": "how often the judge errs: python -m tests.judge_bench",
            "machine": facts.model_dump(),
        }
        if self.simulated.exists():
            result["simulated"] = json.loads(self.simulated.read_text())
        if parts["equal"]:
            result["equal"] = record.of_equals(parts["equal"])
        if parts["planted"]:
            result["truth"] = self._truth().model_dump()
            result["planted"] = record.of_planted(parts["planted"], self._truth())
        if parts["repeat"]:
            result["repeat"] = record.of_repeats(parts["repeat"])
        return {**result, "races": [each.model_dump() for each in races]}


def _setup(name: str) -> bool:
    """Build a contender; whether it is there."""
    command = [sys.executable, "-m", "bakeoff", "setup", name]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _said(ran: live.Live) -> str:
    """A race in a line."""
    text = f"{ran.part} {ran.subject}, {ran.took_s:.0f} s: "
    if not ran.pairs:
        return f"{text}no ratio: {'; '.join(ran.why_not)}"
    if not ran.ratio:
        return f"{text}{len(ran.pairs)} ratios"
    pair = ran.ratio
    return f"{text}{pair.ratio:.4f} ({pair.low:.4f} to {pair.high:.4f}), {pair.finding}"


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
