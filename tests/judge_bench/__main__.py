"""The proof of the frozen method, by real races: `make judge-bench`.

  equal     two copies of a program, 20 s; every fourth race of a program beside a neighbour
  unequal   four programs, 40 s: six pairs, whose history predicts the next race
  planted   a server, one that does 50 % more of one kind of work for each request, and four that
            do 0.5 to 5 % more of it, 40 s: in C, Go and Node; arithmetic, memory, calls, allocation
  ci        `bakeoff ci` on a planted 5 % in four noises, and on builds that differ in nothing that
            a request runs (mutants)
  articles  the 20 servers of the articles in one race of 60 s, and the default line-up in one
  dose      one set of servers, warmed up for 0.3, 1, 3 and 10 s at most
  replays   the articles at a scale of 0.05
  times     what a verdict takes

The truth of a planted difference comes from the race itself: what 50 % more work costs is measured
to a percent of it, and so much less of the same work costs so much less. With k units more in
place of K, and a ratio of R for these, it is 1 / (1 + (1/R − 1) k/K). The neighbour is that of
tests/ci_bench.

Rules of counting, written before the first race. Every race that began counts: one that ended
without a verdict is kept with its reason, and none is repeated or left out. A race is kept with its
commit and a name of its method, which is made of what simulated races measure and are judged to be;
races of another method are not added to these. The next race is of the part that is furthest behind
its share of the time, so any stop leaves a balanced set. Races go on where they were stopped, call
after call.
"""

import argparse
import json
import os
import random
import subprocess
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bakeoff.history.place import sqlite_url
from bakeoff.model.errors import BakeoffError
from bakeoff.model.verdict import Verdict
from bakeoff.plan import Environment
from bakeoff.runs.store import Store
from tests.ci_bench import pairs
from tests.ci_bench.neighbour import Neighbour
from tests.judge_bench import kept, proved, revisions
from tests.judge_bench.live import RaceFailed, bakeoff_ran

ROOT = Path(__file__).parents[2]
SERVERS = Path(__file__).parent / "servers"
SHARES = {
    "equal": 0.30,
    "planted": 0.17,
    "unequal": 0.15,
    "ci": 0.14,
    "articles": 0.09,
    "dose": 0.05,
    "replays": 0.05,
    "times": 0.05,
}
"""Of the time."""
MOST = {"replays": 5, "times": 15, "unequal": 36, "articles": 6, "dose": 12}
"""Races of these parts, in the end."""
FAILED_S = 60.0
"""What a failed race counts as at least: one that fails at once has not all the turns."""
EQUALS = ("libuv-http-parser", "brick", "go-nethttp", "hyper", "node-http", "uvicorn")
UNEQUAL = ("nginx", "libuv-http-parser", "go-nethttp", "node-http")
DOSED = ("nginx", "node-http", "vertx", "spring-boot", "bun", "uvicorn")
DOSES = ("0.3s", "1s", "3s", "10s")
NOISES = ("quiet", "both cores", "generator's core", "memory")
EFFECTS = (0.005, 0.01, 0.02, 0.05)
CERTAIN = 0.5
"""The planted difference that the others' truth is taken from."""
PLANTED_CI = 80
"""Races of `bakeoff ci` on a planted difference, 20 in each noise, each followed by a mutant; after
them all are on mutants."""
OVER_S = 900.0


@dataclass(frozen=True)
class Work:
    """`units` of one kind of work are some 10 µs in one language, in a request of `request_us`."""

    language: str
    kind: str
    units: int
    request_us: float

    def more(self, effect: float) -> int:
        """How many units more make a request take longer by about such a share."""
        return max(1, round(effect * self.request_us * self.units / 10))


