"""The tables of the index. A change takes a new SCHEMA, and the step to it in `database.py`."""

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

SCHEMA = "0002"
"""What an index must be at."""
VERSION = Table("alembic_version", MetaData(), Column("version_num", String(32), primary_key=True))
"""What it is at; the name is that of an earlier bakeoff, which kept it by Alembic."""

METADATA = MetaData()


def _run() -> ForeignKey:
    return ForeignKey("runs.id", ondelete="CASCADE")


RUNS = Table(
    "runs",
    METADATA,
    Column("id", String(12), primary_key=True),
    # ISO 8601 in UTC with microseconds: its order is that of time, in both databases.
    Column("began_at", String(32), nullable=False),
    Column("name", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("headline", Text, nullable=False),
    Column("valid", Boolean, nullable=False),
    Column("complete", Boolean, nullable=False),
    Column("machine_class", String(12), nullable=False),
    Column("cpu_model", Text, nullable=False),
    Column("cpus", Integer, nullable=False),
    Column("kernel", Text, nullable=False),
    Column("bakeoff", Text, nullable=False),
    Column("method", Text, nullable=False),
    Column("contenders", Text, nullable=False),
    Column("workloads", Text, nullable=False),
    # What a search looks through, in lower case.
    Column("words", Text, nullable=False),
    Column("document", Text, nullable=False),
    Index("runs_by_time", "began_at", "id"),
    Index("runs_by_machine", "machine_class", "began_at"),
)

FIGURES = Table(
    "figures",
    METADATA,
    Column("run", String(12), _run(), primary_key=True),
    Column("part", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("began_at", String(32), nullable=False),
    Column("contender", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("series", String(12), nullable=False),
    Column("workload", Text, nullable=False),
    Column("protocol", String(8), nullable=False),
    Column("load", Text, nullable=False),
    Column("machine_class", String(12), nullable=False),
    Column("valid", Boolean, nullable=False),
    Column("version", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("reference", Text, nullable=False),
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
    Column("run", String(12), _run(), primary_key=True),
    Column("part", Text, primary_key=True),
    Column("a", Text, primary_key=True),
    Column("b", Text, primary_key=True),
    Column("began_at", String(32), nullable=False),
    Column("workload", Text, nullable=False),
    Column("protocol", String(8), nullable=False),
    Column("load", Text, nullable=False),
    Column("machine_class", String(12), nullable=False),
    Column("document", Text, nullable=False),
    Index("pairs_by_matrix", "workload", "protocol", "load", "machine_class", "began_at"),
)

CLAIMS = Table(
    "claims",
    METADATA,
    Column("run", String(12), _run(), primary_key=True),
    Column("article", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("began_at", String(32), nullable=False),
    Column("document", Text, nullable=False),
    Index("claims_by_article", "article", "began_at"),
)
