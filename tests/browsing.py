"""An empty page, and everything that it will complain of or fetch."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page


@contextmanager
def opened(
    browser: Browser, width: int = 1280, scheme: Any = "light", **more: Any
) -> Iterator[tuple[Page, list[str]]]:
    """`more` are options of the browser's context."""
    viewport: Any = {"width": width, "height": 900}
    context = browser.new_context(viewport=viewport, color_scheme=scheme, **more)
    page = context.new_page()
    seen: list[str] = []
    page.on("console", lambda message: seen.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: seen.append(f"error: {error}"))
    page.on("requestfailed", lambda request: seen.append(f"failed: {request.url}"))
    page.on("request", lambda request: seen.append(request.url))
    yield page, seen
    context.close()
