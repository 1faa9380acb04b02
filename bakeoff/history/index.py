"""The index of runs: what was measured, when and where. It can be made again at any time."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, RowMapping, and_, func, or_, select
from sqlalchemy.dialects import postgresql, sqlite

from bakeoff.history.database import connect, reached
from bakeoff.history.tables import CLAIMS, FIGURES, METADATA, PAIRS, RUNS
from bakeoff.model.history import (
    Choices,
    ClaimPoint,
    ContenderLine,
    MachineLine,
    Matrix,
    MatrixKey,
    Point,
    RunLine,
    RunPage,
    Series,
    SeriesKey,
    ShelvedClaim,
    ShelvedRun,
)
from bakeoff.model.verdict import Pair

SEPARATOR = "\x1f"
BATCH = 500
"""Runs that are written at a time: some thousand rows, in one statement per table."""


_LINE = [column for column in RUNS.c if column.name not in ("document", "words")]
_NEWEST = (RUNS.c.began_at.desc(), RUNS.c.id.desc())


class Index:
    """An open index. Every method raises `HistoryAway` where the database refuses."""

    def __init__(self, url: str, *, renew: bool = False) -> None:
        self.url = url
        self._engine: Engine = connect(url, renew=renew)

    def close(self) -> None:
        """Give the connections back."""
        self._engine.dispose()

    # Writing.

    def add(self, *runs: ShelvedRun) -> None:
        """Add runs, in one transaction; one that is there already is replaced."""
        with self._writing() as connection:
            _write(connection, runs)

    def rebuild(self, runs: Iterable[ShelvedRun]) -> int:
        """Replace all that is there by `runs`, or leave it as it is; how many there are now."""
        count = 0
        with self._writing() as connection:
            for table in reversed(METADATA.sorted_tables):
                connection.execute(table.delete())
            batch: list[ShelvedRun] = []
            for run in runs:
                batch.append(run)
                count += 1
                if len(batch) == BATCH:
                    _write(connection, batch)
                    batch = []
            _write(connection, batch)
        return count

    # Runs.

    def runs(
        self,
        *,
        contender: str = "",
        workload: str = "",
        machine: str = "",
        kind: str = "",
        text: str = "",
        before: str | None = None,
        limit: int = 50,
    ) -> RunPage:
        """Runs that fit all of what is given, the newest first; `machine` is a class of machine.

        Each word of `text` must be in its name, headline, contenders, workloads, machine or
        command line. `before` is an earlier page's.
        """
        fits = [
            *([_has(RUNS.c.contenders, contender)] if contender else []),
            *([_has(RUNS.c.workloads, workload)] if workload else []),
            *([RUNS.c.machine_class == machine] if machine else []),
            *([RUNS.c.kind == kind] if kind else []),
            *(RUNS.c.words.contains(word, autoescape=True) for word in text.lower().split()),
        ]
        further = []
        if before is not None:
            at, _, run = before.partition("~")
            further = [_is_before(at, run)]
        with self._reading() as connection:
            total = connection.execute(select(func.count()).select_from(RUNS).where(*fits)).scalar()
            rows = connection.execute(
                select(*_LINE).where(*fits, *further).order_by(*_NEWEST).limit(limit + 1)
            ).mappings()
            found = list(rows)
        more = found[limit - 1] if len(found) > limit else None
        return RunPage(
            runs=tuple(map(_run_line, found[:limit])),
            before=f"{more['began_at']}~{more['id']}" if more else None,
            total=total or 0,
        )

    def run_before(self, run: ShelvedRun, contender: str, workload: str) -> RunLine | None:
        """The last run before `run` of its kind, on its class of machine, with that contender and
        workload; None: there is none."""
        fits = (
            RUNS.c.kind == run.kind,
            RUNS.c.machine_class == run.machine_class,
            _has(RUNS.c.contenders, contender),
            _has(RUNS.c.workloads, workload),
            _is_before(_text(run.began_at), run.id),
        )
        with self._reading() as connection:
            asked = select(*_LINE).where(*fits).order_by(*_NEWEST).limit(1)
            found = connection.execute(asked).mappings().first()
        return _run_line(found) if found else None

    def choices(self) -> Choices:
        """What `runs` can be asked for by."""
        machine = (RUNS.c.machine_class, RUNS.c.cpu_model, RUNS.c.cpus)
        with self._reading() as connection:
            found = {
                name: set(connection.execute(select(RUNS.c[name]).distinct()).scalars())
                for name in ("kind", *_LISTS)
            }
            machines = list(connection.execute(select(*machine).distinct().order_by(*machine)))
        lists = {
            name: tuple(sorted({each for text in found[name] for each in _unlisted(text)}))
            for name in _LISTS
        }
        by_class = {row.machine_class: MachineLine(**row._mapping) for row in machines}
        return Choices(
            **lists, kinds=tuple(sorted(found["kind"])), machines=tuple(by_class.values())
        )

    def run(self, run: str) -> ShelvedRun | None:
        """The run of that id; None: there is none."""
        with self._reading() as connection:
            found = connection.execute(select(RUNS.c.document).where(RUNS.c.id == run)).scalar()
        return ShelvedRun.from_json(found, f"run {run}") if found else None

    def paths(self) -> dict[str, str]:
        """Where each run is, by its id."""
        with self._reading() as connection:
            return {row.id: row.path for row in connection.execute(select(RUNS.c.id, RUNS.c.path))}

    # Contenders over time.

    def contenders(self) -> tuple[ContenderLine, ...]:
        """All contenders, by name."""
        asked = select(
            FIGURES.c.contender,
            func.max(FIGURES.c.title).label("title"),
            func.max(FIGURES.c.language).label("language"),
            func.count().label("races"),
            func.max(FIGURES.c.began_at).label("last_at"),
        )
        with self._reading() as connection:
            rows = connection.execute(
                asked.group_by(FIGURES.c.contender).order_by(FIGURES.c.contender)
            ).mappings()
            return tuple(ContenderLine(**{**row, "last_at": _time(row["last_at"])}) for row in rows)

    def series_of(self, contender: str) -> tuple[SeriesKey, ...]:
        """The lines over time that a contender has, the longest first."""
        return self._keys(FIGURES.c.contender == contender)

    def series(self, series: str, reference: str = "") -> Series | None:
        """One line over time, against `reference`, an entry's name; None: there is no such line.

        Without a reference: the one that most of its races have.
        """
        keys = self._keys(FIGURES.c.series == series)
        if not keys:
            return None
        key = keys[0]
        against = reference or next(iter(key.references), "")
        other = FIGURES.alias()
        joined = (
            FIGURES.join(RUNS, RUNS.c.id == FIGURES.c.run)
            .outerjoin(
                other,
                and_(
                    other.c.run == FIGURES.c.run,
                    other.c.part == FIGURES.c.part,
                    other.c.name == against,
                ),
            )
            .outerjoin(
                PAIRS,
                and_(
                    PAIRS.c.run == FIGURES.c.run,
                    PAIRS.c.part == FIGURES.c.part,
                    or_(
                        and_(PAIRS.c.a == FIGURES.c.name, PAIRS.c.b == against),
                        and_(PAIRS.c.b == FIGURES.c.name, PAIRS.c.a == against),
                    ),
                ),
            )
        )
        asked = select(
            *(column for column in FIGURES.c if column.name not in ("ratio", "low", "high", "n")),
            *(RUNS.c[name] for name in ("kernel", "cpu_model", "bakeoff", "method")),
            RUNS.c.name.label("run_name"),
            *(PAIRS.c[name] for name in ("a", "ratio", "low", "high", "n")),
            other.c.version.label("reference_version"),
            other.c.source.label("reference_source"),
        )
        with self._reading() as connection:
            rows = connection.execute(
                asked.select_from(joined)
                .where(FIGURES.c.series == series)
                .order_by(FIGURES.c.began_at, FIGURES.c.run)
            ).mappings()
            points = tuple(map(_point, rows))
        return Series(key=key, reference=against, points=points)

    def _keys(self, condition: Any) -> tuple[SeriesKey, ...]:
        parts = ("series", "contender", "workload", "protocol", "load", "machine_class")
        key = [FIGURES.c[name] for name in parts]
        asked = select(
            *key,
            RUNS.c.cpu_model,
            RUNS.c.cpus,
            func.count().label("points"),
            func.max(FIGURES.c.began_at).label("last_at"),
        ).select_from(FIGURES.join(RUNS, RUNS.c.id == FIGURES.c.run))
        other = FIGURES.alias()
        beside = select(FIGURES.c.series, other.c.name, func.count().label("races")).select_from(
            FIGURES.join(
                other,
                and_(
                    other.c.run == FIGURES.c.run,
                    other.c.part == FIGURES.c.part,
                    other.c.name != FIGURES.c.name,
                ),
            )
        )
        with self._reading() as connection:
            rows = list(
                connection.execute(
                    asked.where(condition).group_by(*key, RUNS.c.cpu_model, RUNS.c.cpus)
                ).mappings()
            )
            counts: dict[str, Counter[str]] = {}
            for found in connection.execute(
                beside.where(condition).group_by(FIGURES.c.series, other.c.name)
            ):
                counts.setdefault(found.series, Counter())[found.name] = found.races
        keys = (
            SeriesKey(
                **{**row, "last_at": _time(row["last_at"])},
                references=tuple(_most_frequent(counts.get(row["series"], Counter()))),
            )
            for row in rows
        )
        return tuple(sorted(keys, key=lambda each: (-each.points, each.series)))

    # Pairs.

    def matrices(self) -> tuple[MatrixKey, ...]:
        """What a matrix can be asked for, that with the most comparisons first."""
        key = [PAIRS.c[name] for name in ("workload", "protocol", "load", "machine_class")]
        asked = select(
            *key,
            RUNS.c.cpu_model,
            RUNS.c.cpus,
            func.count().label("pairs"),
            func.max(PAIRS.c.began_at).label("last_at"),
        ).select_from(PAIRS.join(RUNS, RUNS.c.id == PAIRS.c.run))
        with self._reading() as connection:
            rows = connection.execute(
                asked.where(PAIRS.c.protocol != "")
                .group_by(*key, RUNS.c.cpu_model, RUNS.c.cpus)
                .order_by(func.count().desc())
            ).mappings()
            return tuple(MatrixKey(**{**row, "last_at": _time(row["last_at"])}) for row in rows)

    def matrix(self, workload: str, protocol: str, load: str, machine_class: str) -> Matrix | None:
        """The newest comparison of each pair; None: nothing was compared so."""
        of = and_(
            PAIRS.c.workload == workload,
            PAIRS.c.protocol == protocol,
            PAIRS.c.load == load,
            PAIRS.c.machine_class == machine_class,
        )
        place = func.row_number().over(
            partition_by=(PAIRS.c.a, PAIRS.c.b), order_by=PAIRS.c.began_at.desc()
        )
        placed = select(PAIRS.c.run, PAIRS.c.document, PAIRS.c.began_at, place.label("place"))
        newest = placed.where(of).subquery()
        with self._reading() as connection:
            rows = connection.execute(
                select(newest).where(newest.c.place == 1).order_by(newest.c.began_at.desc())
            )
            found = [(row.run, Pair.from_json(row.document, row.run)) for row in rows]
        if not found:
            return None
        kept: dict[frozenset[str], tuple[str, Pair]] = {}
        for run, pair in found:
            # A pair may have been compared both ways round; the newest comes first.
            kept.setdefault(frozenset((pair.a, pair.b)), (run, pair))
        return Matrix(
            workload=workload,
            protocol=protocol,
            load=load,
            machine_class=machine_class,
            contenders=tuple(sorted({name for names in kept for name in names})),
            pairs=tuple(pair for _, pair in kept.values()),
            runs=tuple(run for run, _ in kept.values()),
        )

    # Articles.

    def articles(self) -> tuple[str, ...]:
        """The names of the articles that were replayed."""
        with self._reading() as connection:
            asked = select(CLAIMS.c.article).distinct().order_by(CLAIMS.c.article)
            return tuple(connection.execute(asked).scalars())

    def claims(self, article: str) -> tuple[ClaimPoint, ...]:
        """What replays found of an article's claims, the earliest replay first."""
        asked = (
            select(
                CLAIMS.c.run, CLAIMS.c.began_at, CLAIMS.c.document, RUNS.c.name, RUNS.c.cpu_model
            )
            .select_from(CLAIMS.join(RUNS, RUNS.c.id == CLAIMS.c.run))
            .where(CLAIMS.c.article == article)
            .order_by(CLAIMS.c.began_at, CLAIMS.c.run, CLAIMS.c.number)
        )
        with self._reading() as connection:
            return tuple(
                ClaimPoint(
                    run=row.run,
                    run_name=row.name,
                    began_at=_time(row.began_at),
                    cpu_model=row.cpu_model,
                    claim=ShelvedClaim.from_json(row.document, row.run),
                )
                for row in connection.execute(asked)
            )

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with reached(self._engine.url), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with reached(self._engine.url), self._engine.connect() as connection:
            yield connection


