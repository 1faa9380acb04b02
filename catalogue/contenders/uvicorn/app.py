"""The ASGI application: a path, its answer."""

import asyncio
import hashlib
import json
import os
from collections import defaultdict
from functools import cache
from itertools import count
from urllib.parse import parse_qs

import aiohttp
import asyncpg

ROW = "SELECT id, shelf, name FROM item WHERE id = $1"
PAGE = "SELECT id, shelf, name FROM item WHERE shelf = $1 ORDER BY id"
POOL = 16 // int(os.environ.get("WORKERS", 1)) or 1
"""Connections to the database, of each process; a statement is prepared once on each of them."""


@cache
def upstream():
    """The client, made in the running loop, as it wants to be. It has as many connections as there
    are requests under way; by default there are 100 at most."""
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=300))


async def read_body(receive):
    body = b""
    more = True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


async def digest(receive):
    so_far = hashlib.sha256()
    more = True
    while more:
        message = await receive()
        so_far.update(message.get("body", b""))
        more = message.get("more_body", False)
    return so_far.hexdigest().encode()


@cache
def database():
    """The pool, opened before the first request."""
    return asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=POOL, max_size=POOL)


async def lifespan(receive, send):
    await receive()
    if "DATABASE_URL" in os.environ:
        await database()
    await send({"type": "lifespan.startup.complete"})
    await receive()
    if "DATABASE_URL" in os.environ:
        database().terminate()
    await send({"type": "lifespan.shutdown.complete"})


def key(scope, name):
    """A number of the query."""
    return int(parse_qs(scope["query_string"])[name][0])


def rendered(value):
    # The separators leave out the spaces that json would put.
    return json.dumps(value, separators=(",", ":")).encode()


async def events():
    for number in range(1, 11):
        yield b"id: %d\ndata: Hello, World!\n\n" % number


async def ticks():
    for number in count(1):
        yield b"id: %d\ndata: tick\n\n" % number
        await asyncio.sleep(0.2)


async def passed_on(query):
    url = f"{os.environ['UPSTREAM']}/events?{query.decode()}"
    async with upstream().get(url) as answer:
        async for piece in answer.content.iter_any():
            yield piece


async def stream(send, pieces):
    """Each piece is sent as it comes."""
    headers = [(b"content-type", b"text/event-stream")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    async for piece in pieces:
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


async def messages(receive, send):
    """Each comes back unchanged, text or binary."""
    await receive()
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] == "websocket.receive":
        await send({**message, "type": "websocket.send"})


ROOMS = defaultdict(set)
"""Who sends to the listeners of each room, by its query; of this process alone."""


async def listen(receive, send, room):
    """Each goes to all of the room."""
    await receive()
    await send({"type": "websocket.accept"})
    room.add(send)
    while (message := await receive())["type"] == "websocket.receive":
        said = {**message, "type": "websocket.send"}
        # One that is gone doesn't keep it from the others.
        await asyncio.gather(*(each(said) for each in room), return_exceptions=True)
    room.discard(send)


async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        await lifespan(receive, send)
        return
    if scope["type"] == "websocket" and scope["path"] == "/ws":
        await messages(receive, send)
        return
    if scope["type"] == "websocket" and scope["path"] == "/room":
        await listen(receive, send, ROOMS[scope["query_string"]])
        return
    assert scope["type"] == "http"
    path = scope["path"]
    status, kind = 200, b"text/plain"
    if path == "/":
        body = b"Hello, World!"
    elif path == "/empty":
        body = b""
    elif path == "/fillbuffer":
        kind, body = b"application/json", rendered({"result": "Hello world"})
    elif path == "/echo" and scope["method"] == "POST":
        body = await read_body(receive)
    elif path == "/delay":
        await asyncio.sleep(0.005)
        body = b"Hello, World!"
    elif path == "/upload" and scope["method"] == "POST":
        body = await digest(receive)
    elif path == "/events":
        await stream(send, events())
        return
    elif path == "/ticks":
        await stream(send, ticks())
        return
    elif path == "/stream":
        await stream(send, passed_on(scope["query_string"]))
        return
    elif path == "/forward":
        async with upstream().get(os.environ["UPSTREAM"] + "/") as answer:
            status, kind = answer.status, answer.headers["Content-Type"].encode()
            body = await answer.read()
    elif path == "/row" and (found := await database().fetchrow(ROW, key(scope, b"id"))):
        kind, body = b"application/json", rendered(dict(found))
    elif path == "/page":
        found = await database().fetch(PAGE, key(scope, b"shelf"))
        kind, body = b"application/json", rendered([dict(row) for row in found])
    else:
        status, body = 404, b"Not Found"
    headers = [(b"content-type", kind), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
