"""Rounds of load tools: in each, every row has one run of each loader, in random order."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from bakeoff.load.tools import Asked, command
from bakeoff.model.article import Shape
from bakeoff.model.errors import BadUsage, NoVerdict
from bakeoff.model.load import Loader
from bakeoff.model.plan import Plan
from bakeoff.model.replay import ToolRun
from bakeoff.plan import ROUNDS, run_size, start_order
from bakeoff.race.folder import RunFolder, whole_lines, write_whole
from bakeoff.race.up import Running, Setting, Up

RUNS_FILE = "tool-runs.jsonl"
RUNS_IN_A_ROW = 5


def rounds(
    plan: Plan, shape: Shape, scale: float, loaders: Sequence[Loader], setting: Setting
) -> tuple[list[ToolRun], Mapping[str, str]]:
    """Ten rounds over the rows of `plan`, all of them up at once; each run is kept as it ends.

    Who could not take part is in the second value, with the reason. Raises `NoVerdict`.
    """
    names = [name for name in start_order(plan, 0) if not plan.entry(name).twin_of]
    size = run_size(shape, scale, ROUNDS)
    kept = _kept(setting.folder, "round")
    done = {(run.round, run.row, run.loader) for run in kept}
    setting.watch.step(f"{plan.run}: starting {', '.join(names)} for rounds of {shape.tool}")
    with Up(plan, 0, names, setting) as up:
        if not up.running:
            raise NoVerdict(f"nobody is left: {'; '.join(up.out.values())}")
        for number in range(ROUNDS):
            turns = [(one, loader) for one in up.running for loader in loaders]
            random.Random(f"{plan.seed}/round/{number}").shuffle(turns)
            for one, loader in turns:
                setting.watch.measured(number, ROUNDS, f"{plan.run}: {loader} on {one.entry.name}")
                if (number, one.entry.name, loader) not in done:
                    kept.append(_run(plan, shape, size, one, loader, number, "round", setting))
    return kept, up.out


def in_a_row(
    plan: Plan, shape: Shape, scale: float, loader: Loader, setting: Setting
) -> list[ToolRun]:
    """The article's own procedure: one server at a time, and its five runs one after another."""
    size = run_size(shape, scale, shape.repeats)
    before = _kept(setting.folder, "faithful")
    whole = dict.fromkeys(run.row for run in before if run.round == RUNS_IN_A_ROW - 1)
    # The last ones: a row that was cut off begins anew, behind what there is of it.
    kept = [r for row in whole for r in [one for one in before if one.row == row][-RUNS_IN_A_ROW:]]
    names = [entry.name for entry in plan.entries if not entry.twin_of]
    for place, name in enumerate(names):
        if name in whole:
            continue
        with Up(plan, 0, [name], setting) as up:
            for one in up.running:
                for number in range(RUNS_IN_A_ROW):
                    done = place * RUNS_IN_A_ROW + number
                    setting.watch.measured(
                        done, len(names) * RUNS_IN_A_ROW, f"{plan.run}: {name}, in a row"
                    )
                    kept.append(_run(plan, shape, size, one, loader, number, "faithful", setting))
    return kept


def refusal(shape: Shape, scale: float, loader: Loader) -> str:
    """Why `loader` can't make a load of this shape, in its own words; empty where it can."""
    try:
        command(loader, _asked(shape, run_size(shape, scale, ROUNDS), "localhost", "/", ()))
    except BadUsage as error:
        return str(error)
    return ""


def _kept(folder: RunFolder, kind: Literal["round", "faithful"]) -> list[ToolRun]:
    """The runs of one kind that an earlier part of this replay has kept. Raises `BadFile`."""
    path = folder.path / RUNS_FILE
    lines = whole_lines(path)
    # What a kill left of a last line would spoil the next.
    write_whole(path, "".join(f"{line.decode()}\n" for line in lines))
    return [run for line in lines if (run := ToolRun.from_json(line, path)).kind == kind]


def _run(
    plan: Plan,
    shape: Shape,
    size: tuple[int | None, float | None],
    one: Running,
    loader: Loader,
    number: int,
    kind: Literal["round", "faithful"],
    setting: Setting,
) -> ToolRun:
    address, path, cpus = one.handle.address, one.entry.path, plan.cores.client
    asked = replace(_asked(shape, size, address, path, cpus), host=one.handle.host)
    ran = setting.stages.tool(loader, asked)
    run = ToolRun.model_validate(
        {
            "row": one.entry.name,
            "round": number,
            "kind": kind,
            "loader": loader,
            "command": ran.command,
            "output": ran.output,
            "result": ran.result,
            "failure": ran.failure,
        }
    )
    _keep(setting.folder, run)
    return run


def _asked(
    shape: Shape,
    size: tuple[int | None, float | None],
    address: str,
    path: str,
    cpus: tuple[int, ...],
) -> Asked:
    requests, duration_s = size
    return Asked(
        url=f"http://{address}{path}",
        host=address,
        connections=shape.connections,
        connection=shape.connection,
        http=shape.http,
        threads=shape.threads,
        requests=requests,
        duration_s=duration_s,
        cpus=cpus,
    )


def _keep(folder: RunFolder, run: ToolRun) -> None:
    with (folder.path / RUNS_FILE).open("ab") as file:
        file.write(run.to_json().encode() + b"\n")
