"""The first tables: runs, figures, pairs, claims."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.String(12), primary_key=True),
        sa.Column("began_at", sa.String(32), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("headline", sa.Text, nullable=False),
        sa.Column("valid", sa.Boolean, nullable=False),
        sa.Column("complete", sa.Boolean, nullable=False),
        sa.Column("machine_class", sa.String(12), nullable=False),
        sa.Column("cpu_model", sa.Text, nullable=False),
        sa.Column("cpus", sa.Integer, nullable=False),
        sa.Column("kernel", sa.Text, nullable=False),
        sa.Column("bakeoff", sa.Text, nullable=False),
        sa.Column("method", sa.Text, nullable=False),
        sa.Column("contenders", sa.Text, nullable=False),
        sa.Column("workloads", sa.Text, nullable=False),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
    )
    op.create_index("runs_by_time", "runs", ["began_at", "id"])
    op.create_index("runs_by_machine", "runs", ["machine_class", "began_at"])
    op.create_table(
        "figures",
        sa.Column("run", sa.String(12), _run(), primary_key=True),
        sa.Column("part", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("began_at", sa.String(32), nullable=False),
        sa.Column("contender", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("language", sa.Text, nullable=False),
        sa.Column("series", sa.String(12), nullable=False),
        sa.Column("workload", sa.Text, nullable=False),
        sa.Column("protocol", sa.String(8), nullable=False),
        sa.Column("load", sa.Text, nullable=False),
        sa.Column("machine_class", sa.String(12), nullable=False),
        sa.Column("valid", sa.Boolean, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("reference", sa.Text, nullable=False),
        sa.Column("requests_per_s", sa.Float),
        sa.Column("latency_p50_us", sa.Float),
        sa.Column("latency_p99_us", sa.Float),
        sa.Column("cpu_us_per_request", sa.Float),
        sa.Column("memory_mib", sa.Float),
    )
    op.create_index("figures_by_series", "figures", ["series", "began_at"])
    op.create_index("figures_by_contender", "figures", ["contender", "began_at"])
    op.create_table(
        "pairs",
        sa.Column("run", sa.String(12), _run(), primary_key=True),
        sa.Column("part", sa.Text, primary_key=True),
        sa.Column("a", sa.Text, primary_key=True),
        sa.Column("b", sa.Text, primary_key=True),
        sa.Column("began_at", sa.String(32), nullable=False),
        sa.Column("workload", sa.Text, nullable=False),
        sa.Column("protocol", sa.String(8), nullable=False),
        sa.Column("load", sa.Text, nullable=False),
        sa.Column("machine_class", sa.String(12), nullable=False),
        sa.Column("document", sa.Text, nullable=False),
    )
    op.create_index(
        "pairs_by_matrix", "pairs", ["workload", "protocol", "load", "machine_class", "began_at"]
    )
    op.create_table(
        "claims",
        sa.Column("run", sa.String(12), _run(), primary_key=True),
        sa.Column("article", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("began_at", sa.String(32), nullable=False),
        sa.Column("document", sa.Text, nullable=False),
    )
    op.create_index("claims_by_article", "claims", ["article", "began_at"])


def _run() -> sa.ForeignKey:
    return sa.ForeignKey("runs.id", ondelete="CASCADE")
