"""Outputs that were cut off or garbled: read rightly, or refused, and nothing else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.load.tools import ab
from bakeoff.load.tools.output import Unreadable
from bakeoff.model.load import LoadResult
from tests.load.tools.samples import OUTPUTS, load
from tests.load.tools.test_outputs import PARSERS, tool_of

PRINTED = {path.stem: path.read_text() for path in sorted(OUTPUTS.glob("*.txt"))}
SPEC = load(url="http://127.0.0.1:18395/")

names = st.sampled_from(sorted(PRINTED))
parsers = st.sampled_from(sorted(PARSERS))


def read(tool: str, output: str) -> LoadResult | None:
    try:
        return PARSERS[tool](output, SPEC)
    except Unreadable as error:
        assert str(error).startswith(f"{tool}'s output can't be read: ")
        return None


@given(name=names, data=st.data())
def test_a_cut_output_says_what_the_whole_does(name: str, data: st.DataObject) -> None:
    output, tool = PRINTED[name], tool_of(name)
    cut = read(tool, output[: data.draw(st.integers(0, len(output)))])
    whole = read(tool, output)
    if cut is None:
        return
    assert whole is not None
    # ab's tables come last, and its head is all that some people publish.
    unsaid = {"latency_us": None}
    assert cut == whole or cut.latency_us is None or cut.latency_us.p99 is None
    assert cut.model_copy(update=unsaid) == whole.model_copy(update=unsaid)


@settings(max_examples=60)
@given(name=names, tool=parsers, data=st.data())
def test_a_garbled_output_is_read_or_refused(name: str, tool: str, data: st.DataObject) -> None:
    output = PRINTED[name]
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(output)))
        gone = data.draw(st.integers(0, 30))
        output = output[:at] + data.draw(st.text(max_size=20)) + output[at + gone :]
    result = read(tool, output)
    assert result is None or LoadResult.from_json(result.to_json(), "itself") == result


@given(tool=parsers, name=names, digits=st.integers(1, 5000), at=st.integers(0, 200))
def test_endless_figures_are_read_or_refused(tool: str, name: str, digits: int, at: int) -> None:
    output = PRINTED[name]
    places = [place for place, letter in enumerate(output) if letter.isdigit()]
    if places:
        place = places[at % len(places)]
        output = output[:place] + "9" * digits + output[place:]
    read(tool, output)


@given(tool=parsers, output=st.text() | st.sampled_from(["", "\n", "{}", "{", "[]", "null"]))
def test_what_is_no_output_at_all_is_refused(tool: str, output: str) -> None:
    assert read(tool, output) is None


@pytest.mark.parametrize(
    ("output", "why"), [("", "no output"), ("Copyright 1996\n\n", "only its banner")]
)
def test_an_output_that_says_nothing(output: str, why: str) -> None:
    with pytest.raises(Unreadable, match=f"ab's output can't be read: {why}"):
        ab.parse(output, SPEC)
