"""Which control groups are our own, on each kind of machine."""

from pathlib import Path

from bakeoff.keeper.cgroups import Base, parse_bases

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


def test_version_2_comes_first_where_both_are_mounted() -> None:
    assert parse_bases(HYBRID, HYBRID_OWN) == [
        Base("cgroup-v2", Path("/sys/fs/cgroup/unified")),
        Base("cgroup-v1", Path("/sys/fs/cgroup/cpu,cpuacct/batch/job1")),
    ]


def test_our_own_group_is_taken_not_the_root() -> None:
    scope = "user.slice/user-1000.slice/user@1000.service/app.slice/run-7.scope"
    assert parse_bases(UNIFIED, UNIFIED_OWN) == [Base("cgroup-v2", Path("/sys/fs/cgroup") / scope)]


def test_a_container_sees_its_group_as_the_mount() -> None:
    inside = UNIFIED.replace("0:26 / ", "0:26 /docker/12ab ")
    assert parse_bases(inside, "0::/docker/12ab\n")[0].path == Path("/sys/fs/cgroup")
    assert parse_bases(inside, "0::/elsewhere\n")[0].path == Path("/sys/fs/cgroup")


def test_a_mount_point_with_a_space() -> None:
    moved = UNIFIED.replace("/sys/fs/cgroup", "/my\\040groups")
    assert parse_bases(moved, "0::/\n") == [Base("cgroup-v2", Path("/my groups"))]


def test_a_machine_without_control_groups_has_none() -> None:
    assert parse_bases("23 28 0:21 / /proc rw - proc proc rw\n", "") == []
