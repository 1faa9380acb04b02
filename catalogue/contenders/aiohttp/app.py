"""The application, as aiohttp's documentation writes it."""

import asyncio
import hashlib
import json
import os
from functools import cache, partial

import aiohttp
from aiohttp import web

routes = web.RouteTableDef()
# The separators leave out the spaces that json would put.
dumps = partial(json.dumps, separators=(",", ":"))


@cache
def upstream():
    """The client, made in the running loop, as it wants to be. It has as many connections as there
    are requests under way; by default there are 100 at most."""
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=300))


@routes.get("/")
async def hello(request):
    return web.Response(text="Hello, World!")


@routes.get("/empty")
async def empty(request):
    return web.Response()


@routes.get("/fillbuffer")
async def fillbuffer(request):
    response = web.json_response({"result": "Hello world"}, dumps=dumps)
    response.enable_compression()  # for those who ask for it
    return response


@routes.post("/echo")
async def echo(request):
    return web.Response(body=await request.read(), content_type="text/plain")


@routes.get("/delay")
async def delay(request):
    await asyncio.sleep(0.005)
    return web.Response(text="Hello, World!")


@routes.post("/upload")
async def upload(request):
    digest = hashlib.sha256()
    async for piece in request.content.iter_any():
        digest.update(piece)
    return web.Response(text=digest.hexdigest())


@routes.get("/forward")
async def forward(request):
    async with upstream().get(os.environ["UPSTREAM"] + "/") as answer:
        body = await answer.read()
        kind = {"Content-Type": answer.headers["Content-Type"]}
        return web.Response(body=body, status=answer.status, headers=kind)


@routes.get("/ws")
async def messages(request):
    socket = web.WebSocketResponse(compress=False)
    await socket.prepare(request)
    async for message in socket:
        if message.type is web.WSMsgType.TEXT:
            await socket.send_str(message.data)
        elif message.type is web.WSMsgType.BINARY:
            await socket.send_bytes(message.data)
    return socket


if "STATIC_DIR" in os.environ:
    routes.static("/static", os.environ["STATIC_DIR"])

app = web.Application()
app.add_routes(routes)
