"""Whatever ends a test's process, what it has left is removed."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cluster.machines import command_line, why_not
from tests.history import postgresql
from tests.waiting import wait_for

ROOT = Path(__file__).parents[1]


def killed(lines: str) -> str:
    """What lines of Python print before they are killed."""
    program = f"import os\n{lines}\n    os.kill(os.getpid(), 9)"
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False
    )
    assert ended.returncode == -signal.SIGKILL
    return ended.stdout.strip()


def test_a_script_runs_after_a_kill(tmp_path: Path) -> None:
    (tmp_path / "left").mkdir()
    killed(
        "from tests.afterwards import afterwards\n"
        f"with afterwards('rmdir \"$1\"', {str(tmp_path / 'left')!r}):"
    )
    wait_for(lambda: not (tmp_path / "left").exists(), 30)


def test_a_postgresql_ends_with_its_folder() -> None:
    if not postgresql.programs():
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    url = killed(
        "from tests.history.postgresql import a_server\n"
        "with a_server() as url:\n    print(url, flush=True)"
    )
    folder = url.partition("?host=")[2]
    assert folder.startswith("/tmp/bakeoff-pg-")
    wait_for(lambda: not Path(folder).exists(), 30)
    listed = subprocess.run(["ps", "-eo", "args"], stdout=subprocess.PIPE, text=True, check=True)
    assert folder not in listed.stdout


def test_the_database_of_races_ends_with_its_script_while_it_is_made(tmp_path: Path) -> None:
    if not postgresql.programs():
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    script = ["sh", str(ROOT / "catalogue/database/start.sh")]
    asked = {"TMPDIR": str(tmp_path), "HOST": "127.0.0.1", "PORT": "1", "ROWS": "20"}
    made = subprocess.Popen(script, env={**os.environ, **asked, "PASSWORD": "x"})
    wait_for((tmp_path / "data/PG_VERSION").exists, 30)
    made.kill()
    made.wait()
    wait_for(lambda: not working_in(tmp_path / "data"), 1, lambda: working_in(tmp_path / "data"))


def working_in(folder: Path) -> list[str]:
    """The command lines of processes whose working directory it is."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (process / "cwd").readlink() == folder:
                found.append(command_line(int(process.name)))
    return found


def test_machines_end_with_all_that_runs_there(tmp_path: Path) -> None:
    if reason := why_not():
        pytest.skip(reason)
    found = killed(
        "from pathlib import Path\n"
        "from tests.cluster import machines\n"
        "machines.BEGUN = ()\n"
        f"with machines.Machines(Path({str(tmp_path)!r})) as made:\n"
        "    there = made.call('head', ['sh', '-c', 'echo $$; exec sleep 600'])\n"
        "    print(made.space('head'), there.stdout.readline(), flush=True)"
    )
    space, pid = found.split()
    wait_for(lambda: not Path("/run/netns", space).exists(), 30)
    assert not command_line(int(pid))
