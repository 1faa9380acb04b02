"""What the races of the judge's bench say, part by part."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import exp, log, sqrt
from pathlib import Path
from statistics import NormalDist, mean, median, stdev
from typing import Any

import numpy as np
from scipy import stats

import bakeoff
from bakeoff.installation import engine_version
from bakeoff.judge.calm import one_speed
from bakeoff.measure import machine
from bakeoff.model.pairs import Pair
from bakeoff.simulate import rate
from tests.judge_bench import kept

LANGUAGES = {
    "libuv-http-parser": "C",
    "brick": "C++",
    "go-nethttp": "Go",
    "hyper": "Rust",
    "node-http": "Node",
    "uvicorn": "Python",
}
Race = Mapping[str, Any]
CPU_SINCE = "2026-11-29T18:15:11Z"
"""CPU ratios of races before this have a ramp factor that could take one step of the clock for
all (docs/EVIDENCE.md, "Clocks that step"). They are in the records and don't count."""


def write(path: Path, races: Sequence[Race], earlier: Sequence[Path]) -> None:
    """A record of these races and of those that earlier records have of the same method."""
    methods = {kept.method_of(race) for race in races}
    before = [race for file in earlier for race in json.loads(file.read_text())["races"]]
    every = [*(race for race in before if kept.method_of(race) in methods), *races]
    record = {
        "what": "what the judge promises, by real races",
        "command": "python -m tests.judge_bench",
        "methods": sorted(methods),
        "machine": machine(engine=engine_version(), bakeoff=bakeoff.__version__).model_dump(),
        "summary": summary(every),
        "races": every,
    }
    path.write_text(json.dumps(record, indent=1) + "\n")


def summary(races: Sequence[Race]) -> dict[str, Any]:
    """Part → what its races say; and what failed, with the reason."""
    parts: dict[str, list[Race]] = defaultdict(list)
    for race in races:
        if not race["failed"]:
            parts[race["part"]].append(race if race["at"] >= CPU_SINCE else _without_cpu(race))
    of = {
        "equal": equal,
        "unequal": unequal,
        "planted": planted,
        "ci": lambda races: ci(races, parts["planted"]),
        "articles": articles,
        "dose": dose,
        "replays": replays,
        "times": times,
    }
    told = {name: each(parts[name]) for name, each in of.items() if parts[name]}
    failed = [f"{race['part']}: {race['failed']}" for race in races if race["failed"]]
    return told | {"failed": failed}


def _without_cpu(race: Race) -> Race:
    pairs = [{**pair, "cpu_ratio": None, "by_state": None} for pair in race.get("pairs", ())]
    return {**race, "pairs": pairs, "ci": {**race.get("ci", {}), "cpu_ratio": None}}


def equal(races: Sequence[Race]) -> dict[str, Any]:
    """How often an interval of equals misses 1, and how wide they are: by language and noise, and
    apart where the core had another speed than in most races."""
    whole: dict[str, list[Race]] = {"all": list(races)}
    times_us = [kept.fixed_work_us(race) for race in races]
    usual_us = kept.most(times_us, one_speed)
    for race, work_us in zip(races, times_us, strict=True):
        noise = "quiet" if race["noise"] == "quiet" else "neighbour"
        usual = one_speed(usual_us, work_us)
        of_which = LANGUAGES[race["subject"]] if usual else "another speed"
        whole.setdefault(f"{of_which}, {noise}", []).append(race)
    return {name: _of_equals(whole[name]) for name in ("all", *sorted(whole.keys() - {"all"}))}


def _of_equals(races: Sequence[Race]) -> dict[str, Any]:
    found: dict[str, Any] = {"n": len(races)}
    for by in ("throughput", "cpu"):
        ratios = [ratio for race in races for pair in race["pairs"] if (ratio := _ratio(pair, by))]
        if ratios:
            found[by] = {
                "misses": _share([not each["low"] <= 1 <= each["high"] for each in ratios]),
                "error_percent": 100 * sqrt(mean(log(each["ratio"]) ** 2 for each in ratios)),
                "half_width_percent": 100 * median(_half(each) for each in ratios),
            }
    found["without_ratio"] = sum(not each["pairs"] for each in races)
    return found


def unequal(races: Sequence[Race]) -> dict[str, Any]:
    """Whether a pair's ratios differ from race to race by more than their intervals say, and
    whether the next race's ratio was predicted: of the races at the distance and speed of the cores
    that most had, and of `others` that are at least three at one.
    """
    usual, *others = kept.of_one_state(races)
    several = [_of_unequal(group) for group in others if len(group) > 2]
    return {**_of_unequal(usual), "others": several, "elsewhere": len(races) - len(usual)}


