"""What all races of the bench say together, as a record with binomial intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from bakeoff.simulate import rate
from tests.judge_bench.live import Live
from tests.judge_bench.planted import Truth

RIGHT = "slower"
"""The planted server does more: it is slower than the base."""


def of_null(races: Sequence[Live]) -> dict[str, object]:
    """Two copies of one program: a finding is a false positive."""
    valid = [each for each in races if each.valid]
    return {
        "contender": races[0].contender,
        **_common(races),
        "false_positives": _share([each.finding != "can't tell" for each in valid]),
        "races": [asdict(each) for each in races],
    }


def of_planted(races: Sequence[Live], truth: Truth) -> dict[str, object]:
    """One effect: found, with the right sign, and its truth within the interval."""
    valid = [each for each in races if each.valid]
    ratios = [truth.ratio(each.loops) for each in valid]
    loops = races[0].loops
    return {
        "effect": races[0].effect,
        "loops": loops,
        "true_ratio": truth.ratio(loops),
        "true_ratio_standard_error": truth.ratio_error(loops),
        "mean_ratio": _mean([each.ratio for each in valid]),
        "cpu_time_ratio": _mean([each.server_us[0] / each.server_us[1] for each in valid]),
        **_common(races),
        "right_sign": _share([each.finding == RIGHT for each in valid]),
        "wrong_sign": _share([each.finding == "faster" for each in valid]),
        "covered": _share(
            [each.low <= ratio <= each.high for each, ratio in zip(valid, ratios, strict=True)]
        ),
        "races": [asdict(each) for each in races],
    }


def half_width(race: Live) -> float:
    """Of the ratio's interval, as a share of it."""
    return float(np.sqrt(race.high / race.low) - 1)


def _common(races: Sequence[Live]) -> dict[str, object]:
    valid = [each for each in races if each.valid]
    widths = [half_width(each) for each in valid] or [float("nan")]
    return {
        "duration_s": races[0].duration_s,
        "n": len(races),
        "invalid": len(races) - len(valid),
        "half_width": dict(
            zip(
                ("min", "p10", "median", "p90", "max"),
                map(float, np.quantile(widths, (0, 0.1, 0.5, 0.9, 1))),
                strict=True,
            )
        ),
        "half_width_within_half_a_percent": _share([width <= 0.005 for width in widths]),
        "steal_share": _mean([each.steal_share for each in races]),
        "load_average": _mean([each.load_average for each in races]),
    }


def _share(happened: Sequence[bool]) -> dict[str, object] | None:
    if not happened:
        return None
    return rate(sum(happened), len(happened)).model_dump()


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None
