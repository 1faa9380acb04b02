"""Debian packages, by an apt-get of the test's own."""

from pathlib import Path

import pytest

from bakeoff.build import install_packages

APT_GET = """#!/bin/sh
echo "$@ policy=$(test -e {policy} && echo there)" >> {calls}
case "$*" in
    *nosuch*) echo "Reading package lists..."; echo "E: Unable to locate package nosuch"; exit 100;;
esac
"""


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What apt-get was called with, a line for each call."""
    log, policy = tmp_path / "calls", tmp_path / "policy-rc.d"
    program = tmp_path / "bin" / "apt-get"
    program.parent.mkdir()
    program.write_text(APT_GET.format(policy=policy, calls=log))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("bakeoff.build.requirements.POLICY", policy)
    return log


def installs(calls: Path) -> list[str]:
    lines = [line for line in calls.read_text().splitlines() if " install " in line]
    return [line.partition("--no-install-recommends ")[2] for line in lines]


def test_all_are_installed_in_one_call_and_no_service_starts(calls: Path) -> None:
    assert install_packages(["one", "two"]) == {}
    assert installs(calls) == ["one two policy=there"]
    assert not (calls.parent / "policy-rc.d").exists()


def test_one_that_does_not_exist_does_not_spoil_the_others(calls: Path) -> None:
    assert install_packages(["one", "nosuch", "two"]) == {
        "nosuch": "Unable to locate package nosuch"
    }
    assert [line.split()[0] for line in installs(calls)[1:]] == ["one", "nosuch", "two"]
