"""A day made up: four servers that are better, tied, out, and differ beyond their capacity."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bakeoff.model.day import Day, DayEntry, DayLine
from bakeoff.model.finding import Finding
from bakeoff.model.pairs import LinePair, LineValue
from bakeoff.model.plan import Skipped
from bakeoff.plan import DayOptions, plan_day
from tests.judge.facts import MACHINE
from tests.plan import places

NAMES = ("ada", "bob", "cy")


def value(name: str, of: float | None, **changed: Any) -> LineValue:
    return LineValue.model_validate({"name": name, "value": of, "n": 8, **changed})


def pair(a: str, b: str, ratio: float, finding: str, **changed: Any) -> LinePair:
    usual = {"ratio": ratio, "low": ratio * 0.96, "high": ratio * 1.04, "n": 8}
    return LinePair.model_validate(
        {"a": a, "b": b, "ratio": {**usual, **changed}, "finding": finding}
    )


def line(phase: Any, figure: Any, *values: float, main: bool = True) -> DayLine:
    """Of each of `NAMES`; ada is better than cy, and in a tie with bob."""
    return DayLine(
        phase=phase,
        figure=figure,
        main=main,
        values=tuple(value(*each) for each in zip(NAMES, values, strict=True)),
        pairs=(
            pair("ada", "bob", 1.01, "tie"),
            pair("ada", "cy", 2.0, "better"),
            pair("bob", "cy", 1.98, "better"),
        ),
    )


def day(**changed: Any) -> Day:
    with TemporaryDirectory() as root:
        folder = places.catalogue(Path(root), *NAMES)
        made = plan_day(NAMES, DayOptions(seed=1), places.environment(folder, Path(root)))
    died = Finding.of("out_of_phase", n=8, reason="it died: killed by signal 9")
    late = Finding.of("answers_late", level=3.0, held=0.97, p50_us=840_000.0)
    refuses = Finding.of("refuses", level=3.0, held=0.61, kinds=["connect_refused"], shares=[0.2])
    usual: dict[str, Any] = {
        "plan": made,
        "complete": True,
        "rounds": 8,
        "lasted_s": 345.0,
        "entries": (
            DayEntry(name="ada", title="ada", version="1", rounds=8, beyond=(late,)),
            DayEntry(
                name="bob",
                title="bob",
                version="2",
                rounds=8,
                beyond=(refuses,),
                warnings=(Finding.of("not_recovered", n=6),),
                errors={"load_300": {"connect_refused": 12_000, "reset": 2400}},
            ),
            DayEntry(
                name="cy",
                title="cy",
                version="",
                rounds=8,
                beyond=(Finding.of("times_out", level=3.0, held=0.7, share=0.12),),
                warnings=(Finding.of("died_in_phase", phase="storm", n=8, how="killed"),),
            ),
        ),
        "lines": (
            line("start", "time_ms", 3.1, 3.13, 6.2),
            line("rest", "cpu_ms_per_s", 0.1, 0.1, 4.2),
            line("peak", "requests_per_s", 48_000.0, 47_500.0, 24_000.0),
            line("load_10", "p50_us", 90.0, 91.0, 180.0, main=False),
            line("load_10", "p99_us", 310.0, 313.0, 620.0),
            line("load_300", "kept", 0.97, 0.96, 0.48),
            DayLine(
                phase="recovery",
                figure="time_ms",
                main=True,
                values=(value("ada", 55.0), value("bob", 62.0), value("cy", 410.0)),
                pairs=(
                    pair("ada", "bob", 1.13, "can't tell", low=0.6, high=2.1),
                    pair("cy", "ada", 0.13, "worse"),
                ),
            ),
            DayLine(
                phase="storm",
                figure="time_ms",
                main=True,
                values=(value("ada", 130.0), value("bob", 150.0), value("cy", None, n=0, why=died)),
                pairs=(pair("ada", "bob", 1.15, "better"),),
            ),
        ),
        "warnings": (Finding.of("no_energy"),),
        "skipped": (Skipped(name="dan", reason="needs go"),),
        "machine": MACHINE,
    }
    return Day.model_validate({**usual, **changed})
