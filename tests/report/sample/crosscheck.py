"""A crosscheck made up: tools that agree, differ, can't be told apart, fail, and were skipped."""

from typing import Any

from bakeoff.model.crosscheck import FIGURES, Compared, Crosscheck, Loading
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Skipped
from bakeoff.model.ratio import Ratio
from tests.judge.facts import MACHINE
from tests.runs.test_crosscheck import plan


def loading(loader: Any, factor: float = 1.0, **changed: Any) -> Loading:
    usual = (48_000.0, 1230.0, 2440.0, 9120.0)
    return Loading.model_validate(
        {
            "loader": loader,
            "command": (loader,),
            "http": "1.1",
            "n": 10,
            "figures": {key: each * factor for key, each in zip(FIGURES, usual, strict=True)},
            "failures": (),
            "errors": {},
            **changed,
        }
    )


def compared(of: Any, over: Any, **changed: Any) -> Compared:
    usual = {"ratio": Ratio(ratio=1.01, low=0.97, high=1.05, n=10), "finding": "agrees"}
    return Compared.model_validate(
        {"figure": "requests_per_s", "of": of, "over": over, **usual, **changed}
    )


def crosscheck(**changed: Any) -> Crosscheck:
    half = Ratio(ratio=0.5, low=0.48, high=0.52, n=10)
    apart = {"ratio": half, "finding": "differs"}
    double = Ratio(ratio=2.31, low=2.1, high=2.55, n=10)
    higher = {"ratio": double, "finding": "differs", "why": Finding.of("text", text="it corrects")}
    below = Ratio(ratio=1.35, low=None, high=1.35, n=10)
    nothing = {
        "ratio": below,
        "finding": "can't tell",
        "why": Finding.of("text", text="ab prints no finer than 1 ms"),
    }
    usual: dict[str, Any] = {
        "plan": plan(),
        "complete": True,
        "loadings": (
            loading("engine", busy=0.61, packets_per_answer=2.0, dropped=0),
            loading("wrk", busy=0.98, packets_per_answer=2.04, dropped=3),
            loading("ab", 0.5, http="1.0", figures={"requests_per_s": 24_000.0, "p50": 0.0}),
            loading("volley-ab", 0.5, http="1.0", errors={"status": 12_000, "read": 1}),
            loading("hey", n=0, figures={}, failures=("hey was ended by SIGKILL",)),
        ),
        "skipped": (
            Skipped(name="oha", reason="oha is not installed: cargo install oha"),
            Skipped(name="wrk2", reason="wrk2 needs a rate"),
            Skipped(name="volley-wrk2", reason="wrk2 needs a rate"),
        ),
        "compared": (
            *(compared("wrk", "engine", figure=figure) for figure in FIGURES[:3]),
            compared("wrk", "engine", figure="p99", **higher),
            compared("ab", "engine", **apart),
            *(compared("ab", "engine", figure=figure, **nothing) for figure in FIGURES[1:]),
            *(compared("volley-ab", "ab", figure=figure) for figure in FIGURES),
        ),
        "runs": (),
        "machine": MACHINE,
    }
    return Crosscheck.model_validate(usual | changed)
