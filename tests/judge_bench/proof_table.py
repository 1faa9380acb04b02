"""The table of what the races of the judge's bench say, beside the goals."""

from collections.abc import Iterator, Mapping
from typing import Any

NAMES = {"throughput": "throughput", "cpu": "CPU", "quiet": "CPU at the quiet state"}
GOALS = {
    "all": "5 % missed at most",
    "C, quiet": "± 0.3 %",
    "Go, quiet": "± 0.4 %",
    "Node, quiet": "± 0.7 %",
    "±1 %": "25 s",
    "5 % apart": "12 s",
    "five, 20 s": "75 s",
    "50 ms, 6 s": "± 2 %, 25 s",
}


def table(found: Mapping[str, Any]) -> str:
    """A summary as a table of Markdown: what was measured, the goal, and what came of it."""
    rows = "".join(f"| {' | '.join(row)} |\n" for row in _rows(found))
    return f"\n| what | goal | measured |\n|---|---|---|\n{rows}\n"


def _rows(found: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for name, own in found.get("equal", {}).items():
        for by in ("throughput", "cpu"):
            if by not in own:
                continue
            error, half = (own[by][f"{each}_percent"] for each in ("error", "half_width"))
            text = f"{_of(own[by]['misses'])} missed; error {error:.2f} %, ± {half:.2f} %"
            goal = GOALS.get(name, "") if by == "throughput" else ""
            yield f"equals, {name}, by {NAMES[by]}", goal, text
    of_states = [found["unequal"], *found["unequal"]["others"]] if "unequal" in found else []
    for of_state in of_states:
        state = _state(of_state)
        for by in ("throughput", "cpu", "quiet"):
            if pairs := of_state[by]:
                worst = max(pairs, key=lambda name: pairs[name]["sd_over_claim"])
                text = f"{pairs[worst]['sd_over_claim']:.2f} ({worst}), n = {of_state['n']}{state}"
                yield f"sd between races over claim, at worst, by {NAMES[by]}", "1.2 at most", text
        if predicted := of_state["predicted"]:
            yield "next ratio is within its prediction", "90 to 98 %", f"{_of(predicted)}{state}"
    if planted_ := found.get("planted"):
        yield "planted: the interval holds the truth", "92 % at least", _of(planted_["held"]["all"])
        yield "planted: right sign of those told apart", "all", _of(planted_["right_sign"])
    for name, own in found.get("ci", {}).items():
        if isinstance(own, dict):
            text = f"{_of(own['slower'])} slower; {own['median_took_s']:.0f} s in the median"
            for by, figure in (("throughput", "ratio"), ("CPU", "cpu_ratio")):
                if (bias := own.get(f"bias_of_{figure}_percent")) is not None:
                    text += f"; by {by} {bias:+.1f} % off"
            goal = "5 of 200 at most" if name == "mutants" else "16 of 20, in 3 min"
            yield f"ci, {name}", goal, text
    for subject, races in found.get("articles", {}).items():
        for race in races:
            halves = [each for each in race["half_width_percent"].values() if each]
            most = 8.0 if subject == "articles" else 2.5
            few = sum(each <= most for each in halves)
            text = f"{few} of {len(halves)}; ± {max(halves):.1f} % at worst; {race['wall_s']:.0f} s"
            goal = "all, 240 s" if subject == "articles" else "all"
            yield f"{subject}, 60 s: ratios with ± {most:g} % at most", goal, text
    if replayed := found.get("replays"):
        decided = sum(replayed["claims"].values()) - replayed["claims"].get("can't tell", 0)
        text = f"{decided} of {sum(replayed['claims'].values())} claims, {replayed['took_s']:.0f} s"
        yield f"{replayed['n']} replays: decided", "40 of 55, 480 s, of 5", text
    for question, races in found.get("times", {}).items():
        text = "; ".join(_wall(each) for each in races)
        yield f"time of {question}", GOALS.get(question, ""), text


def _state(of_state: Mapping[str, Any]) -> str:
    """`, at 86 ns, 218 µs`: the distance and the speed of the cores, if both are known."""
    trip_ns, work_us = of_state["core_trip_ns"], of_state["fixed_work_us"]
    return f", at {trip_ns:.0f} ns, {work_us:.0f} µs" if trip_ns and work_us else ""


def _wall(race: Mapping[str, Any]) -> str:
    """`17 s, ± 1.6 %`."""
    half = race["half_width_percent"]
    return f"{race['wall_s']:.0f} s, ± {half:.2g} %" if half else f"{race['wall_s']:.0f} s"


def _of(share: Mapping[str, Any] | None) -> str:
    """`3 of 40 (2 to 20 %)`."""
    if not share:
        return "none"
    ends = f"{100 * share['low']:.0f} to {100 * share['high']:.0f} %"
    return f"{share['count']} of {share['n']} ({ends})"
