"""The documents' Python runs in the world of the command line's tests."""

from tests.cli.conftest import world

__all__ = ["world"]