WORKS = tuple(
    Work(language, kind, units, request_us)
    for language, request_us, each in (
        ("c", 16.0, {"arithmetic": 600, "memory": 900, "syscalls": 90, "allocation": 1600}),
        ("go", 22.0, {"arithmetic": 650, "memory": 800, "syscalls": 80, "allocation": 240}),
        ("node", 25.0, {"arithmetic": 120, "memory": 480, "syscalls": 26, "allocation": 380}),
    )
    for kind, units in each.items()
)


@dataclass
class Bench:
    """What is kept in one folder, and the races still to be run."""

    folder: Path
    seed: int = 1
    minutes: float = 60.0
    only: Sequence[str] = tuple(SHARES)
    method: str = field(default_factory=kept.method)

    def __post_init__(self) -> None:
        self.races = self.folder / "races.jsonl"

    def done(self) -> list[dict[str, Any]]:
        """The races of this method, in the order in which they ended."""
        return [race for race in kept.races(self.races) if kept.method_of(race) == self.method]

    def run(self) -> None:
        """Races, until the time is up: none begins that would end later."""
        self.folder.mkdir(parents=True, exist_ok=True)
        until_s = time.monotonic() + 60 * self.minutes
        while True:
            done, left_s = self.done(), until_s - time.monotonic()
            part = next_part(done, self.only, left_s)
            if part is None:
                return
            number = sum(each["part"] == part for each in done)
            began_s = time.monotonic()
            taken_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            try:
                race = {**PARTS[part](self, number), "failed": None}
            except (RaceFailed, BakeoffError, subprocess.SubprocessError, OSError) as error:
                race = {"failed": str(error)}
            race |= {
                "part": part,
                "number": number,
                "method": self.method,
                "commit": kept.commit(),
                "at": taken_at,
                "took_s": round(time.monotonic() - began_s, 1),
                "load_average": os.getloadavg()[0],
            }
            kept.append(self.races, race)
            minutes = (until_s - time.monotonic()) / 60
            print(f"{part} {number + 1}: {said(race)}; {minutes:.0f} min left", flush=True)

    # One race of each part. `number` counts the races of the part before it.

    def equal(self, number: int) -> dict[str, Any]:
        """Each round has every program once, in random order."""
        round_, place = divmod(number, len(EQUALS))
        name = shuffled(EQUALS, self.seed, "equal", round_)[place]
        noisy = (round_ + EQUALS.index(name)) % 4 == 3
        with Neighbour(noisy):
            raced = self.race([name, name], "20", "--no-twin")
        return {"subject": name, "noise": "both cores" if noisy else "quiet", **raced}

    def unequal(self, _number: int) -> dict[str, Any]:
        """With a history of its own, which predicts."""
        history = sqlite_url(self.folder / "history.sqlite")
        return {"subject": "four", **self.race(UNEQUAL, "40", "--no-twin", history=history)}

    def planted(self, number: int) -> dict[str, Any]:
        """Each round has every kind of work once."""
        round_, place = divmod(number, len(WORKS))
        work = shuffled(WORKS, self.seed, "planted", round_)[place]
        self.build_servers()
        more = {effect: work.more(effect) for effect in (0.0, *EFFECTS, CERTAIN)}
        more[0.0] = 0
        words = [self.command(work, work.units + each) for each in more.values()]
        raced = self.race(words, "40", "--no-twin")
        return {"subject": f"{work.language} {work.kind}", "units": list(more.values()), **raced}

    def ci(self, number: int) -> dict[str, Any]:
        """In turn: a planted 5 % in one of the noises, and one of the mutants in quiet."""
        turn, mutant = divmod(number, 2)
        if turn >= PLANTED_CI:
            turn, mutant = number - PLANTED_CI, 1
        kind, noise = "planted", NOISES[turn % len(NOISES)]
        if mutant:
            kind, noise = revisions.MUTANTS[turn % len(revisions.MUTANTS)], "quiet"
        top = revisions.repository(self.folder / "revisions")
        with noise_of(noise):
            try:
                raced = pairs.race(top, kind, noise != "quiet", 180.0)
            except SystemExit as error:
                raise RaceFailed(str(error)) from None
        return {"subject": kind, "noise": noise, "ci": raced.model_dump()}

    def articles(self, number: int) -> dict[str, Any]:
        """The 20 servers and the default line-up in turn."""
        names = of_articles() if number % 2 == 0 else []
        return {"subject": "articles" if names else "line-up", **self.race(names, "60")}

    def dose(self, number: int) -> dict[str, Any]:
        """Each round has every dose once."""
        round_, place = divmod(number, len(DOSES))
        dose = shuffled(DOSES, self.seed, "dose", round_)[place]
        return {"subject": dose, **self.race(DOSED, "30", "--no-twin", "--warm-up", dose)}

    def replays(self, number: int) -> dict[str, Any]:
        names = sorted(path.stem for path in (ROOT / "catalogue/articles").glob("*.toml"))
        name = names[number % len(names)]
        _, result, _ = self.bakeoff(["replay", name, "--scale", "0.05"])
        claims = [each["finding"] for each in result["claims"]]
        return {"subject": name, "claims": {each: claims.count(each) for each in set(claims)}}

    def times(self, number: int) -> dict[str, Any]:
        """One of the questions of which the time is a goal."""
        self.build_servers()
        base, slower = (self.command(WORKS[0], WORKS[0].units + each) for each in (0, 48))
        slow = f"{ROOT}/build/brick/brick-yardstick --port {{port}} --delay "
        questions: Mapping[str, tuple[Sequence[str], str, tuple[str, ...]]] = {
            "±1 %": (("nginx", "libuv-http-parser"), "60", ("--precision", "1%", "--no-twin")),
            "5 % apart": ((base, slower), "60", ("--until", "decided", "--no-twin")),
            "five, 20 s": ((), "20", ()),
            "50 ms, 20 s": ((f"{slow}50ms", f"{slow}53ms"), "20", ("--no-twin",)),
            "50 ms, 6 s": ((f"{slow}50ms", f"{slow}53ms"), "6", ("--no-twin",)),
        }
        question = list(questions)[number % len(questions)]
        words, duration, options = questions[question]
        return {"subject": question, **self.race(words, duration, *options)}

    def race(
        self, words: Sequence[str], duration: str, *options: str, history: str = ""
    ) -> dict[str, Any]:
        """What is kept of one race: figures by entry and pair, and each block's ln throughput."""
        command = ["race", *words, "-d", duration, *options]
        path, result, wall_s = self.bakeoff(command, history)
        figures = kept.of_race(Verdict.checked(result, "the race"), Store(path).records())
        typed = [word.replace(f"{ROOT}/", "") for word in words]
        return {"words": typed, "wall_s": round(wall_s, 1), **figures}

    def bakeoff(
        self, words: Sequence[str], history: str = ""
    ) -> tuple[Path, dict[str, Any], float]:
        """A command as people type it: its run, its result, and the seconds until it was printed.

        Raises `RaceFailed`.
        """
        began_s = time.monotonic()
        path, result = bakeoff_ran(words, self.folder, OVER_S, history=history)
        return path, json.loads(result.read_text()), time.monotonic() - began_s

    def build_servers(self) -> None:
        """Those of planted work, where they are missing."""
        for name, command in (("work-c", ("cc", "-O2", "-o")), ("work-go", ("go", "build", "-o"))):
            built = self.folder / name
            source = SERVERS / f"work.{name.rpartition('-')[2]}"
            if not built.exists():
                subprocess.run([*command, str(built), str(source)], check=True)

    def command(self, work: Work, units: int) -> str:
        """A contender that does so many units for each request."""
        program = {
            "c": f"{self.folder}/work-c",
            "go": f"{self.folder}/work-go",
            "node": f"node {SERVERS}/work.js",
        }[work.language]
        return f"{program} --port {{port}} --kind {work.kind} --units {units}"


