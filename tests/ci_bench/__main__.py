"""How often `bakeoff ci` is wrong: `python -m tests.ci_bench`.

A repository with three commits is made: a server, a change of a comment, and a change that makes a
request take 5 % longer. `bakeoff ci` races pairs of them with its usual gate, a neighbour making
noise or not. Each result is kept under build/ci-bench, so the bench may be stopped at any time and
goes on from there; the kind of which there are the fewest comes next. `--minutes` ends it, and
`--noise` chooses which pairs a call races: the record has all that is kept, and with `--earlier`
the pairs of earlier records, of other machines too.

A pair is measured until its gate is decided, or `--duration` is spent. The server is
brick-yardstick (`make build/brick/brick-yardstick`); its time and that of its loops are measured
first, as in tests/judge_bench.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import bakeoff
from bakeoff.installation import engine_version
from bakeoff.measure import machine
from bakeoff.plan import Environment
from tests.ci_bench import pairs, record
from tests.ci_bench.neighbour import Neighbour
from tests.judge_bench import live, planted
from tests.judge_bench.live import append, lines

CALIBRATION_S = 10.0
NOISE = {"on": (True,), "off": (False,), "both": (False, True)}


def options(words: Sequence[str] | None = None) -> argparse.Namespace:
    """What `words` ask for, by default those of the command line."""
    parser = argparse.ArgumentParser(
        prog="ci-bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--equal", type=int, default=200, help="pairs of equals in the end, in all")
    parser.add_argument("--planted", type=int, default=40, help="planted pairs in the end, in all")
    parser.add_argument("--effect", type=float, default=0.05, help="what is planted (0.05)")
    parser.add_argument(
        "-d", "--duration", type=float, default=180.0, help="measured, s at most (180)"
    )
    parser.add_argument("--noise", choices=NOISE, default="both", help="the pairs to race (both)")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no pair after this time")
    parser.add_argument("--kept", type=Path, default=Path("build/ci-bench"))
    parser.add_argument(
        "--earlier", type=Path, nargs="+", default=[], metavar="RECORD", help="count its pairs, too"
    )
    parser.add_argument("--out", type=Path, help="write the record there, as JSON")
    return parser.parse_args(words)


def bench(chosen: argparse.Namespace, kept: Path) -> None:
    """Pairs, until there are as many as wanted or the time is up."""
    until_s = time.monotonic() + 60 * chosen.minutes
    planted.fetch(kept)
    loops = planted_loops(chosen.effect, kept)
    repository = pairs.repository(kept, loops)
    wanted = pairs_wanted(chosen)
    while time.monotonic() < until_s:
        done = {each: len(raced_by_now(chosen, *each)) for each in wanted}
        left = [each for each in wanted if done[each] < wanted[each]]
        if not left:
            return
        kind, noisy = min(left, key=lambda each: done[each] / wanted[each])
        with Neighbour(noisy):
            raced = pairs.race(repository, kind, noisy, chosen.duration)
        append(path(kept, kind, noisy), raced)
        count = f"{done[kind, noisy] + 1} of {wanted[kind, noisy]}"
        how = ", noisy" if noisy else ""
        say(f"{kind}{how}, {count}: {raced.outcome}, {raced.ratio}, {raced.measured_s:.0f} s")


def pairs_wanted(chosen: argparse.Namespace) -> dict[tuple[str, bool], int]:
    """How many pairs there are to be in the end of each kind that this call races."""
    kinds = [(kind, noisy) for kind in record.KINDS for noisy in NOISE[chosen.noise]]
    return {(kind, noisy): getattr(chosen, kind) // 2 for kind, noisy in kinds}


def raced_by_now(chosen: argparse.Namespace, kind: str, noisy: bool) -> list[pairs.Raced]:
    """All pairs of one kind: those of earlier records, and those that are kept here."""
    earlier = [each for file in chosen.earlier for each in record.pairs_of(file, kind, noisy)]
    return [*earlier, *lines(path(chosen.kept, kind, noisy), pairs.Raced)]


def planted_loops(effect: float, kept: Path) -> int:
    """How many more loops make a request of the server take longer by a share `effect`, here."""
    say("timing the server and its loops")
    cores = Environment.here(()).cores_for(None)
    timing = planted.timing(cores.server[0], cores.client[-1])
    append(kept / "timings.jsonl", timing)
    verdict, _ = live.race([planted.command()] * 2, CALIBRATION_S, kept)
    request_us = mean(1e6 / entry.requests_per_s for entry in verdict.entries)
    return planted.truth([timing]).loops(effect, request_us)


def path(kept: Path, kind: str, noisy: bool) -> Path:
    """Where the pairs of one kind are kept."""
    return kept / f"{record.name(kind, noisy)}.jsonl"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """Races, and writes what there is."""
    chosen = options()
    chosen.kept = chosen.kept.resolve()
    chosen.kept.mkdir(parents=True, exist_ok=True)
    interrupted = False
    try:
        bench(chosen, chosen.kept)
    except KeyboardInterrupt:
        interrupted = True
    result = {
        "what": "how often bakeoff ci is wrong: python -m tests.ci_bench",
        "machine": machine(engine=engine_version(), bakeoff=bakeoff.__version__).model_dump(),
        "effect": chosen.effect,
        **{
            record.name(kind, noisy): record.of(kind, raced_by_now(chosen, kind, noisy))
            for kind in record.KINDS
            for noisy in (False, True)
        },
    }
    text = json.dumps(result, indent=1)
    if chosen.out:
        chosen.out.write_text(text + "\n")
    else:
        print(text)
    sys.exit(130 if interrupted else 0)


if __name__ == "__main__":
    main()
