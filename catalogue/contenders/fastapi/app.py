"""The application, as FastAPI's tutorial writes it."""

import asyncio
import hashlib
import os
from functools import cache

import aiohttp
from fastapi import FastAPI, Request, Response, WebSocket
from fastapi.responses import PlainTextResponse
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel

app = FastAPI()


class Advert(BaseModel):
    result: str


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


if "STATIC_DIR" in os.environ:
    app.mount("/static", StaticFiles(directory=os.environ["STATIC_DIR"]))
