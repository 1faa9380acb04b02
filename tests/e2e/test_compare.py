"""`bakeoff compare` with runs of real servers, one of which became slower."""

import pytest

from bakeoff.model.compare import RunsComparison
from tests.e2e.conftest import QUICK, Place

pytestmark = pytest.mark.e2e


def busy(place: Place, loops: int) -> str:
    """A server that counts to `loops` for each request."""
    command = place.server("busy")
    file = place.path / "busy.py"
    work = f"        for request in whole:\n            for _ in range({loops}): pass\n"
    text = file.read_text().replace("        for request in whole:\n", work)
    file.write_text(text)
    return command


@pytest.mark.slow
@pytest.mark.alone
def test_what_became_slower_is_found_and_gated(place: Place) -> None:
    plain, slow = place.server("plain"), busy(place, 500)
    for loops in (500, 10_000):
        busy(place, loops)
        raced = place.bakeoff("race", plain, slow, "-d", "2", *QUICK, "--out", f"runs-{loops}")
        assert raced.status == 0, raced.err
    compare = ("compare", "runs-500/latest", "runs-10000/latest", "--json", "comparison.json")
    compared = place.bakeoff(*compare)
    assert compared.status == 0, compared.err
    comparison = RunsComparison.read_json(place.path / "comparison.json")
    (change,) = [each for each in comparison.changes if each.name == slow]
    assert change.finding == "slower"
    # An interval holds its own estimate: nobody can tell on which side of it the truth is.
    gate = ("--gate", f'"{slow}" >= {change.ratio:.6f}')
    for policy, status in (("pass", 0), ("fail", 1)):
        gated = place.bakeoff(*compare, *gate, "--cant-tell", policy)
        assert gated.status == status, gated.err
        assert f"by --cant-tell {policy}" in " ".join(gated.out.split())
