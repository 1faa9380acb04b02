"""Gates and `compare` with real servers: one race for all, as starts are dear.

`--confirm` starts each server ten times: tests/race/test_confirm.py has it without."""

import pytest

from bakeoff.model.compare import RunsComparison
from bakeoff.model.verdict import Verdict
from tests.e2e.conftest import Place

pytestmark = pytest.mark.e2e
QUICK = ("-c", "8", "--boots", "1", "--no-twin", "--warm-up", "1s")


def busy(place: Place, loops: int) -> str:
    """A server that counts to `loops` for each request."""
    command = place.server("busy")
    file = place.path / "busy.py"
    work = f"        for request in whole:\n            for _ in range({loops}): pass\n"
    text = file.read_text().replace("        for request in whole:\n", work)
    file.write_text(text)
    return command


def test_gates_a_confirmation_and_a_comparison(place: Place) -> None:
    plain, slow = place.server("plain"), busy(place, 500)
    one, other = f'"{plain}"', f'"{slow}"'
    raced = place.bakeoff(
        "race", plain, slow, "-d", "4", *QUICK, "--json", "first.json",
        "--gate", f"{one} > 1.2 * {other}", "--gate", f"{other} >= 98% * {one}",
        timeout_s=300,
    )  # fmt: skip
    assert raced.status == 1, raced.err
    verdict = Verdict.read_json(place.path / "first.json")
    assert [gate.outcome for gate in verdict.gates] == ["holds", "fails"]
    again = place.bakeoff("report", "runs/latest", "--json", "again.json")
    assert again.status == 1, again.err
    assert Verdict.read_json(place.path / "again.json") == verdict
    first = (place.path / "runs" / "latest").resolve()

    busy(place, 10_000)
    second = place.bakeoff("race", plain, slow, "-d", "3", *QUICK)
    assert second.status == 0, second.err
    compare = ("compare", str(first), "runs/latest", "--json", "found.json")
    compared = place.bakeoff(*compare)
    assert compared.status == 0, compared.err
    found = RunsComparison.read_json(place.path / "found.json")
    (change,) = [each for each in found.changes if each.name == slow]
    assert change.finding == "slower"
    # An interval holds its own estimate: nobody can tell on which side of it the truth is.
    gate = ("--gate", f"{other} >= {change.ratio:.6f}")
    for policy, status in (("pass", 0), ("fail", 1)):
        gated = place.bakeoff(*compare, *gate, "--cant-tell", policy)
        assert gated.status == status, gated.err
        assert f"by --cant-tell {policy}" in " ".join(gated.out.split())
