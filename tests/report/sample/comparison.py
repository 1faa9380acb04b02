"""Two runs compared, made up: one contender became slower, of one nobody can tell."""

from typing import Any

from bakeoff.model.compare import RunChange, RunFacts, RunFigures, RunsComparison
from bakeoff.model.finding import Finding
from bakeoff.model.ratio import Ratio


def figures(**changed: Any) -> RunFigures:
    usual = {
        "version": "1.0",
        "requests_per_s": 48_356.0,
        "ratio": Ratio(ratio=0.581, low=0.575, high=0.587, n=480),
        "server_cpu_us_per_request": 20.3,
        "memory_mib": 14.2,
        "p99_us": 9_120.0,
    }
    return RunFigures.model_validate(usual | changed)


def facts(run: str) -> RunFacts:
    return RunFacts(
        run=run,
        taken_at="2026-11-21T20:43:16Z",
        cpu_model="Some CPU",
        kernel="6.1",
        bakeoff="0.1.0",
        engine="0.1.0",
    )


def change(name: str, ratio: float, half: float, finding: str, **more: Any) -> RunChange:
    return RunChange.model_validate(
        {
            "name": name,
            "before": figures(),
            "after": figures(
                ratio=Ratio(ratio=0.581 * ratio, low=0.575, high=0.587, n=480),
                requests_per_s=61_000.0,
            ),
            "ratio": Ratio(ratio=ratio, low=ratio - half, high=ratio + half, n=480),
            "finding": finding,
            "minimum_detectable_effect": 0.021,
            **more,
        }
    )


def compared(**changed: Any) -> RunsComparison:
    nothing = {"ratio": None}
    usual: dict[str, Any] = {
        "before": facts("monday"),
        "after": facts("tuesday"),
        "workload": "hello",
        "ranked_by": "requests_per_s",
        "reference": "nginx",
        "changes": (
            RunChange(
                name="nginx",
                before=figures(**nothing),
                after=figures(**nothing),
                reason=Finding.of("text", text="it"),
            ),
            change("go-nethttp", 0.951, 0.012, "slower", after=figures(version="1.1")),
            change("node-http", 1.004, 0.014, "can't tell"),
        ),
        "only_before": ("gunicorn",),
        "warnings": (Finding.of("text", text="nginx, the reference, has other sources"),),
    }
    return RunsComparison.model_validate(usual | changed)
