"""Somebody who asks the explorer, without a socket."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from html.parser import HTMLParser

import httpx

from bakeoff.explore.app import application
from bakeoff.explore.guard import Guard
from bakeoff.explore.live.watched import Live
from bakeoff.history.index import Index

PORT = 8321
BASE = f"http://127.0.0.1:{PORT}"


@dataclass
class Visitor:
    """A browser as far as tests need one: cookies, and no redirect that isn't asked for."""

    index: Index
    guard: Guard = field(default_factory=lambda: Guard(PORT))
    cookies: dict[str, str] = field(default_factory=dict)
    live: Live | None = None

    @classmethod
    def let_in(cls, index: Index, live: Live | None = None) -> "Visitor":
        """One that has the cookie."""
        visitor = cls(index, live=live)
        visitor.cookies[visitor.guard.cookie] = visitor.guard.token
        return visitor

    def ask(
        self,
        path: str,
        *,
        method: str = "GET",
        headers: dict[str, str] | None = None,
        form: dict[str, str] | None = None,
    ) -> httpx.Response:
        async def asked() -> httpx.Response:
            transport = httpx.ASGITransport(application(self.index, self.guard, self.live))
            async with httpx.AsyncClient(
                transport=transport, base_url=BASE, cookies=self.cookies
            ) as client:
                return await client.request(method, path, headers=headers, data=form)

        # In a thread of its own: where a test drove a browser before, this one has a loop already.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, asked()).result()

    def page(self, path: str) -> str:
        answer = self.ask(path)
        assert answer.status_code == 200, answer.text
        return answer.text


@dataclass
class Elements(HTMLParser):
    """The elements of a page: names with attributes, and the text."""

    found: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    text: str = ""

    def __post_init__(self) -> None:
        super().__init__()

    @classmethod
    def of(cls, html: str) -> "Elements":
        elements = cls()
        elements.feed(html)
        return elements

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]

    def links(self) -> list[str]:
        return [href for link in self.all("a") if (href := link.get("href"))]
