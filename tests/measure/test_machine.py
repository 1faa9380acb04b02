"""Facts of the machine, and the control groups that we run in."""

import os
import platform
from pathlib import Path

import pytest

from bakeoff.measure import machine as read_machine
from bakeoff.measure.machine import counting, cpu_model, cpu_quota, parse_numbers, virtualisation
from bakeoff.model.machine import Machine

X86 = "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) @ 2.50GHz\nflags\t\t: fpu hypervisor tsc\n"
METAL = "processor\t: 0\nmodel name\t: AMD EPYC\nflags\t\t: fpu tsc\n"
ARM = "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd\n"


def test_this_machine_has_a_complete_sheet_that_reads_back() -> None:
    sheet = read_machine(engine="volley 1", bakeoff="0.1")
    assert Machine.from_json(sheet.to_json(), "here") == sheet
    assert sheet.unlike(sheet) == []
    assert sheet.cpus == os.cpu_count()
    assert sheet.memory_mib > 0
    assert (sheet.engine, sheet.bakeoff) == ("volley 1", "0.1")


@pytest.mark.parametrize(
    ("listed", "numbers"), [("0", (0,)), ("0-2,5", (0, 1, 2, 5)), ("0,4", (0, 4))]
)
def test_lists_of_processors(listed: str, numbers: tuple[int, ...]) -> None:
    assert parse_numbers(listed) == numbers


def test_the_processor_has_a_name() -> None:
    assert cpu_model(X86) == "Intel(R) Xeon(R) @ 2.50GHz"
    assert cpu_model(ARM) == platform.machine()


@pytest.mark.parametrize(
    ("cpuinfo", "vendor", "kind"),
    [
        (X86, "Amazon EC2", "virtual machine (Amazon EC2)"),
        (X86, None, "virtual machine"),
        (METAL, "Dell Inc.", "none"),
        (ARM, "Ampere", None),
    ],
)
def test_virtualisation(cpuinfo: str, vendor: str | None, kind: str | None) -> None:
    assert virtualisation(cpuinfo, vendor, None) == kind


def test_cpu_time_is_counted_where_a_group_can_be_made(tmp_path: Path) -> None:
    assert counting({"": tmp_path, "cpuacct": tmp_path}) == "cgroup-v2"
    assert counting({"cpuacct": tmp_path}) == "cgroup-v1"
    assert counting({"": tmp_path / "none"}) == "tree"
    assert counting({}) == "tree"


@pytest.mark.parametrize(
    ("text", "processors"), [("max 100000", None), ("150000 100000", 1.5), ("50000 100000", 0.5)]
)
def test_version_2_limits_by_processor(tmp_path: Path, text: str, processors: float | None) -> None:
    (tmp_path / "cgroup.procs").touch()
    (tmp_path / "cpu.max").write_text(text)
    assert cpu_quota({"": tmp_path}) == processors


@pytest.mark.parametrize(("quota", "processors"), [("-1\n", None), ("50000\n", 0.5)])
def test_version_1_has_minus_one(tmp_path: Path, quota: str, processors: float | None) -> None:
    (tmp_path / "cgroup.procs").touch()
    (tmp_path / "cpu.cfs_period_us").write_text("100000\n")
    (tmp_path / "cpu.cfs_quota_us").write_text(quota)
    assert cpu_quota({"cpu": tmp_path}) == processors


def test_the_tightest_limit_on_the_way_up_holds(tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    for folder, limit in ((inner, "max 100000"), (inner.parent, "200000 100000")):
        (folder / "cgroup.procs").touch()
        (folder / "cpu.max").write_text(limit)
    assert cpu_quota({"": inner}) == 2.0
