"""Rounds: in each, every generator loads the server once per number of connections."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from generators import Generator, finished
from questions import Question
from servers import SERVERS

CLOSED_S = 1e-4
"""Until the server has closed a connection that a generator left: it may not have files for the
connections of two of them."""
PEAK_S = 5
WARM_UP_RATE = 1000
"""Of those that keep one."""


@dataclass(frozen=True)
class Plan:
    """How much is run where the question does not say."""

    rounds: int
    seconds: int
    connections: tuple[int, ...]
    seed: int


@dataclass(frozen=True)
class Run:
    """One load of the server by one generator."""

    question: str
    round: int
    place: int
    generator: str
    connections: int
    figures: dict[str, float]


def run(name: str, question: Question, plan: Plan) -> list[Run]:
    """All rounds of a question, in an order drawn anew for each. Raises `Failed`."""
    connections = question.connections or plan.connections
    cells = [(each, count) for each in question.generators for count in connections]
    rounds, seconds = question.rounds or plan.rounds, question.seconds or plan.seconds
    order, runs = random.Random(f"{plan.seed} {name}"), []
    with SERVERS[question.server]() as address:
        warm_up(cells, address)
        rate = rate_of(question, address)
        for number in range(rounds):
            for place, (each, count) in enumerate(order.sample(cells, len(cells))):
                figures = each.run(address, count, seconds, rate)
                if rate:
                    figures["rate_per_s"] = rate
                time.sleep(count * CLOSED_S)
                runs.append(Run(name, number, place, each.name, count, figures))
                tell(runs[-1])
    return runs


def rate_of(question: Question, address: str) -> int:
    """At which the question's generators load: a share of the lowest of its peaks; 0: at none."""
    if not question.peaks:
        return 0
    connections = question.connections or (64,)
    peaks = {
        each.name: each.run(address, connections[0], PEAK_S)["requests_per_s"]
        for each in question.peaks
    }
    print("peaks, requests/s:", peaks, file=sys.stderr)
    return round(question.share_of_peak * min(peaks.values()))


def warm_up(cells: Sequence[tuple[Generator, int]], address: str) -> None:
    """A second of each, which counts for nothing: files are read, memory is had."""
    for each, count in cells:
        finished(each.line(address, count, 1, WARM_UP_RATE), 1)
        time.sleep(count * CLOSED_S)


def tell(done: Run) -> None:
    said = "  ".join(f"{name} {value:.6g}" for name, value in done.figures.items())
    who = f"{done.generator:12} {done.connections:4}"
    print(f"{done.question} round {done.round:2}  {who}  {said}", file=sys.stderr)
