"""Alembic's entry: migrations run on the connection that the index has opened."""

from alembic import context

from bakeoff.history.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
