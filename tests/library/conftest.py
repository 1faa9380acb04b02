"""The library is tested in the world of the command line."""

from tests.cli.conftest import world

__all__ = ["world"]
