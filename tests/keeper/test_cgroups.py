"""Which control groups are our own, on each kind of machine."""

from pathlib import Path

from bakeoff.keeper.cgroups import parse_groups

HYBRID = """\
23 28 0:21 / /proc rw,relatime - proc proc rw
31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
"""
HYBRID_OWN = """\
9:name=systemd:/user.slice
2:cpu,cpuacct:/batch/job1
0::/
"""
UNIFIED = """\
30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate
"""
UNIFIED_OWN = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/run-7.scope\n"


def test_each_controller_has_its_folder() -> None:
    assert parse_groups(HYBRID, HYBRID_OWN) == {
        "cpu": Path("/sys/fs/cgroup/cpu,cpuacct/batch/job1"),
        "cpuacct": Path("/sys/fs/cgroup/cpu,cpuacct/batch/job1"),
        "name=systemd": Path("/sys/fs/cgroup/systemd/user.slice"),
        "": Path("/sys/fs/cgroup/unified"),
    }


def test_our_own_group_is_taken_not_the_root() -> None:
    scope = "user.slice/user-1000.slice/user@1000.service/app.slice/run-7.scope"
    assert parse_groups(UNIFIED, UNIFIED_OWN) == {"": Path("/sys/fs/cgroup") / scope}


def test_a_container_sees_its_group_as_the_mount() -> None:
    inside = UNIFIED.replace("0:26 / ", "0:26 /docker/12ab ")
    for own in ("/docker/12ab", "/elsewhere"):
        assert parse_groups(inside, f"0::{own}\n") == {"": Path("/sys/fs/cgroup")}


def test_a_mount_point_with_a_space() -> None:
    moved = UNIFIED.replace("/sys/fs/cgroup", "/my\\040groups")
    assert parse_groups(moved, "0::/\n") == {"": Path("/my groups")}


def test_a_machine_without_control_groups_has_none() -> None:
    assert parse_groups("23 28 0:21 / /proc rw - proc proc rw\n", "") == {}
