"""A running run as a page, as events with its state, and the form that ends it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import parse_qs

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from bakeoff.explore import address as to
from bakeoff.explore.address import live as link
from bakeoff.explore.guard import Guard
from bakeoff.explore.live.judge import LiveState
from bakeoff.explore.live.watched import Live, Stage, Watched
from bakeoff.explore.page import FailurePage, Page, fragment, render
from bakeoff.model.errors import BadUsage

TICK_S = 1.0
"""The interval of looking for news."""
FIRST_S = 4.0
"""How long a page waits for the first judging, so that it shows something without a script, too."""
ALIVE_TICKS = 15
"""After this many ticks without news an empty line is sent, which reveals that a client has
gone."""
FORM_BYTES_MAX = 1000
OVER: tuple[Stage, ...] = ("ended", "cut off", "nothing")


@dataclass(frozen=True, kw_only=True)
class LivePage(Page):
    """`standing` is the part that changes, as HTML. `seal` lets the form end the run; empty: it
    can't be ended."""

    template: ClassVar[str] = "live.html"
    is_shared: ClassVar[bool] = False

    name: str
    path: str
    standing: Markup
    over: bool
    seal: str


def routes(live: Live, guard: Guard) -> list[Route]:
    watching = _Watching(live, guard)
    return [
        Route("/live/{name}", watching.page),
        Route("/live/{name}/events", watching.events),
        Route("/live/{name}/end", watching.end, methods=["POST"]),
    ]


@dataclass(frozen=True)
class _Watching:
    live: Live
    guard: Guard

    async def page(self, request: Request) -> Response:
        return await asyncio.to_thread(self._page, request.path_params["name"])

    async def events(self, request: Request) -> Response:
        """The same part of the page whenever it changes, until the run is over."""
        run = await asyncio.to_thread(self.live.find, request.path_params["name"])
        if run is None:
            return _not_there(request.path_params["name"])
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(self._told(run), media_type="text/event-stream", headers=headers)

    async def end(self, request: Request) -> Response:
        """End it, if one of our own pages requests that, and show the result."""
        name = request.path_params["name"]
        form = await _form(request)
        run = await asyncio.to_thread(self.live.find, name)
        if run is None:
            return _not_there(name)
        holder = run.holder
        if not self.guard.allows(_deed(run), form.get("seal", ""), request.headers):
            return _failure(
                name,
                "Not ended",
                "The form is not that of a page of this explorer, or of an old one.",
                403,
            )
        try:
            await asyncio.to_thread(self.live.end, run, holder)
        except BadUsage as error:
            return _failure(name, "Not ended", str(error), 409)
        return RedirectResponse(link(to.running(name)), status_code=303)

    def _page(self, name: str) -> Response:
        run = self.live.find(name)
        if run is None:
            return _not_there(name)
        stage = self.live.stage(run)
        if stage == "measuring":
            self.live.look(run, FIRST_S)
            stage = self.live.stage(run)
        page = LivePage(
            address=to.running(name),
            title=name,
            name=name,
            path=str(run.path),
            standing=Markup(self._standing(run, stage)),
            over=stage in OVER,
            seal=self.guard.seal(_deed(run)) if stage == "measuring" else "",
        )
        return HTMLResponse(render(page, link))

    async def _told(self, run: Watched) -> AsyncIterator[str]:
        """Server-sent events: `standing` with HTML, and finally `over` with the same."""
        before, quiet = "", 0
        while True:
            stage = await asyncio.to_thread(self.live.stage, run)
            if stage == "measuring":
                self.live.look(run)
            standing = await asyncio.to_thread(self._standing, run, stage)
            # An ended run is over once its page exists, which can then be linked.
            over = stage in OVER and (stage != "ended" or bool(run.page))
            if standing != before or over:
                yield _event("over" if over else "standing", standing)
                before, quiet = standing, 0
            elif (quiet := quiet + 1) % ALIVE_TICKS == 0:
                yield ":\n\n"
            if over:
                return
            await asyncio.sleep(TICK_S)

    def _standing(self, run: Watched, stage: Stage) -> str:
        page = self.live.page_of(run) if stage == "ended" else ""
        return fragment(
            "live_standing.html",
            run=run,
            stage=stage,
            state=run.state or LiveState(),
            standings=Markup(run.state.standings if run.state else ""),
            page=link(to.run(page)) if page else "",
        )


def _deed(run: Watched) -> str:
    """The permitted action of a form: end this run, of this process. A later one has a form of its
    own."""
    return f"end {run.path} {run.holder.pid} {run.holder.started}"


def _event(name: str, text: str) -> str:
    return f"event: {name}\n" + "".join(f"data: {line}\n" for line in text.splitlines()) + "\n"


async def _form(request: Request) -> dict[str, str]:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > FORM_BYTES_MAX:
            return {}
    return {key: values[0] for key, values in parse_qs(body.decode("latin-1")).items()}


def _not_there(name: str) -> Response:
    why = "No run of that name goes on here. One that has ended is on the shelf of all runs."
    return _failure(name, "There is nothing here", why, 404)


def _failure(name: str, title: str, why: str, status: int) -> Response:
    page = FailurePage(address=to.running(name), title=title, alarm=why)
    return HTMLResponse(render(page, link), status_code=status)
