"""What all pairs of one kind say together, with exact binomial (Clopper-Pearson) intervals."""

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from bakeoff.simulate import rate
from tests.ci_bench.pairs import Raced

KINDS = ("equal", "planted")


def name(kind: str, noisy: bool) -> str:
    """What pairs of one kind are called in a record."""
    return f"{kind}-{'noisy' if noisy else 'quiet'}"


def pairs_of(file: Path, kind: str, noisy: bool) -> list[Raced]:
    """The pairs of one kind that a record has. Raises `BadFile` for one of another shape."""
    found = json.loads(file.read_text()).get(name(kind, noisy), {}).get("pairs", [])
    return [Raced.checked(each, file.name) for each in found]


def of(kind: str, pairs: Sequence[Raced]) -> dict[str, object]:
    """False alarms of equals, or how often what was planted was found, and how long that took."""
    raced = [each for each in pairs if each.outcome != "not raced"]
    found = "false_alarms" if kind == "equal" else "found"
    result: dict[str, object] = {"n": len(pairs), "not_raced": len(pairs) - len(raced)}
    if not raced:
        return result
    n = len(raced)
    detectable = [each.detectable for each in raced if each.detectable is not None]
    return result | {
        found: rate(sum(each.status == 1 for each in raced), n).model_dump(),
        "not_slower": rate(sum(each.outcome == "not slower" for each in raced), n).model_dump(),
        "detectable_median": median(detectable) if detectable else None,
        "measured_s_median": median(each.measured_s for each in raced),
        "took_s_median": median(each.took_s for each in raced),
        "duration_s": sorted({each.duration_s for each in raced}),
        "pairs": [each.model_dump() for each in pairs],
    }