def _of_unequal(races: Sequence[Race]) -> dict[str, Any]:
    """A claimed error is the half-width over the normal quantile of six simultaneous intervals: too
    large by some percent at few degrees of freedom."""
    quantile = NormalDist().inv_cdf((1 + 0.95 ** (1 / 6)) / 2)
    lines: dict[str, list[Any]] = defaultdict(list)
    for race in races:
        for pair in race["pairs"]:
            # The one ahead stands first, and two may change places.
            given = Pair.model_validate({**pair, "equivalent": False})
            sorted_ = given if given.a < given.b else given.turned()
            lines[f"{sorted_.a} over {sorted_.b}"].append(sorted_.model_dump(mode="json"))
    found: dict[str, Any] = {"n": len(races)}
    found["core_trip_ns"], found["fixed_work_us"] = kept.state(races[0])
    for by in ("throughput", "cpu", "quiet"):
        of_pairs = {}
        for name, line in lines.items():
            ratios = [ratio for pair in line if (ratio := _ratio(pair, by))]
            if len(ratios) < 3:
                continue
            logs = [log(each["ratio"]) for each in ratios]
            errors = [_half(each) / quantile for each in ratios]
            weights = [1 / error**2 for error in errors]
            centre = sum(w * y for w, y in zip(weights, logs, strict=True)) / sum(weights)
            q = sum(w * (y - centre) ** 2 for w, y in zip(weights, logs, strict=True))
            of_pairs[name] = {
                "ratio": exp(centre),
                "sd_percent": 100 * stdev(logs),
                "claimed_percent": 100 * sqrt(mean(error**2 for error in errors)),
                "sd_over_claim": stdev(logs) / sqrt(mean(error**2 for error in errors)),
                "cochran_p": float(stats.chi2.sf(q, len(logs) - 1)),
            }
        found[by] = of_pairs
    held = [
        now["next_race"]["low"] <= then["ratio"]["ratio"] <= now["next_race"]["high"]
        for line in lines.values()
        for now, then in pairwise(line)
        if now.get("next_race")
    ]
    within = [
        before["low"] <= then["ratio"]["ratio"] <= before["high"]
        for line in lines.values()
        for now, then in pairwise(line)
        if (before := now["ratio"])["low"] and before["high"]
    ]
    return found | {"predicted": _share(held), "within_the_interval_before": _share(within)}


def planted(races: Sequence[Race]) -> dict[str, Any]:
    """Whether intervals hold the truth, and whether those told apart have the right sign."""
    held: dict[str, list[bool]] = defaultdict(list)
    told: list[bool] = []
    listed = []
    for race in races:
        for each in planted_ratios(race):
            told += [each["high"] < 1] if not each["low"] <= 1 <= each["high"] else []
            for key in ("all", race["subject"].split()[0], race["subject"].split()[1]):
                held[key].append(each["low"] <= each["truth"] <= each["high"])
            listed.append({"subject": race["subject"], **each})
    return {
        "n": len(races),
        "held": {name: _share(own) for name, own in held.items()},
        "right_sign": _share(told),
        "told_apart": _share([not each["low"] <= 1 <= each["high"] for each in listed]),
        "ratios": listed,
    }


def planted_ratios(race: Race) -> list[dict[str, float]]:
    """The measured ratio to the base of each of the four small differences, and its truth, which
    is known as well as the certain difference is: d ln truth = (k/K) (truth/R) d ln R."""
    units, names = race["units"], _in_order(race)
    ratios = dict(_ratios(race))
    certain = ratios.get((names[-1], names[0]))
    if not certain:
        return []
    of_one_unit = (1 / certain["ratio"] - 1) / units[-1]
    # Few units of a costly kind may be the same for two effects: one server, raced twice.
    once = dict(zip(units[1:-1], names[1:-1], strict=True))
    return [
        {
            "more_units": more,
            "truth": (truth := 1 / (1 + of_one_unit * more)),
            "truth_half_width": _half(certain) * more / units[-1] * truth / certain["ratio"],
            **ratio,
        }
        for more, name in once.items()
        if (ratio := ratios.get((name, names[0])))
    ]


