"""The soak: `make soak`, or `python -m tests.soak --minutes 60 --out FILE`.

Random pairs of well- and ill-behaved servers (tests/misbehaving) are raced with random options and
in every kind of run, through the command line, each in a new folder. Each run has to end within
the time that it announces, with the status that its servers deserve and a reason for each that is
out; its folder has to open again; and no process, socket, control group or temporary folder may be
left. It goes on after a failure; the folders of failures are kept. The exit status is 1 if there
was one, and 130 after Ctrl-C.
"""

import argparse
import json
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from itertools import count
from pathlib import Path

from tests.soak.cases import case_of
from tests.soak.record import again, record
from tests.soak.trial import Outcome, Trial

KEPT = Path("build/soak")


def options(words: Sequence[str] | None = None) -> argparse.Namespace:
    """What `words` ask for, by default those of the command line."""
    parser = argparse.ArgumentParser(
        prog="soak", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=60.0, help="no run begins later (60)")
    parser.add_argument("--seed", default=f"{random.randrange(10**8)}", help="of all that is drawn")
    parser.add_argument("--only", type=int, nargs="+", metavar="N", help="these runs of the seed")
    parser.add_argument("--kept", type=Path, default=KEPT, help="folders of failures")
    parser.add_argument("--out", type=Path, help="write the record there, as JSON")
    return parser.parse_args(words)


def soak(chosen: argparse.Namespace, outcomes: list[Outcome]) -> None:
    """Run cases until the time is up."""
    until_s = time.monotonic() + 60 * chosen.minutes
    numbers: Iterable[int] = chosen.only or count(1)
    for number in numbers:
        if time.monotonic() > until_s:
            return
        outcome = run(chosen, number)
        outcomes.append(outcome)
        say(line(outcome))
        for problem in outcome.problems:
            say(f"      FAILED: {problem}")


def run(chosen: argparse.Namespace, number: int) -> Outcome:
    """One case; its folder is removed where all was well."""
    chosen.kept.mkdir(parents=True, exist_ok=True)
    prefix = f"{chosen.seed}-{number}-"
    outer = Path(tempfile.mkdtemp(prefix=prefix, dir=chosen.kept)).resolve()
    outcome = None
    try:
        outcome = Trial(case_of(chosen.seed, number), outer / "a place").run()
    finally:
        failed = outcome is not None and outcome.problems
        if not (failed or chosen.only):
            shutil.rmtree(outer, ignore_errors=True)
    return outcome


def line(outcome: Outcome) -> str:
    statuses = ", ".join(f"{each.words[0]} {each.status}" for each in outcome.typed)
    announced = f" of {outcome.announced_s:.0f} s" if outcome.announced_s else " s"
    took = f"{outcome.first.took_s:.0f}{announced}"
    struck = f"; struck: {', '.join(outcome.struck)}" if outcome.struck else ""
    return f"{outcome.case.number:4} {outcome.case}: {statuses} after {took}{struck}"


def say(text: str) -> None:
    print(text, flush=True)


def main(words: Sequence[str] | None = None) -> int:
    chosen = options(words)
    # A shell's background job ignores Ctrl-C, and so would all that it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Servers that kill themselves leave no cores behind.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    say(f"seed {chosen.seed}")
    outcomes: list[Outcome] = []
    began_s = time.monotonic()
    interrupted = False
    try:
        soak(chosen, outcomes)
    except KeyboardInterrupt:
        interrupted = True
    result = record(chosen.seed, outcomes, time.monotonic() - began_s)
    if chosen.out:
        chosen.out.write_text(json.dumps(result, indent=1) + "\n")
    failed = [each for each in outcomes if each.problems]
    say(f"{len(outcomes)} runs in {result['lasted_s']} s, {len(failed)} failed")
    for each in failed:
        say(f"  {again(chosen.seed, each)}")
        for problem in each.problems:
            say(f"    {problem.splitlines()[0]}")
    return 130 if interrupted else int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
