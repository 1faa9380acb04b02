"""Articles: which were replayed, and what each replay found of one's claims."""

from sqlalchemy import Connection, select

from bakeoff.history.rows import time_of
from bakeoff.history.tables import CLAIMS, RUNS
from bakeoff.model.history import ClaimPoint, IndexedClaim


def names(connection: Connection) -> tuple[str, ...]:
    """The articles that were replayed."""
    asked = select(CLAIMS.c.article).distinct().order_by(CLAIMS.c.article)
    return tuple(connection.execute(asked).scalars())


def claims(connection: Connection, article: str) -> tuple[ClaimPoint, ...]:
    """What replays found of an article's claims, the earliest replay first."""
    asked = (
        select(CLAIMS.c.run, CLAIMS.c.began_at, CLAIMS.c.document, RUNS.c.name, RUNS.c.cpu_model)
        .select_from(CLAIMS.join(RUNS, RUNS.c.id == CLAIMS.c.run))
        .where(CLAIMS.c.article == article)
        .order_by(CLAIMS.c.began_at, CLAIMS.c.run, CLAIMS.c.number)
    )
    return tuple(
        ClaimPoint(
            run=row.run,
            run_name=row.name,
            began_at=time_of(row.began_at),
            cpu_model=row.cpu_model,
            claim=IndexedClaim.from_json(row.document, row.run),
        )
        for row in connection.execute(asked)
    )