def _write(connection: Connection, runs: Sequence[ShelvedRun]) -> None:
    if not runs:
        return
    by_id = {run.id: run for run in runs}
    connection.execute(RUNS.delete().where(RUNS.c.id.in_(by_id)))
    rows: dict[Any, list[dict[str, object]]] = {RUNS: [], FIGURES: [], PAIRS: [], CLAIMS: []}
    for run in by_id.values():
        rows[RUNS].append(_run_row(run))
        rows[FIGURES] += _figure_rows(run)
        rows[PAIRS] += _pair_rows(run)
        rows[CLAIMS] += _claim_rows(run)
    # Two processes may add the same run at the same moment: the second finds it there.
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    for table, values in rows.items():
        if values:
            connection.execute(dialect.insert(table).on_conflict_do_nothing(), values)


def _run_row(run: ShelvedRun) -> dict[str, object]:
    contenders = dict.fromkeys(each.contender for race in run.races for each in race.figures)
    titles = dict.fromkeys(each.title for race in run.races for each in race.figures)
    workloads = dict.fromkeys(race.workload for race in run.races)
    machine = run.machine
    words = (
        run.name, run.kind, run.headline, machine.cpu_model, machine.kernel,
        *contenders, *titles, *workloads, *run.command_line,
        *(claim.article for claim in run.claims),
    )  # fmt: skip
    return {
        "id": run.id,
        "began_at": _text(run.began_at),
        "name": run.name,
        "path": run.path,
        "kind": run.kind,
        "headline": run.headline,
        "valid": run.valid,
        "complete": run.complete,
        "machine_class": run.machine_class,
        "cpu_model": machine.cpu_model,
        "cpus": machine.cpus,
        "kernel": machine.kernel,
        "bakeoff": run.bakeoff,
        "method": run.method,
        "contenders": _listed(contenders),
        "workloads": _listed(workloads),
        "words": "\n".join(words).lower(),
        "document": run.to_json(),
    }


