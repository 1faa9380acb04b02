"""What contender.toml says a server answers."""

import pytest

from bakeoff.model.contender import Contender
from bakeoff.model.workload import Workload

MIX = Workload.checked(
    {"name": "mix", "request": [{"name": "hello"}, {"name": "json", "path": "/j"}]}, "mix.toml"
)


def contender(**serves: str) -> Contender:
    given = {"name": "x", "title": "X", "language": "C", "kind": "server", "serves": serves}
    return Contender.checked({**given, "run": {"command": "x"}}, "contender.toml")


def test_a_workload_has_the_path_that_the_file_names() -> None:
    workload = Workload(name="hello")
    assert contender(hello="/hi").path_for(workload) == "/hi"
    assert contender(json="/").path_for(workload) == ""


@pytest.mark.parametrize(
    ("serves", "path"),
    [
        ({"hello": "/", "json": "/j", "empty": "/e"}, "/"),
        ({"hello": "/", "json": "/other"}, ""),
        ({"hello": "/"}, ""),
        ({"mix": "/"}, ""),
    ],
)
def test_a_mix_is_served_by_who_serves_all_of_its_requests(
    serves: dict[str, str], path: str
) -> None:
    assert contender(**serves).path_for(MIX) == path
