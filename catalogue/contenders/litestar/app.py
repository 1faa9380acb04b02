"""The application, as Litestar's documentation writes it."""

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import aiohttp
import asyncpg
from litestar import Litestar, MediaType, Request, Response, get, post
from litestar.datastructures import State
from litestar.exceptions import NotFoundException
from litestar.static_files import create_static_files_router

POOL = 16 // int(os.environ.get("WORKERS", 1)) or 1
"""Connections to the database, of each process; a statement is prepared once on each of them."""


@asynccontextmanager
async def database(app: Litestar) -> AsyncIterator[None]:
    url = os.environ["DATABASE_URL"]
    async with asyncpg.create_pool(url, min_size=POOL, max_size=POOL) as app.state.database:
        yield


@dataclass
class Advert:
    result: str


@dataclass
class Item:
    id: int
    shelf: int
    name: str


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


@get("/row")
async def row(id: int, state: State) -> Item:
    found = await state.database.fetchrow("SELECT id, shelf, name FROM item WHERE id = $1", id)
    if found is None:
        raise NotFoundException
    return Item(**found)


@get("/page")
async def page(shelf: int, state: State) -> list[Item]:
    sought = "SELECT id, shelf, name FROM item WHERE shelf = $1 ORDER BY id"
    return [Item(**found) for found in await state.database.fetch(sought, shelf)]


routes: list[Any] = [hello, empty, fillbuffer, echo, delay, upload, forward, row, page]
if "STATIC_DIR" in os.environ:
    routes.append(create_static_files_router("/static", directories=[os.environ["STATIC_DIR"]]))

app = Litestar(routes, lifespan=[database] if "DATABASE_URL" in os.environ else [])
