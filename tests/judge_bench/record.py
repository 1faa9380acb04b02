"""What all races of the bench say together, each rate with its binomial interval."""

from collections.abc import Sequence

import numpy as np
from scipy import stats

from bakeoff.simulate import rate
from tests.judge_bench.live import Compared, Live
from tests.judge_bench.planted import Truth

RIGHT = "slower"
"""The planted server does more: it is slower than the base."""
Z = 1.96


def of_equals(races: Sequence[Live]) -> dict[str, object]:
    """Two copies of each program: a finding is false. By program, and all together."""
    programs = list(dict.fromkeys(each.subject for each in races))
    return {
        "all": _of_equals(races),
        "programs": [
            {"program": name, **_of_equals([each for each in races if each.subject == name])}
            for name in programs
        ],
    }


def _of_equals(races: Sequence[Live]) -> dict[str, object]:
    ratios = _ratios(races)
    logs = np.log([each.ratio for each in ratios])
    claims = np.array([_log_half(each) / Z for each in ratios])
    return {
        **_common(races),
        "false_findings": _share([each.finding != "can't tell" for each in ratios]),
        "sd_of_ln_ratio": float(np.sqrt(np.mean(logs**2))) if len(logs) else None,
        "sd_over_claim": _against_claim(logs, claims),
    }


def _against_claim(logs: "np.ndarray", claims: "np.ndarray") -> dict[str, float] | None:
    """Root mean square of ln ratio over what its interval claims (half of it over 1.96), with a
    chi-square interval. Equals have a ratio of 1. Up to 1, intervals are as wide as they must be;
    those of few draws are wider, as Student's are."""
    n = len(logs)
    if n < 2:
        return None
    square = float(np.mean((logs / claims) ** 2))
    low, high = (float(np.sqrt(n * square / stats.chi2.ppf(q, n))) for q in (0.975, 0.025))
    return {"ratio": float(np.sqrt(square)), "low": low, "high": high, "n": n}


def of_planted(races: Sequence[Live], truth: Truth) -> list[dict[str, object]]:
    """Each effect: found, with the right sign, and its truth within the interval."""
    effects = dict.fromkeys((each.subject, each.duration_s) for each in races)
    return [
        _of_planted([e for e in races if (e.subject, e.duration_s) == effect], truth)
        for effect in effects
    ]


def _of_planted(races: Sequence[Live], truth: Truth) -> dict[str, object]:
    valid = [each for each in races if each.ratio and all(each.typical_us)]
    ratios = _ratios(valid)
    trues = np.array([true_ratio(each, truth) for each in valid])
    bias = np.log([each.ratio for each in ratios]) - np.log(trues)
    return {
        "effect": float(races[0].subject),
        "true_ratio": _mean(trues),
        "true_ratio_standard_error": _mean(
            [truth.ratio_error(e.loops, e.typical_us[0], e.client_busy[0]) for e in valid]
        ),
        "mean_ratio": _mean([each.ratio for each in ratios]),
        "cpu_time_ratio": _mean([each.typical_us[0] / each.typical_us[1] for each in valid]),
        "whole_cpu_time_ratio": _mean([each.server_us[0] / each.server_us[1] for each in valid]),
        "bias": _mean(bias),
        "bias_standard_error": _error(bias),
        **_common(races),
        "right_sign": _share([each.finding == RIGHT for each in ratios]),
        "wrong_sign": _share([each.finding == "faster" for each in ratios]),
        "covered": _share(
            [each.low <= true <= each.high for each, true in zip(ratios, trues, strict=True)]
        ),
    }


def true_ratio(race: Live, truth: Truth) -> float:
    """The truth of one race: loops by the clock, the rest by what the base cost in it."""
    return truth.ratio(race.loops, race.typical_us[0], race.client_busy[0])


def half_width(ratio: Compared) -> float:
    """Of its interval, as a share of it."""
    return float(np.exp(_log_half(ratio)) - 1)


def _log_half(ratio: Compared) -> float:
    return float(np.log(ratio.high / ratio.low) / 2)


def _ratios(races: Sequence[Live]) -> list[Compared]:
    return [each.ratio for each in races if each.ratio]


def _common(races: Sequence[Live]) -> dict[str, object]:
    widths = [half_width(pair) for each in races for pair in each.pairs] or [float("nan")]
    ranks = {"min": 0, "p10": 0.1, "median": 0.5, "p90": 0.9, "max": 1}
    return {
        "n": len(races),
        "without_ratio": sum(not each.pairs for each in races),
        "half_width": {name: float(np.quantile(widths, rank)) for name, rank in ranks.items()},
        "took_s": _mean([each.took_s for each in races]),
        "steal_share": _mean([each.steal_share for each in races]),
        "load_average": _mean([each.load_average for each in races]),
    }


def _share(happened: Sequence[bool]) -> dict[str, object] | None:
    return rate(sum(happened), len(happened)).model_dump() if happened else None


def _mean(values: "Sequence[float] | np.ndarray") -> float | None:
    return float(np.mean(values)) if len(values) else None


def _error(values: "np.ndarray") -> float | None:
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None
