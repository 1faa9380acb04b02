"""Workload files."""

from tests.messages.case import Section, case, changed, typed

SHOP = """\
name = "shop"
data = "users.csv"
order = "sequential"

[[once]]
path = "/login"
method = "POST"
body = "x"
take = { token = "json /token" }

[[request]]
name = "user"
path = "/users/{{id}}"
headers = { Authorization = "Bearer {{token}}" }
weight = 9
expect.status = 200
expect.json = { id = "number" }

[[request]]
name = "cart"
path = "/cart"
body_file = "cart.json"
"""
ONE = """\
name = "one"

[request]
path = "/"

[expect]
status = 200
"""
CALL = """\
name = "call"

[grpc]
method = "a.B/C"
message_base64 = ""
"""
CHAT = """\
name = "chat"
[websocket]
message = "hi"
"""
FILES: dict[str, str | bytes] = {
    "shop.toml": SHOP,
    "users.csv": "id,name\n1,Ann\n2,Bob\n",
    "cart.json": "{}",
    "one.toml": ONE,
    "call.toml": CALL,
    "chat.toml": CHAT,
}

SECTION = Section(
    "Workload files",
    (
        *typed("""
            workload show helo
            workload show none.toml
            race nginx --workload ./shop.toml --close
            race nginx --workload ./shop.toml --request /
        """),
        *changed(
            "shop.toml",
            SHOP,
            """
            name = "shop" ~>
            name = "shop" ~> nmae = "shop"
            data = "users.csv" ~>
            data = "users.csv" ~> data = "none.csv"
            order = "sequential" ~> order = "random-ish"
            order = "sequential" ~> files = { a = "" }
            order = "sequential" ~> [expect]
            path = "/users/{{id}}" ~> paht = "/users/{{id}}"
            path = "/users/{{id}}" ~> path = "users"
            path = "/users/{{id}}" ~> path = "/users/{{di}}"
            path = "/users/{{id}}" ~> path = "/users/{{id"
            path = "/users/{{id}}" ~> path = "/users/{{random 9 1}}"
            path = "/users/{{id}}" ~> path = "/users/{{hex 9999}}"
            path = "/users/{{id}}" ~> path = "/a b"
            expect.status = 200 ~> expect.body = "{{hex 4}}"
            path = "/users/{{id}}" ~> path = "/users/{{id}} "
            Authorization ~> "Bad name"
            Authorization ~> Host
            Authorization ~> Accept-Encoding
            "Bearer {{token}}" ~> "Bearer {{token}}\\u0001"
            weight = 9 ~> weight = 0
            weight = 9 ~> method = "get"
            name = "cart" ~> name = "user"
            expect.status = 200 ~> expect.status = "ok"
            expect.status = 200 ~> expect.status = 2010
            expect.status = 200 ~> expect.body = "{{nam}}"
            expect.status = 200 ~> expect.lenght = 5
            { id = "number" } ~> { id = "numbre" }
            { id = "number" } ~> 7
            { id = "number" } ~> ["number", "string"]
            json /token ~> jsn /token
            take = { token ~> take = { id
            body = "x" ~> body = "x"\\nbody_bytes = 5
            body = "x" ~> body_bytes = 99999999
            body_file = "cart.json" ~> body_file = "none.json"
            """,
            "workload show ./shop.toml",
        ),
        *changed(
            "call.toml",
            CALL,
            """
            [grpc] ~> request.path = "/"\\n[grpc]
            [grpc] ~> expect.status = 201\\n[grpc]
            [grpc] ~> [[grpc]]
            message_base64 = "" ~>
            message_base64 = "" ~> message_base64 = "%"
            message_base64 = "" ~> message_base64 = ""\\nmessage = {}
            message_base64 = "" ~> message_base64 = ""\\nmetadata = { te = "" }
            """,
            "workload show ./call.toml",
        ),
        *changed(
            "chat.toml",
            CHAT,
            """
            [websocket] ~> request.path = "/x"\\n[websocket]
            [websocket] ~> [held]\\nstreams = 9\\npath = "/x"\\n[websocket]
            [websocket] ~> expect.status = 201\\n[websocket]
            [websocket] ~> [grpc]\\nmethod = "a/B"\\nmessage_base64 = ""\\n[websocket]
            message = "hi" ~>
            message = "hi" ~> message = "hi"\\nmessage_bytes = 2
            message = "hi" ~> message_base64 = "/w=="
            message = "hi" ~> message_bytes = 1048577
            message = "hi" ~> message = "hi"\\nheaders = { Upgrade = "x" }
            message = "hi" ~> message = "hi"\\npath = "chat"
            message = "hi" ~> message = "hi"\\nheaders = { Sec-WebSocket-Extensions = "x" }
            """,
            "workload show ./chat.toml",
        ),
        *changed(
            "one.toml",
            ONE,
            """
            [request] ~> [requets]
            name = "one" ~> name = "one"\\nupstream_delay_ms = 1\\ndatabase_rows = 20
            path = "/" ~> path = "/a\\u0001"
            status = 200 ~> body = "a"\\nsha256 = "b"
            status = 200 ~> body = "a"\\nbody_file = "b"
            status = 200 ~> body_matches = "("
            status = 200 ~> body_matches = "(.)\\\\1"
            status = 200 ~> length_between = [9, 1]
            status = 200 ~> length_between = [9]
            status = 200 ~> headers = { "X Y" = "1" }
            [request]\\npath = "/" ~>
            [request]\\npath = "/" ~> request = []
            """,
            "workload show ./one.toml",
        ),
        *(
            case("workload show ./shop.toml", f"users.csv {given}", files={"users.csv": content})
            for given, content in (
                ("is empty", b""),
                ("has no row", b"id,name\n"),
                ("has a row that is too short", b"id,name\n1,Ann\n2\n"),
                ("has a column without a name", b"id,\n1,Ann\n"),
                ("has a column twice", b"id,id\n1,2\n"),
                ("is Latin-1", b"id,name\n1,J\xf6rg\n"),
                ("has a quotation mark that is never closed", b'id,name\n1,"Ann\n'),
                ("has a user with a space", b"id,name\na b,Ann\n"),
            )
        ),
        case(">>> bakeoff.race('nginx', workload={'request': {'path': '/', 'body_file': 'no'}})"),
        case(">>> bakeoff.race('nginx', workload={'request': {'paht': '/'}})"),
    ),
    files=FILES,
)
