"""Two runs compared, each contender by its ratio to one that is in both.

Two runs do not share the weather: this machine's speed drifts by tens of percent, so throughputs
of different days say little. Within each run the ratio of two contenders is free of it. What is
compared is how that ratio changed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bakeoff.judge.alike import refuse_unlike, same_program
from bakeoff.judge.change import change
from bakeoff.judge.gate import failed, undecided, weighed
from bakeoff.model.compare import RunChange, RunFacts, RunFigures, RunsComparison
from bakeoff.model.errors import BadUsage, nearest
from bakeoff.model.gate import CantTell, Gate, GateResult
from bakeoff.model.receipt import Receipt
from bakeoff.model.verdict import Pair, Verdict, VerdictEntry

THE_REFERENCE = "the reference: its own change can't be seen"
ALONE = (
    "it is the only one in both runs: absolute throughput is all that is left, and the machine's "
    "drift is in it"
)


@dataclass(frozen=True)
class Run:
    """A run that was judged; `receipts` where its folder is there."""

    verdict: Verdict
    receipts: Mapping[str, Receipt]


def compare_runs(
    before: Run,
    after: Run,
    *,
    reference: str | None = None,
    unlike_machines: bool = False,
    gates: Sequence[Gate] = (),
    cant_tell: CantTell = "pass",
) -> RunsComparison:
    """What changed from `before` to `after`.

    Raises `BadUsage` where the two were not measured alike, or have no contender in common.
    """
    old, new = before.verdict, after.verdict
    unlike = refuse_unlike(old, new, unlike_machines)
    common = [entry.name for entry in new.entries if old.entry(entry.name)]
    if not common:
        raise BadUsage(
            f"compare: no contender is in both runs: {old.run} has {_names(old)}, {new.run} has "
            f"{_names(new)}"
        )
    against = _reference(old, new, common, reference)
    changes = tuple(_change(old, new, name, against) for name in common)
    return RunsComparison(
        before=_facts(old),
        after=_facts(new),
        workload=new.workload,
        ranked_by=new.ranked_by,
        reference=against,
        unlike=unlike,
        warnings=tuple(_warnings(before, after, common, against)),
        changes=changes,
        only_before=tuple(each.name for each in old.entries if not new.entry(each.name)),
        only_after=tuple(each.name for each in new.entries if not old.entry(each.name)),
        gates=tuple(_gate(gate, cant_tell, old, new, changes) for gate in gates),
    )


def _names(verdict: Verdict) -> str:
    return ", ".join(entry.name for entry in verdict.entries) or "none"


def _reference(old: Verdict, new: Verdict, common: Sequence[str], asked: str | None) -> str | None:
    """Whom both runs are held against; None where only one contender counts in both."""
    able = [name for name in common if not old.trouble(name) and not new.trouble(name)]
    if asked is not None and asked not in able:
        if asked in common:
            fault = old.trouble(asked) or new.trouble(asked)
            raise BadUsage(f"--reference: its figures don't count: {fault}")
        raise BadUsage(f"--reference: {asked} is not in both runs{nearest(asked, able, 'in both')}")
    if len(able) < 2:
        return None
    return asked or next(
        (verdict.reference for verdict in (new, old) if verdict.reference in able), able[0]
    )


def _change(old: Verdict, new: Verdict, name: str, reference: str | None) -> RunChange:
    pairs = [verdict.pair(name, reference) if reference else None for verdict in (old, new)]
    before, after = pairs
    figures = {"before": _figures(old, name, before), "after": _figures(new, name, after)}
    if name == reference:
        return RunChange(name=name, reason=THE_REFERENCE, **figures)
    if fault := old.trouble(name) or new.trouble(name):
        return RunChange(name=name, reason=fault, **figures)
    if reference is None:
        return RunChange(name=name, reason=ALONE, **figures)
    if before is None or after is None:
        run = old.run if before is None else new.run
        reason = f"too few blocks of {run} have both it and {reference}"
        return RunChange(name=name, reason=reason, **figures)
    found = change(before, after)
    return RunChange(
        name=name,
        ratio=found.ratio,
        low=found.low,
        high=found.high,
        finding=found.finding,
        minimum_detectable_effect=found.detectable,
        **figures,
    )


def _figures(verdict: Verdict, name: str, pair: Pair | None) -> RunFigures:
    entry = verdict.entry(name)
    assert entry
    return RunFigures(
        version=entry.version,
        requests_per_s=entry.requests_per_s,
        ratio=pair.ratio if pair else None,
        low=pair.low if pair else None,
        high=pair.high if pair else None,
        n=pair.n if pair else 0,
        server_cpu_us_per_request=entry.cpu_us_per_request.server,
        memory_mib=entry.memory_mib.loaded,
        p99_us=entry.latency_us.p99 if entry.latency_us else None,
    )


def _facts(verdict: Verdict) -> RunFacts:
    machine = verdict.machine
    return RunFacts(
        run=verdict.run,
        taken_at=machine.taken_at,
        cpu_model=machine.cpu_model,
        kernel=machine.kernel,
        bakeoff=machine.bakeoff,
        engine=machine.engine,
    )


def _warnings(before: Run, after: Run, common: Sequence[str], reference: str | None) -> list[str]:
    old, new = before.verdict, after.verdict
    said = [
        f"{verdict.run}: {fault}"
        for verdict in (old, new)
        for fault, so in (
            ("its verdict is not valid", not verdict.valid),
            ("it ended early", not verdict.complete),
        )
        if so
    ]
    engines = old.machine.engine, new.machine.engine
    if engines[0] != engines[1]:
        said.append(
            f"the load came from the engine {engines[0]} in the earlier run and {engines[1]} in "
            "the later, which may be a part of every change"
        )
    if reference:
        versions = [_figures(verdict, reference, None).version for verdict in (old, new)]
        said += same_program(reference, versions, before.receipts, after.receipts)
        said += [
            f"{name}: the figure of long slices counts in one run and that of short ones in the "
            "other, which may be a part of its change"
            for name in common
            if name != reference
            and _by_long(old, name, reference) != _by_long(new, name, reference)
        ]
    return said


def _by_long(verdict: Verdict, name: str, reference: str) -> bool:
    """Whether the long slices' figure counts, as far as the verdict says so."""
    entry: VerdictEntry | None = verdict.entry(name)
    if entry is None or entry.long_slices is None or verdict.reference != reference:
        return False
    return not verdict.solo and entry.ratio == entry.long_slices.ratio


def _gate(
    gate: Gate, cant_tell: CantTell, old: Verdict, new: Verdict, changes: Sequence[RunChange]
) -> GateResult:
    found = next((each for each in changes if each.name == gate.left), None)
    if found is None:
        missing = new if new.entry(gate.left) is None else old
        return failed(gate, cant_tell, f"{missing.run}: {missing.trouble(gate.left)}")
    if found.reason == THE_REFERENCE:
        raise BadUsage(f"--gate {gate.text}: {gate.left} is {THE_REFERENCE}; see --reference")
    if fault := old.trouble(gate.left) or new.trouble(gate.left):
        return failed(gate, cant_tell, fault)
    if found.ratio is None or found.low is None or found.high is None:
        return undecided(gate, cant_tell, found.reason)
    n = min(found.before.n, found.after.n)
    return weighed(gate, cant_tell, found.ratio, found.low, found.high, n)
