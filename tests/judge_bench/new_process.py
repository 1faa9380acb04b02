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


def share(noise: float, dearer: float, *, flat: bool) -> float:
    """The share of comparisons that come out as flat, or don't."""
    chance = random.Random(f"{noise}/{dearer}")
    found = [_warm_after_ms(noise, dearer, chance) for _ in range(COMPARED)]
    return sum((each == 0) == flat for each in found) / COMPARED


def _warm_after_ms(noise: float, dearer: float, chance: random.Random) -> int | None:
    """What one comparison finds, which ends as soon as the process is known to be warm."""
    time_ln: list[float] = []
    cpu_ln: list[float] = []
    found = None
    for stage in range(STAGES):
        cost = 0.0 if stage else dearer
        for _ in range(STAGE_MS // PAIR_MS):
            time_ln.append(chance.gauss(cost, 2 * noise))
            cpu_ln.append(chance.gauss(cost, noise))
        new = NewProcess(pair_ms=PAIR_MS, time_ln=tuple(time_ln), cpu_ln=tuple(cpu_ln))
        found = warm_after_ms(new)
        if found is not None:
            break
    return found


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
