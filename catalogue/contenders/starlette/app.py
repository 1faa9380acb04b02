"""The application, as Starlette's documentation writes it."""

import asyncio
import hashlib
import os
from functools import cache

import aiohttp
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles


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
]
if "STATIC_DIR" in os.environ:
    routes.append(Mount("/static", StaticFiles(directory=os.environ["STATIC_DIR"])))

app = Starlette(routes=routes)
