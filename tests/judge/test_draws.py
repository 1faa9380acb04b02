"""The spreads of draws: known ones are found, and their intervals hold."""

import numpy as np
import pytest

from bakeoff.judge.draws import Table, components
from bakeoff.model.draws import LevelSpread

P, SETS, ROUNDS = 6, 3, 20


def table(
    rng: np.random.Generator,
    process: float,
    connections: float,
    block: float,
    processes: int = P,
    sets: int = SETS,
) -> Table:
    """A boot with these spreads, and weather that is each set's own."""
    left = block / np.sqrt(ROUNDS)
    cells = rng.normal(0, process, (processes, 1)) + rng.normal(0, 1, (1, sets))
    cells = cells + rng.normal(0, np.hypot(connections, left), (processes, sets))
    degrees = (processes - 1) * sets * (ROUNDS - 1)
    seen = block**2 * rng.chisquare(degrees) / degrees
    return Table(cells - cells.mean(axis=0), seen, degrees, 10.0, ROUNDS)


def spreads(found: tuple[LevelSpread, ...]) -> dict[str, LevelSpread]:
    return {each.level: each for each in found}


def test_with_many_draws_each_spread_is_what_it_is() -> None:
    rng = np.random.default_rng(1)
    found = spreads(components([table(rng, 0.012, 0.006, 0.03, 400, 40)], False))
    assert found["block"].sd == pytest.approx(0.03, rel=0.03)
    assert found["connections"].sd == pytest.approx(0.006, rel=0.05)
    assert found["process"].sd == pytest.approx(0.012, rel=0.1)
    assert (found["process"].n, found["connections"].n) == (400, 16_000)
    assert (found["process"].degrees, found["connections"].degrees) == (399, 399 * 39)


def test_where_nothing_was_drawn_the_interval_reaches_zero() -> None:
    found = spreads(components([table(np.random.default_rng(2), 0, 0, 0.02)], False))
    assert found["process"].low == found["connections"].low == 0
    assert found["process"].high < 0.01


def test_rows_that_agree_by_chance_prove_no_spread_of_zero() -> None:
    cells = np.array([[0.01, -0.01, 0.0], [-0.01, 0.01, 0.0], [0.001, 0.0, 0.0]])
    found = spreads(components([Table(cells, 1e-9, 100, 10.0, ROUNDS)], False))
    assert found["process"].sd == found["process"].low == 0
    assert found["process"].high > 0


def test_connections_to_one_process_have_no_process_among_their_levels() -> None:
    rng = np.random.default_rng(3)
    found = spreads(components([table(rng, 0, 0.01, 0.02, 100, 10)], True))
    assert set(found) == {"block", "connections"}
    assert found["connections"].sd == pytest.approx(0.01, rel=0.1)
    assert found["connections"].degrees == 99 * 10


@pytest.mark.parametrize("boots", [1, 3])
@pytest.mark.parametrize(
    ("process", "connections"), [(0, 0), (0.005, 0.01), (0.02, 0.005), (0.02, 0.0), (0.0, 0.02)]
)
def test_the_intervals_hold_at_all_spreads(boots: int, process: float, connections: float) -> None:
    rng = np.random.default_rng(4)
    held = {"process": 0, "connections": 0}
    races = 150
    for _ in range(races):
        tables = [table(rng, process, connections, 0.02) for _ in range(boots)]
        found = spreads(components(tables, False))
        for level, true in (("process", process), ("connections", connections)):
            held[level] += found[level].low <= true <= found[level].high
    # 95 % less three standard errors of 150 races.
    assert min(held.values()) / races > 0.95 - 3 * 0.018
