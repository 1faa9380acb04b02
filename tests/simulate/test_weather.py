"""The simulated machine's weather is that which its conditions ask for."""

import numpy as np
import pytest

from bakeoff.simulate import USUAL
from bakeoff.simulate.weather import Weather

STEPS = 20_000


def test_speed_varies_by_drift_sd_and_forgets_it_over_drift_s() -> None:
    weather = Weather(USUAL, np.random.default_rng(1))
    speeds = []
    for _ in range(STEPS):
        weather.pass_by(USUAL.drift_s)
        speeds.append(weather.ln_speed)
    assert np.std(speeds) == pytest.approx(USUAL.drift_sd, rel=0.05)
    correlation = np.corrcoef(speeds[1:], speeds[:-1])[0, 1]
    assert correlation == pytest.approx(np.exp(-1), abs=0.03)


def test_the_host_takes_as_much_as_the_conditions_say_and_proc_stat_tells_in_ticks() -> None:
    weather = Weather(USUAL, np.random.default_rng(2))
    stolen_s = sum(weather.pass_by(0.05) for _ in range(STEPS))
    expected_s = weather.now_s * USUAL.steals_per_s * USUAL.steal_ms / 1000
    assert stolen_s == pytest.approx(expected_s, rel=0.1)
    counted_s = sum(core.steal_s for core in weather.cores())
    assert stolen_s - 0.02 <= counted_s <= stolen_s


def test_a_slice_differs_from_a_later_one_as_recorded_ones_did() -> None:
    """The shares of docs/EVIDENCE.md, the simulated machine, at the middles of their times."""
    recorded = {0.045: 0.05, 0.15: 0.09, 0.4: 0.12, 10.0: 0.19}
    for apart_s, sd in recorded.items():
        weather, differences = Weather(USUAL, np.random.default_rng(3)), []
        for _ in range(STEPS // 4):
            before = weather.ln_speed
            weather.pass_by(apart_s)
            differences.append(weather.ln_speed - before)
        whole = np.hypot(np.std(differences), np.sqrt(2) * USUAL.slice_sd)
        assert whole == pytest.approx(sd, rel=0.12)
