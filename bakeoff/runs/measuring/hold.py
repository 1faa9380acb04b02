"""What running contenders are held to where nobody said which answer is right."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bakeoff.model.finding import Finding
from bakeoff.model.held import Held
from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Verification
from bakeoff.verify import Looked, differences

if TYPE_CHECKING:
    from bakeoff.runs.measuring.context import Context
    from bakeoff.runs.measuring.instances import Running


@dataclass(frozen=True)
class Known:
    """What one contender's first process answered to each open request, and what that shows."""

    looked: Mapping[str, Looked]
    findings: tuple[Finding, ...] = ()

    @property
    def held(self) -> dict[str, Held]:
        """By request, what is held where the body varies."""
        return {name: each.held for name, each in self.looked.items() if each.held.varied}

    def of(self, verification: Verification) -> Verification:
        """The verification of one of its processes, with what is held."""
        update: dict[str, object] = {"held": self.held, "findings": self.findings}
        if self.held:
            update["expected_body_base64"] = None
        return verification.model_copy(update=update)


def hold(
    plan: Plan, running: Sequence["Running"], context: "Context"
) -> tuple[list["Running"], dict[str, str]]:
    """Those of `running` that can take part, with what they are held to; why others can't.

    Each contender is asked once in a run.
    """
    new = [each for each in running if each.entry.name not in context.known]
    servers = [(each.handle, each.entry) for each in new]
    looked, out = context.stages.servers.look(servers, plan.workload)
    for name, answers in looked.items():
        findings = tuple(found for each in answers.values() for found in each.findings)
        context.known[name] = Known(answers, findings)
    for each in new:
        name = each.entry.name
        if name in out or name not in looked or each.entry.twin_of:
            continue
        if unlike := _unlike(plan, name, context.known):
            before = context.known[name]
            context.known[name] = replace(before, findings=(unlike, *before.findings))
            if plan.same_answers:
                out[name] = _refused(unlike)
    held = []
    for each in running:
        if each.entry.name not in out:
            known = context.known.get(each.entry.name)
            verification = known.of(each.verification) if known else each.verification
            if known and each in new:
                verification = _with_bodies(verification, known, plan.workload.is_fixed)
            held.append(replace(each, verification=verification))
    return held, out


def _with_bodies(verification: Verification, known: Known, fixed: bool) -> Verification:
    """With the bodies that stayed in all answers."""
    stayed = {
        name: base64.b64encode(looked.answers[-1].body).decode()
        for name, looked in known.looked.items()
        if name not in known.held
    }
    if fixed:
        update: dict[str, object] = {"expected_body_base64": next(iter(stayed.values()), None)}
    else:
        update = {"bodies_base64": {**verification.bodies_base64, **stayed}}
    return verification.model_copy(update=update)


def _unlike(plan: Plan, name: str, known: Mapping[str, Known]) -> Finding | None:
    """How its answers differ from the reference's, or of those known before it, the first's."""
    reference = plan.reference if plan.reference in known else next(iter(known))
    if reference == name:
        return None
    others = known[reference].looked
    said = [
        f"{request}: {each}" if len(others) > 1 else each
        for request, looked in known[name].looked.items()
        for each in differences(looked, others[request])
    ]
    if not said:
        return None
    return Finding.of("answers_unlike", reference=reference, differences="; ".join(said))


def _refused(unlike: Finding) -> str:
    reference, differences = (unlike.values[key] for key in ("reference", "differences"))
    return f"its answers differ from those of {reference} (--same-answers): {differences}"