def ci(races: Sequence[Race], planted_races: Sequence[Race]) -> dict[str, Any]:
    """How often 5 % was found, with which bias, and how often a mutant was called slower.

    The truth is that of the same work in the races of `planted`, each weighted by how well it
    knows it.
    """
    same = [
        each
        for race in planted_races
        if race["subject"] == "c arithmetic"
        for each in planted_ratios(race)
        if each["more_units"] == 48
    ]
    weights = [each["truth_half_width"] ** -2 for each in same]
    truth = float(np.average([each["truth"] for each in same], weights=weights)) if same else None
    found: dict[str, Any] = {"truth": truth}
    kinds: dict[str, list[Any]] = defaultdict(list)
    for race in races:
        key = f"planted, {race['noise']}" if race["subject"] == "planted" else "mutants"
        kinds[key].append(race["ci"])
    for key, own in sorted(kinds.items()):
        found[key] = {
            "slower": _share([each["alarm"] for each in own]),
            "median_took_s": median(each["took_s"] for each in own),
            "longest_s": max(each["took_s"] for each in own),
        }
        for by in ("ratio", "cpu_ratio") if truth and key != "mutants" else ():
            if ratios := [float(each[by]) for each in own if each[by]]:
                bias = mean(map(log, ratios)) - log(truth or 1)
                found[key][f"bias_of_{by}_percent"] = 100 * bias
    return found


def articles(races: Sequence[Race]) -> dict[str, Any]:
    """The widest interval against the reference, and the wall time, race by race."""
    return {
        subject: [
            {
                "wall_s": race["wall_s"],
                "half_width_percent": {
                    each["name"]: 100 * _half(ratio) if ratio["low"] and ratio["high"] else None
                    for each in race["entries"]
                    if (ratio := each["ratio"]) and ratio["ratio"] != 1
                },
                "letters": {each["name"]: each["letters"] for each in race["entries"]},
            }
            for race in races
            if race["subject"] == subject
        ]
        for subject in ("articles", "line-up")
    }


def dose(races: Sequence[Race]) -> dict[str, Any]:
    """By contender and dose: ratios to the first, and how warm their draws began."""
    found: dict[str, dict[str, Any]] = defaultdict(lambda: defaultdict(list))
    for race in races:
        for each in race["entries"]:
            if (ratio := each["ratio"]) and ratio["ratio"] != 1:
                warmth = each.get("warmth") or {}
                found[each["name"]][race["subject"]].append(
                    [ratio["ratio"], ratio["low"], ratio["high"], warmth.get("ratio")]
                )
    return found


def replays(races: Sequence[Race]) -> dict[str, Any]:
    """Claims by outcome, and the time of all."""
    claims: dict[str, int] = defaultdict(int)
    for race in races:
        for outcome, count in race["claims"].items():
            claims[outcome] += count
    return {"n": len(races), "claims": claims, "took_s": sum(each["took_s"] for each in races)}


def times(races: Sequence[Race]) -> dict[str, Any]:
    """Wall time and half-width, by question."""
    found: dict[str, list[Any]] = defaultdict(list)
    for race in races:
        ratios = [ratio for pair in race["pairs"] if (ratio := _ratio(pair, "throughput"))]
        halves = [100 * _half(ratio) for ratio in ratios]
        widest = max(halves, default=None)
        found[race["subject"]].append({"wall_s": race["wall_s"], "half_width_percent": widest})
    return found


def _in_order(race: Race) -> list[str | None]:
    """The names of its entries, in the order in which the contenders were typed; None: one that
    was out."""
    names = [each["name"] for each in race["entries"]]
    units = [word.rpartition(" ")[2] for word in race["words"]]
    return [next((name for name in names if name.endswith(f" {each}")), None) for each in units]


def _ratios(race: Race) -> list[tuple[tuple[str | None, str | None], dict[str, float]]]:
    both = []
    for pair in race["pairs"]:
        if ratio := _ratio(pair, "throughput"):
            turned = {
                "ratio": 1 / ratio["ratio"],
                "low": 1 / ratio["high"],
                "high": 1 / ratio["low"],
            }
            both += [((pair["a"], pair["b"]), ratio), ((pair["b"], pair["a"]), turned)]
    return both


def _ratio(pair: Mapping[str, Any], by: str) -> dict[str, float] | None:
    """Ratio, low and high; None where the pair has none of the kind, or one end only."""
    given = pair["ratio"] if by == "throughput" else pair.get("cpu_ratio")
    if by == "quiet":
        given = (pair.get("by_state") or {}).get("quiet")
    if not given or not given["low"] or not given["high"]:
        return None
    return {key: given[key] for key in ("ratio", "low", "high")}


def _half(ratio: Mapping[str, float]) -> float:
    return log(ratio["high"] / ratio["low"]) / 2


def _share(happened: Sequence[bool]) -> dict[str, Any] | None:
    return rate(sum(happened), len(happened)).model_dump() if happened else None
