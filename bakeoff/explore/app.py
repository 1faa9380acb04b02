"""The web application: an address → its view, as a page, its figures or a picture; its server."""

import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EADDRINUSE
from mimetypes import guess_type

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from bakeoff.explore import downloads
from bakeoff.explore.address import Address, live
from bakeoff.explore.guard import LOOPBACK, Guard
from bakeoff.explore.live.routes import routes
from bakeoff.explore.live.watched import Live
from bakeoff.explore.page import FailurePage, NotThere, assets, render
from bakeoff.explore.views import view
from bakeoff.history.index import Index
from bakeoff.history.place import HistoryAway
from bakeoff.model.errors import BadUsage, BakeoffError


def application(index: Index, guard: Guard, live_runs: Live | None = None) -> ASGIApp:
    watching = routes(live_runs, guard) if live_runs else []

    def answer(request: Request) -> Response:
        raw_path = request.scope.get("raw_path", request.url.path.encode()).decode("latin-1")
        address = Address.parse(raw_path, request.url.query)
        if not address.is_in_its_one_form(request.url.query):
            # The values of a form: the remaining link can be shared.
            return RedirectResponse(live(address), status_code=303)
        try:
            return _answer(index, address, live_runs)
        except BakeoffError as error:
            page = FailurePage(address=address, title=_title(error), alarm=str(error))
            return HTMLResponse(render(page, live), status_code=_status(error))

    app = Starlette(
        routes=[*watching, Route("/assets/{name}", _asset), Route("/{path:path}", answer)],
        middleware=[Middleware(GZipMiddleware, minimum_size=1000)],
    )
    return guard.around(app)


def _answer(index: Index, address: Address, live_runs: Live | None) -> Response:
    of, name = downloads.split(address)
    page = view(index, of)
    if not name:
        running = live_runs.running if live_runs else tuple
        return HTMLResponse(render(page, live, running=running))
    made = downloads.made(page, name, live)
    headers = {"content-disposition": f'attachment; filename="{made.name}"'} if made.saved else {}
    return Response(made.content, media_type=made.media_type, headers=headers)


def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    if content := assets().get(name):
        return Response(content, media_type=guess_type(name)[0])
    return PlainTextResponse("There is no such file.", status_code=404)


def _status(error: BakeoffError) -> int:
    return 404 if isinstance(error, NotThere) else 503 if isinstance(error, HistoryAway) else 422


def _title(error: BakeoffError) -> str:
    return "There is nothing here" if isinstance(error, NotThere) else "This can’t be shown"


@contextmanager
def listening(host: str, port: int, *, others: bool) -> Iterator[socket.socket]:
    """A socket at `host`; port 0 is a free one. Raises `BadUsage` where it can't be bound.

    Beyond loopback only if `others` may connect.
    """
    if host not in LOOPBACK and not others:
        raise BadUsage(
            f"--listen {host}: other machines could connect; --allow-others lets those in that "
            "have the token"
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as bound:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind((host, port))
            bound.listen(128)
        except OSError as error:
            if error.errno == EADDRINUSE:
                reason = "is taken; without --port a free one is chosen"
                raise BadUsage(f"--port {port}: {reason}") from None
            raise BadUsage(f"--listen {host}: {error.strerror}") from None
        yield bound


def serve(application: ASGIApp, bound: socket.socket) -> None:
    """Answer on `bound` until a signal ends it, which raises `KeyboardInterrupt`."""
    import uvicorn

    config = uvicorn.Config(
        application,
        log_level="error",
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        # A viewer of a race keeps a connection open, for which Ctrl-C must not wait.
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(config)
    # A client that is cut off then (a picture is being drawn, a run is followed) is not an error.
    logging.getLogger("uvicorn.error").addFilter(lambda _: not server.should_exit)
    server.run(sockets=[bound])
