"""`import bakeoff` is cheap, typed and complete."""

import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import bakeoff
from bakeoff.cli.app import COMMANDS
from bakeoff.plan import (
    CapacityOptions,
    DayOptions,
    Options,
    RaceOptions,
    ReplayOptions,
)
from bakeoff.plan.crosscheck import CrosscheckOptions
from bakeoff.plan.draws import DrawsOptions

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
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
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


def test_the_judge_leaves_out_what_takes_a_second_to_import() -> None:
    """A race imports it before its warm-up, on the cores that it measures."""
    assert (
        in_a_new_process("import sys, bakeoff.judge; print('scipy.stats' in sys.modules)")
        == "False\n"
    )


def test_every_public_name_is_there_and_documented() -> None:
    for name in bakeoff.__all__:
        assert name in dir(bakeoff)
        assert inspect.getdoc(getattr(bakeoff, name))
    with pytest.raises(AttributeError, match="no attribute 'rase'"):
        getattr(bakeoff, NO_NAME)
    assert (Path(bakeoff.__file__).parent / "py.typed").exists()


@pytest.mark.parametrize("command", OPTIONS)
def test_a_function_takes_every_option_with_its_default(command: str) -> None:
    given = defaults_of(getattr(bakeoff, command))
    for name, field in OPTIONS[command].model_fields.items():
        assert given[name] in (None, (), inspect.Parameter.empty, field.default), name


@pytest.mark.parametrize("command", OPTIONS)
def test_a_command_has_a_flag_for_every_option(command: str) -> None:
    fields = set(OPTIONS[command].model_fields)
    assert fields - set(OPTIONS[command].flags()) <= {"connection"}
    module = import_module(f"bakeoff.cli.{COMMANDS[command][0]}")
    assert fields - {"connection"} <= set(defaults_of(getattr(module, command)))


def defaults_of(function: Any) -> dict[str, object]:
    return {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
    }