PARTS: Mapping[str, Callable[[Bench, int], dict[str, Any]]] = {
    name: getattr(Bench, name) for name in SHARES
}


def next_part(done: Sequence[Mapping[str, Any]], parts: Sequence[str], left_s: float) -> str | None:
    """The one that had least of its share of the time, among those whose longest race so far fits
    into the rest; None: none does."""
    spent_s = dict.fromkeys(parts, 0.0)
    longest_s = dict.fromkeys(parts, 60.0)
    for each in done:
        if (part := each["part"]) in spent_s:
            spent_s[part] += max(each["took_s"], FAILED_S if each["failed"] else 0.0)
            longest_s[part] = max(longest_s[part], each["took_s"])
    had = Counter(each["part"] for each in done)
    fits = [
        part for part in parts if longest_s[part] <= left_s and had[part] < MOST.get(part, 10**6)
    ]
    return min(fits, key=lambda part: spent_s[part] / SHARES[part], default=None)


def shuffled(values: Sequence[Any], seed: int, *key: object) -> list[Any]:
    """In an order that is drawn by the seed."""
    order = list(values)
    random.Random(f"{seed}/{key}").shuffle(order)
    return order


def of_articles() -> list[str]:
    """The contenders of all articles, each once."""

    def contenders(of: Any) -> Iterator[str]:
        if isinstance(of, dict):
            yield from ([of["contender"]] if isinstance(of.get("contender"), str) else [])
        for each in of.values() if isinstance(of, dict) else of if isinstance(of, list) else ():
            yield from contenders(each)

    articles = sorted((ROOT / "catalogue/articles").glob("*.toml"))
    return sorted(
        {name for path in articles for name in contenders(tomllib.loads(path.read_text()))}
    )


