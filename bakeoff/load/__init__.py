"""Stage 5, load: the engine `volley`, driven line by line."""

from bakeoff.load.engine import Engine, engine_path, engine_version
from bakeoff.load.job import job

__all__ = ["Engine", "engine_path", "engine_version", "job"]
