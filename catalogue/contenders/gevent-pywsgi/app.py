"""The WSGI application: a path, its answer."""

import hashlib
import json

from gevent import sleep


def app(environ, start_response):
    path = environ["PATH_INFO"]
    status, kind = "200 OK", "text/plain"
    if path == "/":
        body = b"Hello, World!"
    elif path == "/empty":
        body = b""
    elif path == "/fillbuffer":
        kind = "application/json"
        # The separators leave out the spaces that json would put.
        body = json.dumps({"result": "Hello world"}, separators=(",", ":")).encode()
    elif path == "/echo" and environ["REQUEST_METHOD"] == "POST":
        body = environ["wsgi.input"].read()
    elif path == "/delay":
        sleep(0.005)
        body = b"Hello, World!"
    elif path == "/upload" and environ["REQUEST_METHOD"] == "POST":
        body = hashlib.sha256(environ["wsgi.input"].read()).hexdigest().encode()
    else:
        status, body = "404 Not Found", b"Not Found"
    start_response(status, [("Content-Type", kind), ("Content-Length", str(len(body)))])
    # WSGI leaves it to the application to give HEAD no body.
    return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]
