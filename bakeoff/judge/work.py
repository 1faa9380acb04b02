"""What one contender does for an answer, from what was seen of it over the boots."""

from collections import Counter
from collections.abc import Sequence

from bakeoff.judge.history import History, history
from bakeoff.model.audit import Crew, Work
from bakeoff.model.plan import Plan
from bakeoff.model.samples import Record


def works_of(plan: Plan, records: Sequence[Record]) -> dict[str, Work]:
    """All that were up, in the plan's order."""
    seen = history(records)
    found = {entry.name: work(plan, seen, entry.name) for entry in plan.entries}
    return {name: each for name, each in found.items() if each}


def work(plan: Plan, seen: History, name: str) -> Work | None:
    """All that is known of it; None where it never was up. `seen` has every block."""
    up = seen.started(name)
    if not up:
        return None
    verified = up[-1].verification
    return Work(
        head_bytes=verified.head_bytes,
        body_bytes=verified.body_bytes,
        headers=tuple(sorted({header.lower() for header, _ in verified.headers})),
        keeps_alive=verified.keeps_alive,
        workers=plan.workers,
        audit=next((each.audit for each in up if each.audit), None),
        crew=_usual([end.crews[name] for end in seen.ends if name in end.crews]),
        written_per_request=_written_per_request(seen, name),
    )


def _usual(crews: list[Crew]) -> Crew | None:
    """That of the boot in the middle, by how many threads were at work."""
    ordered = sorted(crews, key=lambda each: each.threads_at_work)
    return ordered[(len(ordered) - 1) // 2] if ordered else None


def _written_per_request(seen: History, name: str) -> float | None:
    """Over the boots that came to their end, since only those say what was written."""
    answered: Counter[int] = Counter()
    for block, piece in seen.slices(name):
        answered[block.boot] += piece.event.requests_all
    ends = [end for end in seen.ends if name in end.written]
    requests = sum(answered[end.boot] for end in ends)
    written = [end.written[name] for end in ends]
    if not requests:
        return None
    return sum(each.log_bytes + each.scratch_bytes for each in written) / requests
