"""The tables of the index. A change needs a new SCHEMA, and the step to it in `database.py`."""

from sqlalchemy import Boolean, Column, Float, ForeignKey, Index, Integer, MetaData, Table, Text

SCHEMA = "0003"
"""The schema that an index must have."""
VERSION = Table("alembic_version", MetaData(), Column("version_num", Text, primary_key=True))
"""The schema that it has; the name is that of an earlier bakeoff, which kept it by Alembic."""

METADATA = MetaData()


def _texts(names: str) -> list[Column[str]]:
    return [Column(name, Text, nullable=False) for name in names.split()]


def _key(names: str) -> list[Column[str]]:
    """A run's id, and with it the key of its rows."""
    run = ForeignKey("runs.id", ondelete="CASCADE")
    further = (Column(name, Text, primary_key=True) for name in names.split())
    return [Column("run", Text, run, primary_key=True), *further]


# `began_at` is ISO 8601 in UTC with microseconds: its order is that of time, in both databases. A
# search looks through `words`, which are in lower case.
RUNS = Table(
    "runs",
    METADATA,
    Column("id", Text, primary_key=True),
    *_texts("began_at name path kind headline machine_class cpu_model kernel bakeoff method"),
    *_texts("contenders workloads words document"),
    Column("valid", Boolean, nullable=False),
    Column("complete", Boolean, nullable=False),
    Column("cpus", Integer, nullable=False),
    Index("runs_by_time", "began_at", "id"),
    Index("runs_by_machine", "machine_class", "began_at"),
)
FIGURES = Table(
    "figures",
    METADATA,
    *_key("part name"),
    *_texts("began_at contender title language series workload protocol load unit machine_class"),
    *_texts("version source reference"),
    Column("valid", Boolean, nullable=False),
    Column("requests_per_s", Float),
    Column("latency_p50_us", Float),
    Column("latency_p99_us", Float),
    Column("cpu_us_per_request", Float),
    Column("memory_mib", Float),
    Index("figures_by_series", "series", "began_at"),
    Index("figures_by_contender", "contender", "began_at"),
)
PAIRS = Table(
    "pairs",
    METADATA,
    *_key("part a b"),
    *_texts("began_at workload protocol load machine_class document"),
    Index("pairs_by_matrix", "workload", "protocol", "load", "machine_class", "began_at"),
)
CLAIMS = Table(
    "claims",
    METADATA,
    *_key("article"),
    Column("number", Integer, primary_key=True),
    *_texts("began_at document"),
    Index("claims_by_article", "article", "began_at"),
)
