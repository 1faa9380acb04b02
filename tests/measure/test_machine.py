"""Facts of the machine."""

import os

import pytest

from bakeoff.measure import facts, machine, read_cores, read_pressure_cpu_us
from bakeoff.model.machine import Machine

X86 = "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) @ 2.50GHz\nflags\t\t: fpu hypervisor tsc\n"
METAL = "processor\t: 0\nmodel name\t: AMD EPYC\nflags\t\t: fpu tsc\n"
ARM = "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd\n"


def test_this_machine_has_a_complete_sheet_that_reads_back() -> None:
    sheet = machine(engine="volley 1", bakeoff="0.1")
    assert Machine.from_json(sheet.to_json(), "here") == sheet
    assert sheet.unlike(sheet) == []
    assert sheet.cpus == os.cpu_count()
    assert sheet.memory_mib > 0
    assert (sheet.engine, sheet.bakeoff) == ("volley 1", "0.1")


def test_the_cores_of_this_machine_are_read_in_order() -> None:
    numbers = [core.cpu for core in read_cores()]
    assert numbers
    assert numbers == sorted(numbers)


def test_pressure_only_grows() -> None:
    before, after = read_pressure_cpu_us(), read_pressure_cpu_us()
    if before is None or after is None:
        pytest.skip("this kernel doesn't tell its pressure")
    assert after >= before


@pytest.mark.parametrize(
    ("listed", "numbers"), [("0", (0,)), ("0-2,5", (0, 1, 2, 5)), ("0,4", (0, 4))]
)
def test_lists_of_processors(listed: str, numbers: tuple[int, ...]) -> None:
    assert facts.parse_numbers(listed) == numbers


def test_the_processor_has_a_name() -> None:
    assert facts.cpu_model(X86) == "Intel(R) Xeon(R) @ 2.50GHz"
    assert facts.cpu_model(ARM)


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
    assert facts.virtualisation(cpuinfo, vendor, None) == kind
