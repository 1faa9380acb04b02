"""How often healthy servers are warned of: `python -m tests.judge_bench.warnings`.

Without a folder it simulates races of equal servers, one of them a twin, on the usual machine and
on a rough one, through the judge that judges real races. Of folders (of a run, or of many runs) it
counts what the judge says of those today. A race counts once for each code, not for each contender.
What says how the weather was, or what was planned, is true of a healthy race too, and is marked.

300 races on each machine take about ten minutes on two cores.
"""

import argparse
import json
import multiprocessing
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path

from bakeoff import runs
from bakeoff.judge import judge
from bakeoff.model.findings import WARNINGS_OF_ENTRIES, WARNINGS_OF_RACES
from bakeoff.model.simulation import Conditions
from bakeoff.model.verdict import Verdict
from bakeoff.plan.race import BOOTS
from bakeoff.runs.kinds.race import RaceRun
from bakeoff.simulate import USUAL, Size, plan_of, rate, records_of
from bakeoff.simulate.race import MACHINE

ROUGH = USUAL.model_copy(
    update={
        "source": "a rough machine: twice the drift, a sixth of a core stolen, levels of 1 to 2 %",
        "drift_sd": 0.3,
        "slice_sd": 0.05,
        "steals_per_s": 8.0,
        "steal_ms": 20.0,
        "connections_sd": 0.02,
        "process_sd": 0.02,
        "boot_sd": 0.01,
        "start_order": 0.01,
    }
)
MACHINES = {"usual": USUAL, "rough": ROUGH}
WEATHER = {
    *("blocks_left_out", "blocks_kept", "host_steal", "host_hides_limits"),
    *("machine_changed", "machine_stood_still", "some_blocks", "state_unseen"),
}
PLANNED = {"one_boot", "one_process", "few_processes", "few_boots"}
"""What is true of the machine or of the plan is no false alarm."""


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="warnings", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*", type=Path, metavar="RUNS", help="of real races")
    parser.add_argument("--races", type=int, default=300, help="simulated on each machine (300)")
    parser.add_argument("--contenders", type=int, default=5, help="besides the twin (5)")
    parser.add_argument("--duration", type=float, default=30.0, help="measured, s (30)")
    parser.add_argument("--boots", type=int, default=BOOTS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="write the counts there too, as JSON")
    return parser.parse_args()


def codes_of(verdict: Verdict) -> set[str]:
    """The codes of all that a race is warned of, each once; not what the host explains."""
    explained = [each for each in verdict.warnings if each.code in WEATHER]
    own = {
        each.code
        for entry in verdict.entries
        for each in entry.warnings
        if not any(cause.tells(entry.name, each) for cause in explained)
    }
    return own | {each.code for each in verdict.warnings if each.code != "several"}


def simulated(size: Size, conditions: Conditions, seed: int) -> set[str]:
    """The codes of one simulated race, whose last contender is the twin of the first."""
    plan = plan_of(size, conditions, seed)
    *entries, last = plan.entries
    twin = last.model_copy(update={"twin_of": plan.reference})
    plan = plan.model_copy(update={"entries": (*entries, twin)})
    records = records_of(plan, size, conditions)
    return codes_of(judge(plan, {}, records, MACHINE, complete=True))


def real(folders: Iterable[Path]) -> Iterator[set[str]]:
    """The codes of each race in the folders, as it is judged today."""
    for folder in folders:
        found = [runs.open_run(folder)] if (folder / "plan.json").exists() else runs.listed(folder)
        for run in found:
            if isinstance(run, RaceRun) and run.has_samples():
                yield codes_of(run.judge())


def counted(races: Iterable[set[str]], of: int | None = None) -> dict[str, object]:
    """How many races have each code, with the share's exact 95 % interval."""
    counts: Counter[str] = Counter()
    n = 0
    for n, codes in enumerate(races, 1):
        counts.update(codes)
        if of and (n % 20 == 0 or n == of):
            print(f"{n} of {of}", file=sys.stderr, flush=True)
    known = [*WARNINGS_OF_ENTRIES, *WARNINGS_OF_RACES]
    rates = {code: rate(counts[code], n).model_dump() for code in known if counts[code]}
    return {"races": n, "codes": rates}


def table(title: str, found: dict[str, object]) -> str:
    """What was counted, a line for each code."""
    codes = found["codes"]
    assert isinstance(codes, dict)
    lines = [f"{title}, {found['races']} races"]
    for code, each in sorted(codes.items(), key=lambda item: -item[1]["count"]):
        mark = " (the weather)" if code in WEATHER else " (the plan)" if code in PLANNED else ""
        share = f"{each['share']:6.1%} ({each['low']:.1%} to {each['high']:.1%})"
        lines.append(f"  {code:24} {each['count']:5} {share}{mark}")
    return "\n".join(lines if codes else [*lines, "  no warning"])


def main() -> None:
    chosen = options()
    found: dict[str, dict[str, object]] = {}
    if chosen.folders:
        races = list(real(chosen.folders))
        if not races:
            sys.exit("warnings: there is no race in these folders")
        found["real races"] = counted(races)
    else:
        size = Size(0.0, chosen.contenders + 1, chosen.duration, chosen.boots)
        seeds = range(chosen.seed, chosen.seed + chosen.races)
        with ProcessPoolExecutor(mp_context=multiprocessing.get_context("fork")) as pool:
            for name, conditions in MACHINES.items():
                drawn = pool.map(simulated, repeat(size), repeat(conditions), seeds)
                found[f"simulated, {name}"] = counted(drawn, chosen.races)
    for title, each in found.items():
        print(table(title, each), flush=True)
    if chosen.out:
        chosen.out.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
