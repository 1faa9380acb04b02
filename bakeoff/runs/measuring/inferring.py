"""Expectations inferred from answers, where nobody said which answer is right."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bakeoff.model.finding import Finding
from bakeoff.model.plan import Plan
from bakeoff.runs.measuring.context import Context, Inferred
from bakeoff.runs.measuring.instances import Running
from bakeoff.verify import differences


def infer_expectations(
    plan: Plan, running: Sequence[Running], context: Context
) -> tuple[list[Running], dict[str, str]]:
    """Those of `running` that can take part, with what they are held to; why others can't.

    Each contender's answers are looked at once in a run.
    """
    inferred = context.inferred
    new = [one for one in running if one.entry.name not in inferred]
    samples, out = context.stages.servers.sample_answers(
        [(one.handle, one.entry) for one in new], plan.workload
    )
    for name, own in samples.items():
        findings = tuple(found for sample in own.values() for found in sample.findings)
        inferred[name] = Inferred(own, findings)
    for one in new:
        name = one.entry.name
        if name in out or name not in samples or one.entry.twin_of:
            continue
        if unlike := _unlike(plan, name, inferred):
            findings = (unlike, *inferred[name].findings)
            inferred[name] = replace(inferred[name], findings=findings)
            if plan.same_answers:
                out[name] = (
                    f"its answers differ from those of {unlike.values['reference']} "
                    f"(--same-answers): {unlike.values['differences']}"
                )
    held = []
    for one in running:
        if one.entry.name in out:
            continue
        verification, known = one.verification, inferred.get(one.entry.name)
        if known:
            verification = known.of(verification)
        if known and one in new:
            bodies = {
                name: base64.b64encode(sample.answers[-1].body).decode()
                for name, sample in known.samples.items()
                if name not in known.held
            }
            if plan.workload.is_fixed:
                body = next(iter(bodies.values()), None)
                update: dict[str, object] = {"expected_body_base64": body}
            else:
                update = {"bodies_base64": {**verification.bodies_base64, **bodies}}
            verification = verification.model_copy(update=update)
        held.append(replace(one, verification=verification))
    return held, out


def _unlike(plan: Plan, name: str, inferred: Mapping[str, Inferred]) -> Finding | None:
    """How its answers differ from the reference's, or of those known before it, the first's."""
    reference = plan.reference if plan.reference in inferred else next(iter(inferred))
    if reference == name:
        return None
    others = inferred[reference].samples
    said = [
        f"{request}: {difference}" if len(others) > 1 else difference
        for request, sample in inferred[name].samples.items()
        for difference in differences(sample, others[request])
    ]
    if not said:
        return None
    return Finding.of("answers_unlike", reference=reference, differences="; ".join(said))
