"""A server that pauses, raced against a copy of it that does not."""

import pytest

from bakeoff.model.verdict import Verdict
from tests.brick.conftest import program
from tests.e2e.conftest import QUICK, Place

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.alone]


@pytest.mark.parametrize(
    "pauses",
    ["--stall 10ms --every 100ms", "--stall 3ms --every 10ms", "--stall 200ms --every 2s"],
)
def test_what_pauses_take_is_in_the_mean_ratio_or_in_a_finding(place: Place, pauses: str) -> None:
    """Planted are 10, 30 and 10 %. No bound is a speed's: the mean ratio, or what was found."""
    (place.path / "yardstick").symlink_to(program("brick-yardstick"))
    server = "./yardstick --port {port} --loops 8000"
    words = [f"steady={server}", f"pausing={server} {pauses}", *QUICK, "-d", "12"]
    ended = place.bakeoff("race", *words, "--no-twin", "--json", "verdict.json")
    assert ended.status == 0, ended.err
    verdict = Verdict.read_json(place.path / "verdict.json")
    pair, pausing = verdict.pair("pausing", "steady"), verdict.entry("pausing")
    assert pair and pausing and pair.mean_ratio
    costs = [each for each in pausing.warnings if each.code in ("pauses_cost", "stood_still")]
    assert pair.mean_ratio.ratio < 0.97 or costs
