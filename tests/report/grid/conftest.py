"""The browser that pages are opened in."""

from tests.report.test_browser import browser

__all__ = ["browser"]
