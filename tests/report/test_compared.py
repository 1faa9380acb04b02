"""Two runs compared, in a terminal."""

import io
from typing import Any

import pytest
from rich.console import Console

from bakeoff.model.compare import RunChange, RunFacts, RunFigures, RunsComparison
from bakeoff.report import Compared
from tests.report.golden import same_as_golden
from tests.report.test_terminal import without_trailing_spaces


def figures(**changed: Any) -> RunFigures:
    usual = {
        "version": "1.0",
        "requests_per_s": 48_356.0,
        "ratio": 0.581,
        "low": 0.575,
        "high": 0.587,
        "n": 480,
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
            "after": figures(ratio=0.581 * ratio, requests_per_s=61_000.0),
            "ratio": ratio,
            "low": ratio - half,
            "high": ratio + half,
            "finding": finding,
            "minimum_detectable_effect": 0.021,
            **more,
        }
    )


def compared(**changed: Any) -> RunsComparison:
    nothing = {"ratio": None, "low": None, "high": None, "n": 0}
    usual: dict[str, Any] = {
        "before": facts("monday"),
        "after": facts("tuesday"),
        "workload": "hello",
        "ranked_by": "requests_per_s",
        "reference": "nginx",
        "changes": (
            RunChange(
                name="nginx", before=figures(**nothing), after=figures(**nothing), reason="it"
            ),
            change("go-nethttp", 0.951, 0.012, "slower", after=figures(version="1.1")),
            change("node-http", 1.004, 0.014, "can't tell"),
        ),
        "only_before": ("gunicorn",),
        "warnings": ("nginx, the reference, has other sources",),
    }
    return RunsComparison.model_validate(usual | changed)


def printed(found: RunsComparison, width: int = 120) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(Compared(found))
    return without_trailing_spaces(out.getvalue())


@pytest.mark.parametrize("width", [80, 120])
def test_as_it_is_piped(width: int) -> None:
    same_as_golden(f"compare-{width}.txt", printed(compared(), width))


@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_no_width_cuts_a_figure(width: int) -> None:
    text = printed(compared(), width)
    assert all(len(line) <= width for line in text.splitlines())
    for figure in ("0.951× (0.939 to 0.963)", "48,356", "61,000", "20.3 µs", "14.2 MiB"):
        assert figure in text


def test_a_change_is_said_with_its_interval_and_a_tie_with_what_would_have_been_seen() -> None:
    text = printed(compared(), 200)
    assert (
        "go-nethttp became slower: its ratio to nginx is 0.951 times what it was (0.939 to 0.963)."
    ) in text
    assert (
        "Can't tell whether node-http changed: its ratio to nginx is 1.004 times what it was"
        " (0.990 to 1.018); 2.1 % would have been seen."
    ) in text


def test_unlike_machines_are_said_in_every_line() -> None:
    text = printed(compared(unlike=("kernel: 6.1 and 6.2", "cpus: 2 and 8")), 300)
    lines = [line for line in text.splitlines() if "go-nethttp" in line or "node-http" in line]
    said = [line for line in lines if "version" not in line]
    assert len(said) == 4
    assert all("unlike machines" in line for line in said)
    assert "(unlike machines: kernel and cpus differ)." in text


def test_without_a_finding_the_reason_is_said() -> None:
    alone = RunChange(name="a", before=figures(), after=figures(), reason="only it is left")
    assert "a: only it is left." in printed(compared(reference=None, changes=(alone,)))
