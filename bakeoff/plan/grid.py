"""A race, or a grid of races where a setting has several values: one for each combination."""

from collections.abc import Sequence
from typing import Literal

from bakeoff.model.errors import BadUsage, NoVerdict
from bakeoff.model.grid import Axis, AxisName, GridPlan, PlannedCell, Settings
from bakeoff.model.plan import Plan
from bakeoff.plan.environment import Environment
from bakeoff.plan.race import RaceDraft
from bakeoff.plan.race_options import RaceOptions

_LETTERS: dict[AxisName, Literal["c", "w", "p", "s", "", "path"]] = {
    "connections": "c",
    "workers": "w",
    "pipeline": "p",
    "streams": "s",
    "connection": "",
    "path": "path",
}


def plan_race(
    operands: Sequence[str], options: RaceOptions, environment: Environment
) -> Plan | GridPlan:
    """The plan of a race between `operands`, by default the default line-up.

    Raises `BadUsage`, and `NoVerdict` where no contender can take part.
    """
    catalogue = environment.catalogue
    if operands and options.everything:
        raise BadUsage("race: takes contenders or --all, not both")
    available = not operands
    if available:
        operands = catalogue.default_line_up()
    if options.everything:
        # The line-up comes first, so that its first is the reference of all such races.
        operands = list(dict.fromkeys([*operands, *catalogue.names()]))
    draft = RaceDraft.of(operands, options, environment, available=available)
    cells = draft.settings()
    if len(cells) == 1:
        return draft.plan(cells[0], options.budget or options.duration)
    return _plan_grid(draft, cells)


def _plan_grid(draft: RaceDraft, cells: Sequence[Settings]) -> GridPlan:
    """The plan of a grid of two `cells` or more.

    All have the same seed. The cells that can be measured share a given duration evenly. Raises
    `BadUsage` or `NoVerdict` where no cell can be measured.
    """
    possible = sum(not draft.contradiction(settings) for settings in cells)
    if not possible:
        raise BadUsage(draft.contradiction(cells[0]))
    duration_s = draft.options.budget or draft.options.duration
    values = {name: dict.fromkeys(cell.value(name) for cell in cells) for name in _LETTERS}
    axes = tuple(Axis(name=name, values=tuple(own)) for name, own in values.items() if len(own) > 1)
    planned: list[PlannedCell] = []
    run = reference = ""
    for settings in cells:
        name = "-".join(f"{_LETTERS[axis.name]}{settings.value(axis.name)}" for axis in axes)
        # It is the name of a folder, and a part of links.
        name = name.replace(",", "-").replace("%", "")
        skipped = draft.contradiction(settings)
        plan = None
        if not skipped:
            try:
                plan = draft.plan(settings, duration_s and duration_s / possible)
            except NoVerdict as error:
                skipped = str(error)
        if plan:
            run, reference = run or plan.run, reference or plan.reference
            plan = plan.model_copy(update={"run": f"{plan.run}/{name}"})
        planned.append(PlannedCell(name=name, settings=settings, plan=plan, skipped=skipped))
    if not run:
        raise NoVerdict(planned[0].skipped)
    return GridPlan(
        run=run,
        command_line=draft.environment.command_line,
        axes=axes,
        cells=tuple(planned),
        reference=reference,
        seed=draft.options.seed,
    )
