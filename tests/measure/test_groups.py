"""The control groups that we run in."""

from pathlib import Path

import pytest

from bakeoff.measure.groups import counting, cpu_quota, parse_cpu_max, parse_own_groups

HYBRID = """\
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
"""


def test_each_controller_has_its_folder() -> None:
    groups = parse_own_groups(HYBRID, "2:cpu,cpuacct:/batch\n0::/mine\n")
    assert groups == {
        "cpu": Path("/sys/fs/cgroup/cpu,cpuacct/batch"),
        "cpuacct": Path("/sys/fs/cgroup/cpu,cpuacct/batch"),
        "": Path("/sys/fs/cgroup/unified/mine"),
    }


def test_cpu_time_is_counted_where_a_group_can_be_made(tmp_path: Path) -> None:
    assert counting({"": tmp_path, "cpuacct": tmp_path}) == "cgroup-v2"
    assert counting({"cpuacct": tmp_path}) == "cgroup-v1"
    assert counting({"": tmp_path / "none"}) == "tree"
    assert counting({}) == "tree"


@pytest.mark.parametrize(
    ("text", "processors"), [("max 100000", None), ("150000 100000", 1.5), ("50000 100000", 0.5)]
)
def test_cpu_max_is_in_processors(text: str, processors: float | None) -> None:
    assert parse_cpu_max(text) == processors


def test_the_tightest_limit_on_the_way_up_holds(tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    for folder, limit in ((inner, "max 100000"), (inner.parent, "200000 100000")):
        (folder / "cgroup.procs").touch()
        (folder / "cpu.max").write_text(limit)
    assert cpu_quota({"": inner}) == 2.0


def test_version_1_says_minus_one_for_no_limit(tmp_path: Path) -> None:
    (tmp_path / "cgroup.procs").touch()
    (tmp_path / "cpu.cfs_period_us").write_text("100000\n")
    (tmp_path / "cpu.cfs_quota_us").write_text("-1\n")
    assert cpu_quota({"cpu": tmp_path}) is None
    (tmp_path / "cpu.cfs_quota_us").write_text("50000\n")
    assert cpu_quota({"cpu": tmp_path}) == 0.5
