"""Options of the whole test suite."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--contenders",
        metavar='"NAME NAME"',
        help="which contenders tests/e2e/test_contenders.py takes; none: the whole catalogue",
    )
