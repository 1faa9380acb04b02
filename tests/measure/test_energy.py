"""The processors' energy, from a folder like /sys/class/powercap."""

from pathlib import Path

from bakeoff.measure import read_energy_uj


def zone(powercap: Path, name: str, what: str, uj: str) -> None:
    folder = powercap / name
    folder.mkdir()
    (folder / "name").write_text(f"{what}\n")
    (folder / "energy_uj").write_text(f"{uj}\n")


def test_it_is_that_of_all_packages_without_their_parts(tmp_path: Path) -> None:
    zone(tmp_path, "intel-rapl:0", "package-0", "1000")
    zone(tmp_path, "intel-rapl:1", "package-1", "200")
    zone(tmp_path, "intel-rapl:0:0", "core", "700")
    zone(tmp_path, "intel-rapl:2", "psys", "5000")
    assert read_energy_uj(tmp_path) == 1200


def test_where_it_is_not_counted_or_makes_no_sense_it_is_unknown(tmp_path: Path) -> None:
    assert read_energy_uj(tmp_path / "nowhere") is None
    assert read_energy_uj(tmp_path) is None
    zone(tmp_path, "intel-rapl:0", "package-0", "much")
    assert read_energy_uj(tmp_path) is None