def noise_of(name: str) -> AbstractContextManager[object]:
    """One of `NOISES`, while it is entered."""
    if name == "quiet":
        return nullcontext()
    if name == "both cores":
        return Neighbour(True)
    generator = Environment.here(()).cores_for(None).client
    if name == "generator's core":
        return revisions.at_work(generator, revisions.HALF_OF_THE_TIME)
    return revisions.at_work(generator[-1:], revisions.MEMORY)


def said(race: Mapping[str, Any]) -> str:
    if race["failed"]:
        return f"failed: {race['failed']}"
    words = [race["subject"], race.get("noise", "")]
    for ratio in (pair["ratio"] for pair in race.get("pairs", ())[:3]):
        if ratio["low"] and ratio["high"]:
            words.append(f"{ratio['ratio']:.4f} ({ratio['low']:.4f} to {ratio['high']:.4f})")
    if ci := race.get("ci"):
        words.append(f"{ci['outcome']} {ci['ratio']} {ci['cpu_ratio']}")
    words.append(str(race.get("claims", "")))
    return " ".join(filter(None, [*words, f"{race['took_s']} s"]))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="judge-bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--minutes", type=float, default=60.0, help="no race begins that would end later (60)"
    )
    parser.add_argument("--only", nargs="+", choices=SHARES, default=list(SHARES))
    parser.add_argument("--seed", type=int, default=1, help="of the order (1)")
    parser.add_argument("--kept", type=Path, default=ROOT / "build/judge-bench")
    parser.add_argument(
        "--earlier",
        type=Path,
        nargs="+",
        default=[],
        metavar="RECORD",
        help="count the races of these records, too",
    )
    parser.add_argument("--out", type=Path, help="write the record there, as JSON")
    chosen = parser.parse_args()
    bench = Bench(chosen.kept.resolve(), chosen.seed, chosen.minutes, chosen.only)
    try:
        bench.run()
    except KeyboardInterrupt:
        print("stopped; the next call goes on from here")
    if chosen.out:
        proved.write(chosen.out, bench.done(), chosen.earlier)


if __name__ == "__main__":
    main()
