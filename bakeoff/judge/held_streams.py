"""Streams that are held open beside the requests: those of an entry, and which broke."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from statistics import fmean
from typing import TypeVar

from bakeoff.judge import latency
from bakeoff.judge.history import History
from bakeoff.judge.streams import STALL_US, longer
from bakeoff.model.engine import HeldSlice, SliceEvent
from bakeoff.model.entry import HeldStreams
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Plan

Kind = TypeVar("Kind", bound=str)

OPEN_SHARE = 0.99
"""An entry that holds fewer of the streams than this has less to do than the others."""


def held_streams(plan: Plan, history: History, name: str) -> HeldStreams | None:
    """The streams that it held; None: none were requested."""
    asked = plan.workload.held
    given = _given(history, name)
    if not asked or not given:
        return None
    window_s = sum(event.window_ns for event, _ in given) * 1e-9
    count = sum(held.count for _, held in given)
    due = sum(held.open * event.window_ns for event, held in given) * 1e-6 / (asked.gap_ms or 1)
    lasting = [event.held for event in history.lasting(name) if event.held]
    gaps = latency.merge_encoded(held.gap for held in lasting)
    return HeldStreams(
        streams=asked.streams,
        open=fmean(held.open for _, held in given),
        ended=sum(held.ended for _, held in given),
        count=count,
        per_s=count / window_s if window_s else 0.0,
        pace=count / due if asked.gap_ms and due else None,
        gap_us=latency.summary(gaps),
        stalls=longer(gaps, STALL_US),
        faults=dict(sorted(_summed(held.faults for _, held in given).items())),
        errors=dict(sorted(_summed(held.errors for _, held in given).items())),
    )


def not_held(plan: Plan, name: str, history: History) -> Iterator[Finding]:
    """It holds fewer streams than were requested: its requests had less beside them."""
    yield from (each for each in _broken(plan, name, history) if each.code == "streams_not_held")


def broke(plan: Plan, name: str, history: History) -> Iterator[Finding]:
    """Some broke, and were opened anew."""
    yield from (each for each in _broken(plan, name, history) if each.code == "streams_broke")


def _broken(plan: Plan, name: str, history: History) -> Iterator[Finding]:
    asked = plan.workload.held
    given = _given(history, name)
    if not asked or not given:
        return
    on_average = fmean(held.open for _, held in given)
    errors = _summed(held.errors for _, held in given)
    found = [held.first_bad.detail for _, held in given if held.first_bad]
    detail = found[0] if found else None
    if on_average < OPEN_SHARE * asked.streams:
        opened = round(on_average)
        yield Finding.of("streams_not_held", opened=opened, streams=asked.streams, detail=detail)
    elif errors:
        yield Finding.of("streams_broke", n=errors.total(), streams=asked.streams, detail=detail)


def _given(history: History, name: str) -> list[tuple[SliceEvent, HeldSlice]]:
    return [
        (slice_.event, slice_.event.held) for _, slice_ in history.slices(name) if slice_.event.held
    ]


def _summed(counts: Iterable[Mapping[Kind, int]]) -> Counter[Kind]:
    return sum(map(Counter, counts), Counter[Kind]())
