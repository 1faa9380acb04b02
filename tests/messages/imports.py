"""`bakeoff workload from`: recordings, logs, commands and descriptions."""

import gzip
import json
from typing import Any

from tests.messages.case import Section, case, typed


def _har(*entries: dict[str, Any]) -> str:
    return json.dumps({"log": {"entries": entries}})


def _entry(url: str = "http://shop/", status: int = 200, **request: Any) -> dict[str, Any]:
    return {"request": {"method": "GET", "url": url, **request}, "response": {"status": status}}


POST: dict[str, Any] = {"method": "POST", "bodySize": 7}
POSTS = """\
openapi: 3.0.0
security: [{}]
paths:
  /a:
    post: {}
  /b/{id}:
    get: {}
  /c:
    get:
      parameters: [{name: q, in: query, required: true}]
"""
LINE = '10.0.0.1 - - [22/Nov/2026:10:00:00 +0000] "{} HTTP/1.1" {} 12\n'
FILES: dict[str, str | bytes] = {
    "there.toml": "",
    "a.har": _har(_entry()),
    "not.har": "{",
    "text.har": b'{"a": "\xff"}',
    "other.har": '{"log": {}}',
    "deep.har": "[" * 100_000,
    "empty.har": _har(),
    "odd.har": _har(
        {"request": {}},
        _entry("ws://shop/live"),
        _entry("file:///etc/hosts"),
        _entry(method="OPTIONS"),
        _entry(method="GET ME"),
        _entry(status=0),
        _entry(status=503),
        _entry(**POST),
        {**_entry(), "response": {"status": 200, "content": {"mimeType": "text/event-stream"}}},
        _entry(method="POST", postData={"text": "\ufffd"}),
        _entry() | {"_fromCache": "disk"},
    ),
    "access.log": LINE.format("GET /", 200),
    "not.log": "hello\n",
    "json.log": '{"a": 1}\n',
    "broken.log": "{\n",
    "list.log": "[1]\n",
    "posts.log": LINE.format("POST /", 200) + LINE.format("GET /", 503),
    "ids.har": _har(*(_entry(f"http://shop/users/{n}") for n in range(9))),
    "bad.log": LINE.format("GET /", 503) + "hello\n{\n",
    "old.log": LINE.format("GET /", 403).replace("GET", "TRACE") + LINE.format("GET /", 400),
    "hosts.log": LINE.format("POST /", 200) + f"shop {LINE.format('GET /', 503)}",
    "list.json.log": '{"request": 1}\n[1]\n',
    "cut.log.gz": gzip.compress(b"hello" * 100)[:30],
    "api.yaml": "openapi: 3.0.0\npaths: {}\n",
    "not.yaml": "a: [",
    "list.yaml": "- a\n",
    "other.yaml": "a: 1\n",
    "deep.yaml": "[" * 300,
    "post.yaml": POSTS,
    "headers": "A: 1",
}

SECTION = Section(
    "Workloads of recorded traffic",
    (
        *typed("""
            workload from har none.har
            workload from har text.har
            workload from har not.har
            workload from har deep.har
            workload from har other.har
            workload from har empty.har
            workload from har odd.har
            workload from har a.har --host other
            workload from har a.har --name 'My Shop'
            workload from har a.har --out there.toml
            workload from har a.har --out none/a.toml
            workload from har a.har --max 0
            workload from har ids.har --out -
            workload from access-log none.log
            workload from access-log not.log
            workload from access-log json.log
            workload from access-log broken.log
            workload from access-log list.log
            workload from access-log posts.log
            workload from access-log bad.log
            workload from access-log old.log
            workload from access-log cut.log.gz
            workload from access-log access.log --host shop
            workload from openapi none.yaml
            workload from openapi not.yaml
            workload from openapi list.yaml
            workload from openapi other.yaml
            workload from openapi deep.yaml
            workload from openapi api.yaml
            workload from openapi post.yaml
            workload from curl ''
            workload from curl 'wget http://localhost/'
            workload from curl 'curl'
            workload from curl 'curl ftp://localhost/'
            workload from curl 'curl -F a=b http://localhost/'
            workload from curl 'curl -T file http://localhost/'
            workload from curl 'curl -K file http://localhost/'
            workload from curl 'curl --hedaer A:1 http://localhost/'
            workload from curl 'curl http://localhost/ -H'
            workload from curl 'curl http://localhost/ -H @headers'
            workload from curl 'curl http://localhost/ -H A'
            workload from curl 'curl http://localhost/ -X G/T'
            workload from curl 'curl http://localhost/ -X CONNECT'
            workload from curl 'curl http://localhost/`id`'
            workload from curl 'curl http://localhost/ -d @-'
            workload from curl 'curl http://localhost/ -d @none'
            workload from curl 'curl http://localhost/ -b jar'
            workload from curl 'curl http://localhost/?a=1&b=2'
            workload from curl 'curl "http://localhost/'
            workload from curl 'curl http://localhost/$HOME'
            workload from curl 'curl "http://localhost/$ID"'
            workload from curl 'curl $'"'"'\\ud800'"'"''
            workload from curl 'curl ^"http://localhost/^"'
            workload from curl
            workload from postman shop.json
        """),
        case("workload from curl -", "standard input is empty"),
    ),
    files=FILES,
)
