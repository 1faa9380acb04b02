"""`import bakeoff` is cheap, typed and complete."""

import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import bakeoff
from bakeoff.plan import CapacityOptions, DayOptions, Options, RaceOptions, ReplayOptions
from bakeoff.plan.crosscheck import CrosscheckOptions
from bakeoff.plan.draws import DrawsOptions

ROOT = Path(__file__).parents[2]
LARGE = ["scipy", "pandas", "polars", "pyarrow", "altair", "matplotlib"]
"""Each takes more than a tenth of what an installation may."""
NO_NAME = "rase"
OPTIONS: dict[str, type[Options]] = {
    "race": RaceOptions,
    "capacity": CapacityOptions,
    "replay": ReplayOptions,
    "crosscheck": CrosscheckOptions,
    "day": DayOptions,
    "draws": DrawsOptions,
}


def in_a_new_process(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout


def test_importing_it_loads_nothing_but_itself_in_less_than_a_tenth_of_a_second_of_cpu() -> None:
    program = (
        "import sys, time; before = set(sys.modules); began_s = time.process_time(); "
        "import bakeoff; print(time.process_time() - began_s, "
        "*{name.partition('.')[0] for name in set(sys.modules) - before} - sys.stdlib_module_names)"
    )
    seconds, *modules = in_a_new_process(program).split()
    assert modules == ["bakeoff"]
    assert float(seconds) < 0.1


def test_a_race_and_its_reports_need_no_more_than_what_is_installed_with_it(tmp_path: Path) -> None:
    """What an installation may lack is refused here, as if it were not installed."""
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert not [need for need in needed if re.match("[a-z0-9]+", need)[0] in LARGE]  # type: ignore[index]
    program = (
        f"import sys; sys.modules.update(dict.fromkeys({LARGE}))\n"
        "from pathlib import Path\n"
        "from tests.runs.conftest import measure\n"
        "from tests.runs.world import World\n"
        f"of = measure.__wrapped__(Path({str(tmp_path)!r}))\n"
        "run = of.race(World({'fast': 2e5, 'slow': 1e5}), 'fast', 'slow', confirm=True)\n"
        "assert run.report_path.is_file()\n"
        "import bakeoff.history, bakeoff.simulate, bakeoff.traffic\n"
        "print(run.result.pairs[0].finding)"
    )
    assert in_a_new_process(program) == "faster\n"


def test_every_public_name_is_there_and_documented() -> None:
    for name in bakeoff.__all__:
        assert name in dir(bakeoff)
        assert inspect.getdoc(getattr(bakeoff, name))
    with pytest.raises(AttributeError, match="no attribute 'rase'"):
        getattr(bakeoff, NO_NAME)
    assert (Path(bakeoff.__file__).parent / "py.typed").exists()


@pytest.mark.parametrize("command", OPTIONS)
def test_a_function_takes_the_options_that_are_declared_and_lists_them(command: str) -> None:
    function = getattr(bakeoff, command)
    (keywords,) = get_args(get_type_hints(function)["options"])
    assert keywords.__annotations__.keys() == OPTIONS[command].model_fields.keys()
    required = {name for name, of in OPTIONS[command].model_fields.items() if of.is_required()}
    assert keywords.__required_keys__ == required
    for name in OPTIONS[command].model_fields:
        assert f"\n    {name}: " in function.__doc__
