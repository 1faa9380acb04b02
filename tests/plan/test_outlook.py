"""What is expected of a race before it begins."""

from typing import Any

import pytest

from bakeoff.plan import BLOCK_ERROR, out_of_reach
from tests.plan.test_race import plan


def reach(block: float = BLOCK_ERROR, **options: Any) -> tuple[float, float] | None:
    found = out_of_reach(plan(["nginx", "go-nethttp"], twin=False, **options), block)
    return (found.reached, found.needed_s) if found else None


def test_a_precision_out_of_the_budgets_reach_says_what_would_reach_it() -> None:
    assert reach(precision="2%", budget=60) is None
    found = reach(precision="0.1%", budget=60)
    assert found and 0.001 < found[0] < 0.02
    assert reach(precision="0.1%", budget=1.01 * found[1]) is None
    assert reach(precision="0.1%", budget=0.99 * found[1]) is not None


def test_so_does_a_margin_and_a_fixed_time_needs_less() -> None:
    early, fixed = reach(within="0.1%", budget=60), reach(within="0.1%", duration=60)
    assert early and fixed and early[1] > 2 * fixed[1]


def test_so_does_the_factor_of_a_gate_and_the_smallest_of_all_counts() -> None:
    def missed(**options: Any) -> str | None:
        found = out_of_reach(plan(["nginx", "go-nethttp"], duration=60, **options), BLOCK_ERROR)
        return found.option if found else None

    near, far = "nginx >= 0.9999 * go-nethttp", "nginx >= 0.9 * go-nethttp"
    assert missed(gates=(far,)) is None
    assert missed(gates=("nginx >= go-nethttp",)) is None, "a question of which, not by how much"
    assert missed(gates=(far, near)) == f"--gate {near}"
    assert missed(gates=("nginx >= go-nethttp",), within="0.01%") == "--within 0.01%"


def test_on_a_noisier_machine_less_is_in_reach() -> None:
    assert reach(precision="2%", budget=60) is None
    assert reach(20 * BLOCK_ERROR, precision="2%", budget=60) is not None


@pytest.mark.parametrize("options", [{"duration": 1}, {"within": "0.01%", "load": 0.5}])
def test_where_nothing_was_requested_or_known_nothing_is_said(options: dict[str, Any]) -> None:
    assert reach(**options) is None
