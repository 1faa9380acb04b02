"""The ASGI application: a path, its answer."""

import asyncio
import hashlib
import json


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


async def lifespan(receive, send):
    await receive()
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await send({"type": "lifespan.shutdown.complete"})


async def events(send):
    """Each event is sent as it comes."""
    headers = [(b"content-type", b"text/event-stream")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    for number in range(1, 11):
        event = b"id: %d\ndata: Hello, World!\n\n" % number
        await send({"type": "http.response.body", "body": event, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        await lifespan(receive, send)
        return
    assert scope["type"] == "http"
    path = scope["path"]
    status, kind = 200, b"text/plain"
    if path == "/":
        body = b"Hello, World!"
    elif path == "/empty":
        body = b""
    elif path == "/fillbuffer":
        # The separators leave out the spaces that json would put.
        value = json.dumps({"result": "Hello world"}, separators=(",", ":"))
        kind, body = b"application/json", value.encode()
    elif path == "/echo" and scope["method"] == "POST":
        body = await read_body(receive)
    elif path == "/delay":
        await asyncio.sleep(0.005)
        body = b"Hello, World!"
    elif path == "/upload" and scope["method"] == "POST":
        body = await digest(receive)
    elif path == "/events":
        await events(send)
        return
    else:
        status, body = 404, b"Not Found"
    headers = [(b"content-type", kind), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
