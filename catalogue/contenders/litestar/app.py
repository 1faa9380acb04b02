"""The application, as Litestar's documentation writes it."""

import asyncio
import hashlib
import os
from dataclasses import dataclass
from functools import cache
from typing import Any

import aiohttp
from litestar import Litestar, MediaType, Request, Response, get, post
from litestar.static_files import create_static_files_router


@dataclass
class Advert:
    result: str


@cache
def upstream() -> aiohttp.ClientSession:
    """The client, made in the running loop, as it wants to be. It has as many connections as there
    are requests under way; by default there are 100 at most."""
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=300))


@get("/", media_type=MediaType.TEXT)
async def hello() -> str:
    return "Hello, World!"


@get("/empty", media_type=MediaType.TEXT)
async def empty() -> str:
    return ""


@get("/fillbuffer")
async def fillbuffer() -> Advert:
    return Advert(result="Hello world")


# Litestar would answer a POST with 201.
@post("/echo", media_type=MediaType.TEXT, status_code=200)
async def echo(body: bytes) -> bytes:
    return body


@get("/delay", media_type=MediaType.TEXT)
async def delay() -> str:
    await asyncio.sleep(0.005)
    return "Hello, World!"


@post("/upload", media_type=MediaType.TEXT, status_code=200)
async def upload(request: Request[Any, Any, Any]) -> str:
    digest = hashlib.sha256()
    async for piece in request.stream():
        digest.update(piece)
    return digest.hexdigest()


@get("/forward")
async def forward() -> Response[bytes]:
    async with upstream().get(os.environ["UPSTREAM"] + "/") as answer:
        body = await answer.read()
        kind = answer.headers["Content-Type"]
        return Response(body, status_code=answer.status, media_type=kind)


routes: list[Any] = [hello, empty, fillbuffer, echo, delay, upload, forward]
if "STATIC_DIR" in os.environ:
    routes.append(create_static_files_router("/static", directories=[os.environ["STATIC_DIR"]]))

app = Litestar(routes)
