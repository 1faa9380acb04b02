"""The real stages: real servers, the real engine, the real clock."""

import time

import bakeoff
from bakeoff.cli.building import build_for_race
from bakeoff.load import Engine, engine_version, tools
from bakeoff.measure import (
    CpuReader,
    machine,
    process_tree,
    read_cores,
    read_memory,
    read_places,
    read_pressure_cpu_us,
    read_tasks,
    read_tcp,
    read_written,
)
from bakeoff.model.machine import Machine
from bakeoff.race import Stages
from bakeoff.report import write, write_grid, write_replay
from bakeoff.start import Keeper, attach
from bakeoff.verify import answers, audit, verify

SETTLE_S = 0.3
"""Time for servers to come to rest before their idle memory is read."""


def real_stages() -> Stages:
    """All effects of a race."""
    return Stages(
        build=build_for_race,
        servers=Keeper,
        attach=attach,
        answers=answers,
        verify=verify,
        audit=audit,
        load=Engine,
        cpu=CpuReader,
        process_tree=process_tree,
        memory=read_memory,
        tasks=read_tasks,
        places=read_places,
        written=read_written,
        tcp=read_tcp,
        cores=read_cores,
        pressure_cpu_us=read_pressure_cpu_us,
        machine=_machine,
        now_ns=time.monotonic_ns,
        settle=lambda: time.sleep(SETTLE_S),
        tool=tools.run,
        tool_missing=tools.missing,
        write_report=write,
        write_replay=write_replay,
        write_grid=write_grid,
    )


def _machine() -> Machine:
    return machine(engine=engine_version(), bakeoff=bakeoff.__version__)
