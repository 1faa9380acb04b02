"""How often a new process is misjudged: `python -m tests.judge_bench.new_process`.

Prints, for pairs of slices whose CPU time has an sd of so much (their wall time twice that), in how
many of 400 simulated comparisons a flat program is taken for something else; and in how many one
passes for flat whose requests cost so much more in the first stage. Seconds.
"""

import random

from bakeoff.model.cut import NewProcess
from bakeoff.runs.measuring.new_process import QUICK_MS, STAGE_MS, warm_after_ms

COMPARED = 400
PAIR_MS = 40
STAGES = QUICK_MS // STAGE_MS + 2
NOISES = (0.02, 0.04, 0.08)
DEARER = (0.05, 0.1, 0.3)


def comparison(noise: float, dearer: float, chance: random.Random) -> NewProcess:
    """A comparison that goes on for as long as it may."""
    pairs = STAGE_MS // PAIR_MS
    costs = [dearer if at < pairs else 0.0 for at in range(STAGES * pairs)]
    return NewProcess(
        pair_ms=PAIR_MS,
        time_ln=tuple(chance.gauss(cost, 2 * noise) for cost in costs),
        cpu_ln=tuple(chance.gauss(cost, noise) for cost in costs),
    )


def share(noise: float, dearer: float, *, flat: bool) -> float:
    """The share of comparisons that come out as flat, or don't."""
    chance = random.Random(f"{noise}/{dearer}")
    found = [warm_after_ms(_cut(comparison(noise, dearer, chance))) for _ in range(COMPARED)]
    return sum((each == 0) == flat for each in found) / COMPARED


def _cut(whole: NewProcess) -> NewProcess:
    """What a race would have made of it: it ends as soon as the process is known to be warm."""
    pairs = STAGE_MS // PAIR_MS
    for stages in range(2, STAGES + 1):
        so_far = whole.model_copy(
            update={
                "time_ln": whole.time_ln[: stages * pairs],
                "cpu_ln": whole.cpu_ln[: stages * pairs],
            }
        )
        if warm_after_ms(so_far) is not None:
            return so_far
    return whole


def main() -> None:
    """Print the table."""
    heads = [f"{each:.0%} dearer, passes for flat" for each in DEARER]
    print("| sd of a pair's CPU time | flat, misjudged | " + " | ".join(heads) + " |")
    print("|---|---|" + "---|" * len(heads))
    for noise in NOISES:
        passed = [f"{share(noise, each, flat=True):.1%}" for each in DEARER]
        print(f"| {noise:.0%} | {share(noise, 0.0, flat=False):.1%} | {' | '.join(passed)} |")


if __name__ == "__main__":
    main()
