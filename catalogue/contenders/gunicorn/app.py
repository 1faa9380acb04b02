"""The WSGI application: a path, its answer."""

import hashlib
import json
import os
import time
from pathlib import Path

import urllib3

# As many connections to the upstream as a process has threads.
upstream = urllib3.PoolManager(maxsize=4)


def send_file(name, environ, start_response):
    """Gunicorn sends what is in its file_wrapper by sendfile, except over TLS."""
    path = Path(os.environ["STATIC_DIR"], Path(name).name)
    try:
        file = path.open("rb")
    except OSError:
        start_response("404 Not Found", [("Content-Type", "text/plain"), ("Content-Length", "0")])
        return []
    length = os.fstat(file.fileno()).st_size
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(length))])
    return environ["wsgi.file_wrapper"](file)


def app(environ, start_response):
    path = environ["PATH_INFO"]
    status, kind = "200 OK", "text/plain"
    if path.startswith("/static/") and "STATIC_DIR" in os.environ:
        return send_file(path, environ, start_response)
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
        time.sleep(0.005)
        body = b"Hello, World!"
    elif path == "/upload" and environ["REQUEST_METHOD"] == "POST":
        body = hashlib.sha256(environ["wsgi.input"].read()).hexdigest().encode()
    elif path == "/forward":
        answer = upstream.request("GET", os.environ["UPSTREAM"] + "/")
        status, kind = f"{answer.status} {answer.reason}", answer.headers["Content-Type"]
        body = answer.data
    else:
        status, body = "404 Not Found", b"Not Found"
    start_response(status, [("Content-Type", kind), ("Content-Length", str(len(body)))])
    # WSGI leaves it to the application to give HEAD no body.
    return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]
