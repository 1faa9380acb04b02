"""Which cores the servers and the generator get."""

import pytest

from bakeoff.model.errors import BadUsage
from bakeoff.plan import default_cores, parse_cores


@pytest.mark.parametrize(
    ("text", "server", "client"),
    [
        ("server=0,client=1", (0,), (1,)),
        ("client=3,server=0-2", (0, 1, 2), (3,)),
        ("server=0,2,client=1,3", (0, 2), (1, 3)),
        ("server=0,client=0", (0,), (0,)),
    ],
)
def test_cores_are_lists_and_ranges(
    text: str, server: tuple[int, ...], client: tuple[int, ...]
) -> None:
    cores = parse_cores(text, [0, 1, 2, 3])
    assert (cores.server, cores.client) == (server, client)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("server=0,client=2", "there is no core 2 here; there are 0, 1"),
        ("server=0", "says nothing of client"),
        ("0,1", "it takes server=0,client=1"),
        ("server=x,client=1", "`x` is no core"),
        ("server=1-0,client=1", "`1-0` is no range"),
        ("server=-1,client=1", "`-1` is no core"),
        ("servers=0,client=1", "`servers` can't stand there"),
        ("server=0,server=1", "`server` can't stand there"),
        ("", "it takes server=0,client=1"),
    ],
)
def test_other_words_are_refused(text: str, says: str) -> None:
    with pytest.raises(BadUsage) as caught:
        parse_cores(text, [0, 1])
    assert says in str(caught.value)


def test_the_default_is_one_core_each_as_far_apart_as_there_are() -> None:
    assert default_cores([0, 1, 2, 3]).server == (0,)
    assert default_cores([0, 1, 2, 3]).client == (3,)
    assert not default_cores([0, 1]).shared
    assert default_cores([5]).shared
