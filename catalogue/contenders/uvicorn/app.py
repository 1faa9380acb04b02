"""The ASGI application: a path, its answer."""

import asyncio
import hashlib
import json
import os

import httpx

# As many connections to the upstream as there are requests under way; by default 20 are kept.
upstream = httpx.AsyncClient(
    limits=httpx.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=300)
)


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
        answer = await upstream.get(os.environ["UPSTREAM"] + "/")
        status, kind = answer.status_code, answer.headers["content-type"].encode()
        body = answer.content
    else:
        status, body = 404, b"Not Found"
    headers = [(b"content-type", kind), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
