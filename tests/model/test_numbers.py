"""The long text that nobody has to keep."""

import subprocess

import pytest

from bakeoff.model.errors import BadFile
from bakeoff.model.fields import numbers
from bakeoff.model.workload import Workload


@pytest.mark.parametrize("length", [1, 2, 1024, 1048576])
def test_it_is_what_seq_prints(length: int) -> None:
    made = subprocess.run(
        ["sh", "-c", f"seq 1 1000000 | head -c {length}"],
        capture_output=True,
        check=True,
        timeout=20,
    )
    assert numbers(length) == made.stdout


def test_a_body_is_so_many_bytes_of_it_and_posted() -> None:
    workload = Workload.checked({"name": "a", "request": {"body_bytes": 20}}, "a.toml")
    assert workload.request.method == "POST"
    assert workload.body(workload.request) == b"1\n2\n3\n4\n5\n6\n7\n8\n9\n10"[:20]


@pytest.mark.parametrize("name", ["../a", ".a", "", "a/b"])
def test_a_file_stays_in_its_folder(name: str) -> None:
    with pytest.raises(BadFile, match="static_files"):
        Workload.checked({"name": "a", "static_files": {name: 5}}, "a.toml")
