"""The engine's claims, measured: volley against its peers, interleaved in random order.

The server is on core 0, the generator on core 1. In each round every generator loads the server
once, in an order drawn anew; what counts is the ratio within a round, since a shared machine
drifts. Prints a table of estimates with 95 % intervals, and writes all raw figures with --out.

    .venv/bin/python engine/bench/versus.py --out records/DATE-engine-versus.json

With --before PATH… all that is asked is whether this volley is as fast as other builds of it, how
near to `bare`, and whether its latency is as low. With --streams the questions are those of
`streams.py`.

CPU per request is compared against nginx, which limits volley and wrk alike: that stands for the
same open rate, which wrk cannot hold. wrk takes whole seconds, so all runs do.

On a machine with other work, run it in a session of its own with a larger share:
`setsid -w sh -c 'echo -15 > /proc/self/autogroup; exec .venv/bin/python …'`.

`make bench` installs and builds what it needs: wrk, nginx, h2load, oha, volley, bare, pingpong.
A generator that is not there is left out, as the record shows, and a question that is about it: so
wrk2, which no package has, and `tail`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import before
import report
import rounds
import servers
import streams
from generators import Failed
from machine import how_to_have, machine, versions
from questions import QUESTIONS, Question


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", help="questions, by their names")
    parser.add_argument(
        "--before", type=Path, nargs="+", help="other builds of volley, to be compared with alone"
    )
    parser.add_argument(
        "--streams", action="store_true", help="ask about events, messages and calls"
    )
    parser.add_argument("--rounds", type=int, default=20, help="of each question")
    parser.add_argument("--seconds", type=int, default=1, help="per run, whole for wrk's sake")
    parser.add_argument("--connections", type=int, nargs="+", default=[64, 512])
    parser.add_argument("--seed", type=int, default=1, help="of the order, and of the bootstrap")
    parser.add_argument("--out", type=Path, help="write all figures there, as JSON")
    return parser.parse_args()


def programs(asked: Iterable[str]) -> set[str]:
    """All that the questions need."""
    questions = [QUESTIONS[name] for name in asked]
    loading = {each.program for question in questions for each in question.generators}
    serving = {servers.PROGRAMS[question.server] for question in questions}
    return {"taskset"} | loading | serving


def of_those_there(question: Question) -> Question:
    """The same question to the generators that are installed."""
    there = tuple(each for each in question.generators if shutil.which(each.program))
    names = {each.name for each in there}
    claims = tuple(each for each in question.claims if not each.other or each.other in names)
    return replace(question, generators=there, claims=claims if "volley" in names else ())


def main() -> None:
    """Runs what was asked, and prints the answers."""
    chosen = options()
    failed: dict[str, str] = {}
    if chosen.before or chosen.streams:
        QUESTIONS.clear()
        QUESTIONS.update(before.against(chosen.before) if chosen.before else streams.QUESTIONS)
    names = chosen.only or list(QUESTIONS)
    if unknown := [name for name in names if name not in QUESTIONS]:
        sys.exit(f"no questions: {'; '.join(unknown)}. There are: {'; '.join(QUESTIONS)}")
    absent = {
        each.name: how_to_have(each.program)
        for name in names
        for each in QUESTIONS[name].generators
        if not shutil.which(each.program)
    }
    for name, how in absent.items():
        print(f"{name} is missing: {how}", file=sys.stderr)
    QUESTIONS.update({name: of_those_there(QUESTIONS[name]) for name in names})
    for name in [name for name in names if not QUESTIONS[name].claims]:
        failed[name] = "a generator that it is about is not on the PATH"
        print(f"{name} is out: {failed[name]}", file=sys.stderr)
    chosen.only = [name for name in names if name not in failed]
    conditions = {"versions": versions(programs(chosen.only)), "machine": machine()}
    plan = rounds.Plan(chosen.rounds, chosen.seconds, tuple(chosen.connections), chosen.seed)
    runs: list[rounds.Run] = []
    for name in chosen.only:
        print(f"{name}: {QUESTIONS[name].asks}", file=sys.stderr)
        try:
            runs += rounds.run(name, QUESTIONS[name], plan)
        except (Failed, SystemExit) as error:
            failed[name] = str(error)
            print(f"{name} is out: {error}", file=sys.stderr)
        except KeyboardInterrupt:
            failed[name] = "interrupted"
            break
    answers = report.answers(runs, plan.seed)
    print(report.HEAD, *(answer.row() for answer in answers), sep="\n")
    if chosen.out:
        record = report.record(
            runs, answers, plan, {**conditions, "absent": absent, "failed": failed}
        )
        chosen.out.write_text(json.dumps(record, indent=1) + "\n")
    if missing := [name for name in failed if name in chosen.only]:
        sys.exit(f"no answer to: {', '.join(missing)}")


if __name__ == "__main__":
    main()
