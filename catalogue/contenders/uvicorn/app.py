"""The ASGI application: a path, its answer."""

import asyncio
import hashlib
import json
import os
from functools import cache

import aiohttp


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


async def app(scope, receive, send):
    assert scope["type"] == "http"
    path = scope["path"]
    status, kind = 200, b"text/plain"
    if path == "/":
        body = b"Hello, World!"
    elif path == "/empty":
        body = b""
    elif path == "/fillbuffer":
        kind = b"application/json"
        # The separators leave out the spaces that json would put.
        body = json.dumps({"result": "Hello world"}, separators=(",", ":")).encode()
    elif path == "/echo" and scope["method"] == "POST":
        body = await read_body(receive)
    elif path == "/delay":
        await asyncio.sleep(0.005)
        body = b"Hello, World!"
    elif path == "/upload" and scope["method"] == "POST":
        body = await digest(receive)
    elif path == "/forward":
        async with upstream().get(os.environ["UPSTREAM"] + "/") as answer:
            status, kind = answer.status, answer.headers["Content-Type"].encode()
            body = await answer.read()
    else:
        status, body = 404, b"Not Found"
    headers = [(b"content-type", kind), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
