"""From runs to answers: a table for people, and a record that holds all raw figures."""

from __future__ import annotations

import datetime
import os
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import generators
import servers
from estimates import Estimate
from questions import QUESTIONS, Claim
from rounds import Plan, Run

LIMITS = 0.9
"""A generator is the limit itself if it works for this share of the time."""


@dataclass(frozen=True)
class Answer:
    """A claim's estimate, for one number of connections."""

    question: str
    connections: int
    claim: Claim
    estimate: Estimate
    # Of the rounds, for orientation.
    medians: dict[str, float]
    # The share of the time that volley worked.
    worked: float

    def verdict(self) -> str:
        """How the estimate stands to the claim's goal, if that has one.

        Where volley waits for the server, its requests per second are a figure of the server.
        """
        found = self.claim.goal.verdict(self.estimate) if self.claim.goal else ""
        is_rate = self.claim.figure == "requests_per_s"
        return "server's limit" if found == "missed" and is_rate and self.worked < LIMITS else found

    def row(self) -> str:
        """Of the table."""
        claim, found = self.claim, self.estimate
        other = f"{self.medians[claim.other]:9.6g}" if claim.other else " " * 9
        goal = f"  {claim.goal.side} {claim.goal.value:g}: {self.verdict()}" if claim.goal else ""
        return (
            f"{self.question:18} {self.connections:4}  {claim.figure:18} "
            f"{self.medians['volley']:9.6g}  {other}  {f'{claim.kind} {claim.other}':21} "
            f"{found.value:.4g} ({found.low:.4g} to {found.high:.4g}), {found.rounds}{goal}"
        )


HEAD = (
    f"{'question':18} {'conn':>4}  {'figure':18} {'volley':>9}  {'other':>9}  "
    f"{'estimate':21} value (95 % interval), rounds, goal"
)


def answers(runs: Sequence[Run], seed: int) -> list[Answer]:
    """Every claim's estimate, by question and number of connections."""
    found = []
    for question, connections in dict.fromkeys((run.question, run.connections) for run in runs):
        own = [run for run in runs if (run.question, run.connections) == (question, connections)]
        worked = median(
            run.figures["requests_per_s"] * run.figures["work_us_per_request"] / 1e6
            for run in own
            if run.generator == "volley"
        )
        for claim in QUESTIONS[question].claims:
            by_round = figures(own, claim.figure)
            medians = {name: median(values) for name, values in by_round.items()}
            estimate = claim.estimate(by_round, seed)
            found.append(Answer(question, connections, claim, estimate, medians, worked))
    return found


def figures(runs: Iterable[Run], name: str) -> Mapping[str, list[float]]:
    """One figure of each generator, round by round."""
    found: dict[str, list[float]] = {}
    for run in sorted(runs, key=lambda run: run.round):
        found.setdefault(run.generator, []).append(run.figures[name])
    return found


def record(
    runs: Sequence[Run], found: Sequence[Answer], plan: Plan, conditions: Mapping[str, object]
) -> dict[str, object]:
    """All that a reader needs to judge the table, or to make it again."""
    return {
        "schema": "bakeoff.engine-versus/1",
        # Without paths of this machine.
        "command_line": [
            "engine/bench/versus.py",
            *(Path(word).name if word.startswith("/") else word for word in sys.argv[1:]),
        ],
        "at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "plan": asdict(plan),
        "cores": {"server": servers.CORE, "generator": generators.CORE},
        **conditions,
        "load_average_after": os.getloadavg(),
        "units": {
            name: QUESTIONS[name].unit for name in dict.fromkeys(run.question for run in runs)
        },
        "commands": {name: commands(name) for name in dict.fromkeys(run.question for run in runs)},
        "nginx": servers.NGINX_CONF,
        "nginx_tls": servers.NGINX_TLS,
        "answers": [asdict(answer) | {"verdict": answer.verdict()} for answer in found],
        "runs": [asdict(run) for run in runs],
    }


def commands(question: str) -> dict[str, str]:
    """What was run, with blanks."""
    tree = f"{generators.ENGINE.parent}/"
    return {
        each.name: shlex.join((each.shown(), *each.command[1:])).replace(tree, "")
        for each in QUESTIONS[question].generators
    }
