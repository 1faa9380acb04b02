"""Waiting for what another thread or process does, by a clock that no test moves."""

from collections.abc import Callable
from time import perf_counter, sleep


def wait_for(
    condition: Callable[[], object], within_s: float = 60, what: Callable[[], object] = str
) -> None:
    """Wait until a condition holds; `what` says how it is where it doesn't."""
    until_s = perf_counter() + within_s
    while not condition():
        assert perf_counter() < until_s, f"not so within {within_s:g} s {what()}"
        sleep(0.01)
