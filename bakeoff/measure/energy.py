"""The energy that the processors have used, where they count it (RAPL)."""

from pathlib import Path

_POWERCAP = Path("/sys/class/powercap")


def read_energy_uj(powercap: Path = _POWERCAP) -> int | None:
    """What all packages have used since some moment, µJ; None: not counted, or not for us to read.

    A counter begins anew after minutes at full power: a difference below zero says nothing.
    """
    try:
        # `intel-rapl:0` is a package (AMD's too); `intel-rapl:0:1` is a part of it.
        packages = [
            path
            for path in powercap.glob("intel-rapl:*")
            if path.name.count(":") == 1 and (path / "name").read_text().startswith("package")
        ]
        return sum(int((path / "energy_uj").read_text()) for path in packages) if packages else None
    except (OSError, ValueError):
        return None
