"""What is said of draws."""

from bakeoff.model.draws import Draws
from bakeoff.report.kinds.draws import document
from tests.report.render.test_terminal import printed
from tests.report.sample.draws import draws, measured, spread


def said(result: Draws) -> str:
    return " ".join(printed(document(result), 200).split())


def test_each_level_has_its_spread_its_interval_and_its_n() -> None:
    text = said(draws())
    assert "1.2 % (0.60 to 3.0 %), n = 6" in text
    assert "0.80 % (0.40 to 2.0 %), n = 18" in text
    assert "±2.0 %" in text and "±0.50 %" in text


def test_the_headline_says_how_far_apart_two_runs_are() -> None:
    # 1.96 · √2 of the errors, 0.8 % (the URL) and 2 %.
    assert said(draws()).startswith(
        "Two runs of one server over one draw each differ by up to 2.2 % (http://127.0.0.1:1/) to "
        "5.5 % (ada) though nothing has changed."
    )
    alone = draws(contenders=(measured("ada", 0.012),))
    assert said(alone).startswith("Two runs of ada over one draw each differ by up to 5.5 % though")


def test_what_limits_a_spread_is_said() -> None:
    text = said(draws())
    assert "cy: 3 rounds: too few rounds to tell a spread" in text
    assert "http://127.0.0.1:1/: it can't be started again: only its connections were drawn" in text
    assert "bob: the generator was busy 97.0 %" in text
    assert "dan: needs go" in text


def test_boots_have_the_machines_drift_in_their_spread() -> None:
    assert "a boot" not in said(draws())
    one = measured("ada", 0.01)
    more = one.model_copy(update={"spreads": (*one.spreads, spread("boot", 0.03, 3))})
    assert "Boots are compared with nothing beside them" in said(draws(contenders=(more,)))


def test_one_that_was_ended_says_so() -> None:
    assert "It was ended before its time." in said(draws(complete=False))
    few = tuple(each for each in draws().contenders if not each.spreads)
    assert said(draws(contenders=few)).startswith("No spread could be told")