def _figure_rows(run: ShelvedRun) -> list[dict[str, object]]:
    kept = (
        "name", "contender", "title", "language", "series", "protocol", "valid", "version",
        "source", "ratio", "low", "high", "requests_per_s", "latency_p50_us", "latency_p99_us",
        "cpu_us_per_request", "memory_mib", "n",
    )  # fmt: skip
    return [
        {
            "run": run.id,
            "part": race.part,
            "began_at": _text(run.began_at),
            "workload": race.workload,
            "load": race.load,
            "machine_class": run.machine_class,
            "reference": race.reference,
            **{name: getattr(figure, name) for name in kept},
        }
        for race in run.races
        for figure in race.figures
    ]


def _pair_rows(run: ShelvedRun) -> list[dict[str, object]]:
    rows = []
    for race in run.races:
        protocols = {figure.name: figure.protocol for figure in race.figures}
        for pair in race.pairs:
            # A pair of two protocols is in the matrix of neither.
            spoken = {protocols.get(pair.a, ""), protocols.get(pair.b, "")}
            rows.append(
                {
                    "run": run.id,
                    "part": race.part,
                    "a": pair.a,
                    "b": pair.b,
                    "began_at": _text(run.began_at),
                    "workload": race.workload,
                    "protocol": spoken.pop() if len(spoken) == 1 else "",
                    "load": race.load,
                    "machine_class": run.machine_class,
                    "ratio": pair.ratio,
                    "low": pair.low,
                    "high": pair.high,
                    "n": pair.n,
                    "document": pair.to_json(),
                }
            )
    return rows


