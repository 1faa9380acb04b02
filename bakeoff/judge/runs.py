"""Two measurements of one ratio compared: in two runs, or in turns and solo.

Two runs do not share the weather: this machine's speed drifts by tens of percent, so throughputs of
different days say little. Within each run the ratio of two contenders is free of it. So the change
of that ratio is compared.

The two estimates are independent, so on the log scale the half-width of their difference is √(h₁² +
h₂²), each h that of a 95 % interval (MOVER: Zou and Donner, Statistics in Medicine 27, 2008). Each
h has its own t quantile in it, all above the normal one, so the result errs on the wide side where
blocks or boots are few. The intervals are the verdicts' own, which hold for all pairs of a race at
once; so does the result for all compared contenders.

The table has, of 400 simulated pairs of runs each (3 contenders, 50 blocks a boot, boots' sd 0.3 %,
the second run on a machine of another speed), how often an equal pair was called changed, how often
a loss of 2 % and of 5 % was found, and the median half-width. In a race of two, with turns against
ten solo rounds, 18 of 400 equal ones (4.5 %) were said to disagree.

    boots   equal   −2 %    −5 %    half-width
    1       0 %                     4.0 %
    2       0 %                     2.0 %
    3       0.8 %   87 %    100 %   1.4 %
    5       1.0 %                   1.0 %
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, expm1, hypot, inf, log, log1p

from bakeoff.judge.about_race import gather
from bakeoff.judge.calm import one_distance, one_speed
from bakeoff.judge.gate import result, weighed
from bakeoff.model.compare import RunChange, RunFacts, RunFigures, RunsComparison
from bakeoff.model.entry import VerdictEntry
from bakeoff.model.errors import BadUsage, nearest
from bakeoff.model.finding import Finding
from bakeoff.model.gate import CantTell, Gate, GateResult
from bakeoff.model.pairs import Pair
from bakeoff.model.plan import Cores
from bakeoff.model.ratio import Ratio
from bakeoff.model.receipt import Receipt
from bakeoff.model.verdict import Verdict


def change(before: Pair, after: Pair) -> tuple[Ratio, float | None]:
    """`after` over `before`, two comparisons of the same entries, and the least change that would
    be found; None where an end is missing.

    A pair's detectable effect is its half-width and what 80 % power adds to it; both parts add up
    as standard errors do. The change lacks each end that one of the two lacks.
    """
    centre = log(after.ratio.ratio) - log(before.ratio.ratio)
    (after_below, after_above), (before_below, before_above) = map(_reach, (after, before))
    below, above = hypot(after_below, before_above), hypot(after_above, before_below)
    powers = [
        max(0.0, log1p(pair.minimum_detectable_effect) - _reach(pair)[1])
        for pair in (before, after)
        if pair.minimum_detectable_effect is not None
    ]
    changed = Ratio(
        ratio=exp(centre),
        low=exp(centre - below) if below < inf else None,
        high=exp(centre + above) if above < inf else None,
        n=min(before.ratio.n, after.ratio.n),
    )
    return changed, expm1(above + hypot(*powers)) if len(powers) == 2 else None


def _reach(pair: Pair) -> tuple[float, float]:
    """How far the low and the high end are from the ratio, on the log scale."""
    ratio, low, high = pair.ratio.ratio, pair.ratio.low, pair.ratio.high
    return (
        inf if low is None else abs(log(low / ratio)),
        inf if high is None else abs(log(high / ratio)),
    )


def confirmed(verdict: Verdict, solo: Verdict | None) -> Verdict:
    """The verdict with each entry's `solo` ratio beside it, and a warning where the two differ.

    `solo` is the verdict of the same entries, one running at a time; None: there is none. The two
    are independent measurements of one ratio, so they disagree where the interval of their quotient
    leaves out 1.
    """
    if solo is None:
        missing = Finding.of("not_confirmed")
        return verdict.model_copy(update={"warnings": (*verdict.warnings, missing)})
    cut_short = [] if solo.complete else [Finding.of("solo_cut_short")]
    entries = tuple(_confirmed(entry, verdict, solo) for entry in verdict.entries)
    added = {
        after.name: after.warnings[len(before.warnings) :]
        for before, after in zip(verdict.entries, entries, strict=True)
    }
    shared, _ = gather(added)
    warnings = (*verdict.warnings, *cut_short, *shared)
    return verdict.model_copy(update={"entries": entries, "warnings": warnings})


def _confirmed(entry: VerdictEntry, verdict: Verdict, solo: Verdict) -> VerdictEntry:
    reference = verdict.reference
    in_turns, alone = (each.pair(entry.name, reference) for each in (verdict, solo))
    if in_turns is None:
        return entry
    if alone is None:
        fault = solo.trouble(entry.name) or solo.trouble(reference)
        missing = Finding.of("solo_missing", *([fault] if fault else []), reference=reference)
        return entry.model_copy(update={"warnings": (*entry.warnings, missing)})
    changed, _ = change(in_turns, alone)
    agrees = not changed.excludes(1)
    differs = Finding.of(
        "solo_differs",
        reference=reference,
        ratio=in_turns.ratio.ratio,
        low=in_turns.ratio.low,
        high=in_turns.ratio.high,
        solo_ratio=alone.ratio.ratio,
        solo_low=alone.ratio.low,
        solo_high=alone.ratio.high,
    )
    return entry.model_copy(
        update={
            "solo": alone.ratio,
            "solo_agrees": agrees,
            "warnings": entry.warnings if agrees else (*entry.warnings, differs),
        }
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
    unlike = _comparable(old, new, unlike_machines)
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


def _reference(old: Verdict, new: Verdict, common: Sequence[str], wanted: str | None) -> str | None:
    """The reference of the comparison; None: fewer than two contenders count in both runs."""
    able = [name for name in common if not old.trouble(name) and not new.trouble(name)]
    if wanted is not None and wanted not in able:
        if wanted in common:
            run = old.run if old.trouble(wanted) else new.run
            raise BadUsage(
                f"--reference: {wanted} has no valid figures in {run}; the run's report says why"
            )
        raise BadUsage(
            f"--reference: {wanted} is not in both runs{nearest(wanted, able, 'in both')}"
        )
    if len(able) < 2:
        return None
    return wanted or next(
        (verdict.reference for verdict in (new, old) if verdict.reference in able), able[0]
    )


def _change(old: Verdict, new: Verdict, name: str, reference: str | None) -> RunChange:
    before, after = (each.pair(name, reference) if reference else None for each in (old, new))
    figures = {"before": _figures(old, name, before), "after": _figures(new, name, after)}
    if before and after:
        changed, detectable = change(before, after)
        return RunChange(
            name=name,
            ratio=changed,
            finding=changed.told(),
            minimum_detectable_effect=detectable,
            **figures,
        )
    if name == reference:
        reason = Finding.of("is_reference")
    elif fault := old.trouble(name) or new.trouble(name):
        reason = fault
    elif reference is None:
        reason = Finding.of("only_one_in_both")
    else:
        run = old.run if before is None else new.run
        reason = Finding.of("few_run_blocks", run=run, reference=reference)
    return RunChange(name=name, reason=reason, **figures)


def _figures(verdict: Verdict, name: str, pair: Pair | None) -> RunFigures:
    entry = verdict.entry(name)
    assert entry
    return RunFigures(
        version=entry.version,
        requests_per_s=entry.requests_per_s,
        server_cpu_us_per_request=entry.cpu_us_per_request.server,
        memory_mib=entry.memory_mib.loaded,
        p99_us=entry.latency_us.p99 if entry.latency_us else None,
        ratio=pair and pair.ratio,
    )


def _facts(verdict: Verdict) -> RunFacts:
    of_machine = RunFacts.model_fields.keys() - {"run"}
    return RunFacts(run=verdict.run, **{key: getattr(verdict.machine, key) for key in of_machine})


def _warnings(
    before: Run, after: Run, common: Sequence[str], reference: str | None
) -> Iterator[Finding]:
    old, new = before.verdict, after.verdict
    for verdict in (old, new):
        if not verdict.valid:
            yield Finding.of("run_not_valid", run=verdict.run)
        if not verdict.complete:
            yield Finding.of("run_cut_short", run=verdict.run)
    if old.machine.engine != new.machine.engine:
        yield Finding.of("engines_differ", before=old.machine.engine, after=new.machine.engine)
    if not one_distance(old.core_trip_ns, new.core_trip_ns):
        assert old.core_trip_ns and new.core_trip_ns
        yield Finding.of("distances_differ", before_ns=old.core_trip_ns, after_ns=new.core_trip_ns)
    if not one_speed(old.fixed_work_us, new.fixed_work_us):
        assert old.fixed_work_us and new.fixed_work_us
        yield Finding.of("speeds_differ", before_us=old.fixed_work_us, after_us=new.fixed_work_us)
    if reference:
        yield from _same_program(before, after, reference)
        for name in common:
            kinds = {_by_long(verdict, name, reference) for verdict in (old, new)}
            if name != reference and len(kinds) > 1:
                yield Finding.of("slice_kinds_differ", name=name)


def _same_program(before: Run, after: Run, reference: str) -> Iterator[Finding]:
    """Reasons to doubt that the reference is the same program in both runs.

    A command has neither a version nor a receipt.
    """
    runs = (before, after)
    old, new = (_figures(run.verdict, reference, None).version for run in runs)
    receipts = [run.receipts[reference] for run in runs if reference in run.receipts]
    sources = {receipt.source_sha256 for receipt in receipts}
    if not old or not new:
        yield Finding.of("reference_unknown", reference=reference)
    elif old != new:
        yield Finding.of("reference_version", reference=reference, before=old, after=new)
    elif len(sources) > 1:
        yield Finding.of("reference_sources", reference=reference)


def _by_long(verdict: Verdict, name: str, reference: str) -> bool:
    entry = verdict.entry(name)
    if not entry or not entry.long_slices or verdict.solo or verdict.reference != reference:
        return False
    return entry.ratio is not None and entry.ratio.ratio == entry.long_slices.ratio


def _gate(
    gate: Gate, cant_tell: CantTell, old: Verdict, new: Verdict, changes: Sequence[RunChange]
) -> GateResult:
    changed = next((each for each in changes if each.name == gate.left), None)
    if changed is None:
        lacking = new if new.entry(gate.left) is None else old
        fault = lacking.trouble(gate.left)
        assert fault
        fault = Finding.of("in_run", fault, run=lacking.run)
    elif changed.reason and changed.reason.code == "is_reference":
        raise BadUsage(
            f"--gate {gate.text}: {gate.left} is the reference, whose own change isn't known; "
            "choose another --reference"
        )
    else:
        fault = old.trouble(gate.left) or new.trouble(gate.left)
    if fault or changed is None:
        return result(gate, cant_tell, "fails", reasons=(fault,))
    if changed.ratio is None:
        return result(gate, cant_tell, "can't tell", reasons=(changed.reason,))
    return weighed(gate, cant_tell, changed.ratio)


def _comparable(old: Verdict, new: Verdict, unlike_machines: bool) -> tuple[Finding, ...]:
    """The differences between the machines, if `unlike_machines` allows them.

    Raises `BadUsage` where the runs were not measured alike: a ratio depends on the load.
    """
    if old.run == new.run and old.seed == new.seed:
        raise BadUsage(f"compare: both are the run {old.run}; it takes two")
    differences = [
        f"{what}: {before} and {after}"
        for what, before, after in _settings(old, new)
        if before != after
    ]
    if differences:
        raise BadUsage(
            f"compare: {old.run} and {new.run} were measured differently, and a ratio depends on "
            f"how it was measured: {'; '.join(differences)}"
        )
    keys = old.machine.unlike(new.machine)
    facts = {key: (getattr(old.machine, key), getattr(new.machine, key)) for key in keys}
    if keys and not unlike_machines:
        unlike = "; ".join(f"{key}: {before} and {after}" for key, (before, after) in facts.items())
        raise BadUsage(
            f"compare: {old.run} and {new.run} come from different machines ({unlike}); "
            "--allow-different-machines compares them anyway"
        )
    return tuple(
        Finding.of("machine_differs", key=key, before=str(before), after=str(after))
        for key, (before, after) in facts.items()
    )


def _settings(old: Verdict, new: Verdict) -> Iterator[tuple[str, object, object]]:
    keys = ("workload", "mode", "rate", "load", "connections", "connection", "pipeline", "streams")
    for key in keys:
        yield key, getattr(old, key), getattr(new, key)
    before, after = ("yes" if verdict.solo else "no" for verdict in (old, new))
    yield "one contender up at a time", before, after
    yield "cores", _shape(old.cores), _shape(new.cores)
    for entry in new.entries:
        if same := old.entry(entry.name):
            yield f"workers of {entry.name}", same.workers, entry.workers
            yield f"protocol of {entry.name}", same.protocol, entry.protocol


def _shape(cores: Cores) -> str:
    """The numbers of cores; their identities do not matter."""
    where = ", shared" if cores.shared else ", on another machine" if cores.apart else ""
    return f"{len(cores.server)} for servers, {len(cores.client)} for the generator{where}"
