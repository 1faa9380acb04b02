"""The application, as Flask's documentation writes it."""

import hashlib
import os
import time

import requests
from flask import Flask, Response, abort, request, send_from_directory
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool

THREADS = 4
POOL = min(THREADS, 16 // int(os.environ.get("WEB_CONCURRENCY", 1))) or 1

app = Flask(__name__, static_folder=None)
app.json.sort_keys = False  # a row keeps the order of its columns

# As many connections to the upstream as a process has threads.
upstream = requests.Session()
upstream.mount("http://", requests.adapters.HTTPAdapter(pool_maxsize=THREADS))

# A connection to the database for each thread, in all processes 16 at most.
database = ConnectionPool(
    os.environ.get("DATABASE_URL", ""),
    min_size=POOL,
    max_size=POOL,
    kwargs={"autocommit": True, "row_factory": dict_row},
    open="DATABASE_URL" in os.environ,
)


@app.get("/")
def hello():
    return Response("Hello, World!", mimetype="text/plain")


@app.get("/empty")
def empty():
    return Response(mimetype="text/plain")


def rendered(value):
    # jsonify and a returned dict would end it with a line break; spaces are left out as they do.
    body = app.json.dumps(value, separators=(",", ":"))
    return Response(body, mimetype="application/json")


@app.get("/fillbuffer")
def fillbuffer():
    return rendered({"result": "Hello world"})


@app.post("/echo")
def echo():
    return Response(request.get_data(), mimetype="text/plain")


@app.get("/delay")
def delay():
    time.sleep(0.005)
    return Response("Hello, World!", mimetype="text/plain")


@app.post("/upload")
def upload():
    digest = hashlib.sha256()
    while piece := request.stream.read(65536):
        digest.update(piece)
    return Response(digest.hexdigest(), mimetype="text/plain")


@app.get("/forward")
def forward():
    answer = upstream.get(os.environ["UPSTREAM"] + "/")
    return Response(answer.content, answer.status_code, content_type=answer.headers["Content-Type"])


@app.get("/row")
def row():
    # psycopg prepares a statement once a connection has executed it five times.
    sought = "SELECT id, shelf, name FROM item WHERE id = %s"
    with database.connection() as connection:
        found = connection.execute(sought, [request.args["id"]]).fetchone()
    return rendered(found) if found else abort(404)


@app.get("/page")
def page():
    sought = "SELECT id, shelf, name FROM item WHERE shelf = %s ORDER BY id"
    with database.connection() as connection:
        return rendered(connection.execute(sought, [request.args["shelf"]]).fetchall())


@app.get("/static/<name>")
def static_file(name):
    return send_from_directory(os.environ["STATIC_DIR"], name)
