"""`bakeoff contenders --audit`: what contenders do beside answering right."""

from collections.abc import Sequence
from pathlib import Path

from bakeoff.build import is_built, missing_tools
from bakeoff.cli.asked import command_line, stamp
from bakeoff.cli.console import err, out
from bakeoff.cli.result import check_json, write_json
from bakeoff.cli.stages import real_stages
from bakeoff.cli.watch import watch
from bakeoff.model.errors import MissingPiece
from bakeoff.plan import (
    Catalogue,
    Named,
    Options,
    available_cores,
    decide,
    default_cores,
    name_contenders,
)
from bakeoff.race import audit as run_audit
from bakeoff.report import Audited


def audit(
    names: Sequence[str],
    *,
    connections: int | None,
    workers: int | None,
    workload: str | None,
    json: str | None,
) -> None:
    """Audit the contenders called `names`; none: all of the catalogue that are built."""
    check_json(json)
    catalogue = Catalogue.shipped()
    plan = decide(
        name_contenders(names, catalogue, Path.cwd()) if names else _all_built(catalogue),
        catalogue,
        Options(
            seed=0,
            cores=default_cores(available_cores()),
            connections=connections,
            workers=workers,
            workload=workload,
            twin=False,
        ),
        stamp=stamp(),
        command_line=command_line(),
    )
    with watch() as progress:
        report = run_audit(plan, real_stages(), progress)
    (err if json == "-" else out).print(Audited(report))
    write_json(json, report)


def _all_built(catalogue: Catalogue) -> list[Named]:
    built = [
        one
        for one in name_contenders(catalogue.names(), catalogue, Path.cwd())
        if one.contender
        and one.folder
        and not missing_tools(one.contender, one.folder)
        and is_built(one.contender, one.folder)
    ]
    if not built:
        raise MissingPiece("no contender of the catalogue is built; run: bakeoff setup --all")
    return built