def _claim_rows(run: ShelvedRun) -> list[dict[str, object]]:
    return [
        {
            "run": run.id,
            "article": claim.article,
            "number": claim.number,
            "began_at": _text(run.began_at),
            "document": claim.to_json(),
        }
        for claim in run.claims
    ]


def _is_before(at: str, run: str) -> ColumnElement[bool]:
    """Of runs in the order of `_NEWEST`: behind the one that began `at`, with that id."""
    return or_(RUNS.c.began_at < at, and_(RUNS.c.began_at == at, RUNS.c.id < run))


def _run_line(row: RowMapping) -> RunLine:
    lists = {name: _unlisted(row[name]) for name in _LISTS}
    kept = {name: row[name] for name in RunLine.model_fields if name not in (*_LISTS, "began_at")}
    return RunLine(**kept, **lists, began_at=_time(row["began_at"]))


_LISTS = ("contenders", "workloads")


def _point(row: RowMapping) -> Point:
    known: Mapping[Any, Any] = row
    ratio, low, high = known["ratio"], known["low"], known["high"]
    if ratio and known["a"] != known["name"]:
        ratio, low, high = 1 / ratio, 1 / high if high else None, 1 / low if low else None
    names = (
        "run", "run_name", "part", "valid", "requests_per_s", "latency_p50_us", "latency_p99_us",
        "cpu_us_per_request", "memory_mib", "version", "source", "kernel", "cpu_model", "bakeoff",
        "method",
    )  # fmt: skip
    return Point(
        **{name: known[name] for name in names},
        began_at=_time(known["began_at"]),
        ratio=ratio,
        low=low,
        high=high,
        n=known["n"] or 0,
        reference_version=known["reference_version"] or "",
        reference_source=known["reference_source"] or "",
    )


def _most_frequent(counts: Counter[str]) -> list[str]:
    return sorted(counts, key=lambda name: (-counts[name], name))


def _listed(values: Iterable[str]) -> str:
    return SEPARATOR + SEPARATOR.join(values) + SEPARATOR


def _unlisted(text: str) -> tuple[str, ...]:
    return tuple(filter(None, text.split(SEPARATOR)))


def _has(column: Any, value: str) -> Any:
    return column.contains(f"{SEPARATOR}{value}{SEPARATOR}", autoescape=True)


def _text(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _time(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
