"""Options of the whole test suite, and what it needs of its surroundings."""

import os
import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# No test depends on a speed: an example that a busy machine took long for is no failure. New
# examples are looked for where somebody can look at them, not where a landing waits.
settings.register_profile("bakeoff", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("bakeoff")

CHROMIUM = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_configure() -> None:
    # Runs of tests are not added to a developer's own history.
    os.environ["BAKEOFF_HISTORY"] = ""
    # Nobody pulls the plug. What waits for the disk, and when, is in tests/runs/test_store.py.
    for name in ("fsync", "fdatasync"):
        setattr(os, name, lambda _: None)
    # A shell's background job ignores SIGINT, and so would all that it starts: bakeoff's own
    # answer to Ctrl-C is tested.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--contenders",
        metavar='"NAME NAME"',
        help="which contenders tests/e2e/test_contenders.py takes; none: the whole catalogue",
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `-m "e2e and …"` a file without the word isn't imported: imports take seconds."""
    asked = re.fullmatch(r"(\w+)( and .*)?", config.getoption("markexpr"))
    if not asked or collection_path.suffix != ".py" or collection_path.name == "conftest.py":
        return None
    return asked[1] not in collection_path.read_text() or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest begins first: the others run beside it."""
    items.sort(key=lambda item: item.get_closest_marker("first") is None)


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """The one Chromium of a process: Playwright refuses a second one beside it.

    So nobody imports this fixture either: pytest would make another of it.
    """
    from playwright.sync_api import sync_playwright

    found = shutil.which("chromium")
    if found is None:
        pytest.skip("no Chromium to open pages in: apt-get install chromium")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=CHROMIUM)
        yield launched
        launched.close()
