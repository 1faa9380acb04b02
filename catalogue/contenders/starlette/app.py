"""The application, as Starlette's documentation writes it."""

import asyncio
import hashlib
import os
from contextlib import asynccontextmanager
from functools import cache

import aiohttp
import asyncpg
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

ROW = "SELECT id, shelf, name FROM item WHERE id = $1"
PAGE = "SELECT id, shelf, name FROM item WHERE shelf = $1 ORDER BY id"
POOL = 16 // int(os.environ.get("WORKERS", 1)) or 1
"""Connections to the database, of each process; a statement is prepared once on each of them."""


@asynccontextmanager
async def lifespan(app):
    if "DATABASE_URL" not in os.environ:
        yield
        return
    url = os.environ["DATABASE_URL"]
    async with asyncpg.create_pool(url, min_size=POOL, max_size=POOL) as database:
        yield {"database": database}


@cache
def upstream():
    """The client, made in the running loop, as it wants to be. It has as many connections as there
    are requests under way; by default there are 100 at most."""
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=300))


async def hello(request):
    return PlainTextResponse("Hello, World!")


async def empty(request):
    return Response()


async def fillbuffer(request):
    return JSONResponse({"result": "Hello world"})


async def echo(request):
    return PlainTextResponse(await request.body())


async def delay(request):
    await asyncio.sleep(0.005)
    return PlainTextResponse("Hello, World!")


async def upload(request):
    digest = hashlib.sha256()
    async for piece in request.stream():
        digest.update(piece)
    return PlainTextResponse(digest.hexdigest())


async def forward(request):
    async with upstream().get(os.environ["UPSTREAM"] + "/") as answer:
        body = await answer.read()
        return Response(body, answer.status, media_type=answer.headers["Content-Type"])


async def row(request):
    key = request.query_params["id"]
    found = await request.state.database.fetchrow(ROW, int(key)) if key.isdecimal() else None
    if found is None:
        raise HTTPException(404)
    return JSONResponse(dict(found))


async def page(request):
    found = await request.state.database.fetch(PAGE, int(request.query_params["shelf"]))
    return JSONResponse([dict(each) for each in found])


# On one route alone, for those who ask; the default leaves bodies under 500 bytes as they are.
compressed = [Middleware(GZipMiddleware, minimum_size=0)]

routes = [
    Route("/", hello),
    Route("/empty", empty),
    Route("/fillbuffer", fillbuffer, middleware=compressed),
    Route("/echo", echo, methods=["POST"]),
    Route("/delay", delay),
    Route("/upload", upload, methods=["POST"]),
    Route("/forward", forward),
    Route("/row", row),
    Route("/page", page),
]
if "STATIC_DIR" in os.environ:
    routes.append(Mount("/static", StaticFiles(directory=os.environ["STATIC_DIR"])))

app = Starlette(routes=routes, lifespan=lifespan)
