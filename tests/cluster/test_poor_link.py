"""A race over a network that is far, and loses: the loss is named, and equals stay equal."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.machines import Machines, machines, why_not
from tests.cluster.test_race import RACE

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("cluster"), pytest.mark.slow]
POOR = ("--delay-ms", "1", "--jitter-ms", "0.1", "--loss", "0.001", "--seed", "1")


@pytest.fixture(scope="module")
def far(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    """Machines whose server is 2 ms away, and of whose frames one in a thousand is lost."""
    if reason := why_not():
        pytest.skip(reason)
    if not Path("/dev/net/tun").exists():
        pytest.skip("there is no /dev/net/tun to make a cable of")
    yield from machines(tmp_path_factory.mktemp("machines"), POOR)


def test_what_is_lost_is_named(far: Machines, place: Path) -> None:
    racing = far.bakeoff(place, *RACE, "-d", "8", "--cluster", far.address, "--json", "v")
    out, err = racing.communicate(timeout=240)
    assert racing.returncode == 0, out + err
    assert far.wait_until_nothing_is_left() < 15
    counted = far.end_poor_link()
    assert 0.0005 < counted["lost"] / counted["carried"] < 0.002
    verdict = json.loads((place / "v").read_text())
    (run,) = (each for each in (place / "runs").iterdir() if not each.is_symlink())
    (way,) = json.loads((run / "plan.json").read_text())["cluster"]["routes"]
    assert 1800 < way["rtt_us"] <= way["rtt_median_us"] < 20_000
    codes = {each["code"]: each for each in verdict["warnings"]}
    assert "segments_resent" in codes
    (pair,) = verdict["pairs"]
    # Three times as wide as its interval: chance alone is no fault.
    assert pair["low"] ** 2 / pair["high"] < 1 < pair["high"] ** 2 / pair["low"]
