"""The application, as Flask's documentation writes it."""

import hashlib
import os
import time

import requests
from flask import Flask, Response, request, send_from_directory

app = Flask(__name__, static_folder=None)

# As many connections to the upstream as a process has threads.
upstream = requests.Session()
upstream.mount("http://", requests.adapters.HTTPAdapter(pool_maxsize=4))


@app.get("/")
def hello():
    return Response("Hello, World!", mimetype="text/plain")


@app.get("/empty")
def empty():
    return Response(mimetype="text/plain")


@app.get("/fillbuffer")
def fillbuffer():
    # jsonify and a returned dict would end it with a line break; spaces are left out as they do.
    body = app.json.dumps({"result": "Hello world"}, separators=(",", ":"))
    return Response(body, mimetype="application/json")


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


@app.get("/static/<name>")
def static_file(name):
    return send_from_directory(os.environ["STATIC_DIR"], name)
