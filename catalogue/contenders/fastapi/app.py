"""The application, as FastAPI's tutorial writes it."""

import asyncio
import hashlib
import os
from contextlib import asynccontextmanager
from functools import cache

import aiohttp
import asyncpg
from fastapi import FastAPI, HTTPException, Request, Response, WebSocket
from fastapi.responses import PlainTextResponse
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel

POOL = 16 // int(os.environ.get("WORKERS", 1)) or 1
"""Connections to the database, of each process; a statement is prepared once on each of them."""


@asynccontextmanager
async def lifespan(app: FastAPI):
    if "DATABASE_URL" not in os.environ:
        yield
        return
    url = os.environ["DATABASE_URL"]
    async with asyncpg.create_pool(url, min_size=POOL, max_size=POOL) as app.state.database:
        yield


app = FastAPI(lifespan=lifespan)


class Advert(BaseModel):
    result: str


class Item(BaseModel):
    id: int
    shelf: int
    name: str


@cache
def upstream():
    """The client, made in the running loop, as it wants to be. It has as many connections as there
    are requests under way; by default there are 100 at most."""
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=300))


@app.get("/", response_class=PlainTextResponse)
async def hello():
    return "Hello, World!"


@app.get("/empty")
async def empty():
    return Response()


@app.get("/fillbuffer")
async def fillbuffer() -> Advert:
    return Advert(result="Hello world")


@app.post("/echo", response_class=PlainTextResponse)
async def echo(request: Request):
    return PlainTextResponse(await request.body())


@app.get("/delay", response_class=PlainTextResponse)
async def delay():
    await asyncio.sleep(0.005)
    return "Hello, World!"


@app.post("/upload", response_class=PlainTextResponse)
async def upload(request: Request):
    digest = hashlib.sha256()
    async for piece in request.stream():
        digest.update(piece)
    return digest.hexdigest()


@app.websocket("/ws")
async def messages(socket: WebSocket):
    await socket.accept()
    while (message := await socket.receive())["type"] == "websocket.receive":
        await socket.send({**message, "type": "websocket.send"})  # text or binary


@app.get("/forward")
async def forward():
    async with upstream().get(os.environ["UPSTREAM"] + "/") as answer:
        body = await answer.read()
        return Response(body, answer.status, media_type=answer.headers["Content-Type"])


@app.get("/row")
async def row(id: int) -> Item:
    found = await app.state.database.fetchrow("SELECT id, shelf, name FROM item WHERE id = $1", id)
    if found is None:
        raise HTTPException(404)
    return Item(**found)


@app.get("/page")
async def page(shelf: int) -> list[Item]:
    sought = "SELECT id, shelf, name FROM item WHERE shelf = $1 ORDER BY id"
    return [Item(**found) for found in await app.state.database.fetch(sought, shelf)]


if "STATIC_DIR" in os.environ:
    app.mount("/static", StaticFiles(directory=os.environ["STATIC_DIR"]))
