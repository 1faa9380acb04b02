"""What is asked, as it is typed, and which answer is right."""

from tests.messages.case import Section, case, typed

PROTO = """\
syntax = "proto3";
package a;
message M { string name = 1; }
service B {
  rpc C (M) returns (M);
  rpc Many (M) returns (stream M);
  rpc Sent (stream M) returns (M);
}
"""

SECTION = Section(
    "Requests and expected answers",
    (
        *typed("""
            race nginx --workload helo
            race nginx --workload none.toml
            race nginx --workload json --request /x
            race nginx --request 'POST orders'
            race nginx --request 'GET /a b'
            race nginx --request 'get /'
            race nginx --request /ä
            race nginx --request 'POST /' --method PUT
            race nginx --method 'GET,POST'
            race nginx --request /x -H X
            race nginx --request /x -H 'X: 1' -H 'x: 2'
            race nginx --request /x -H 'X Y: 1'
            race nginx --request /x -H 'Host: example.org'
            race nginx --request /x -H 'Content-Length: 7'
            race nginx --request /x --cookie sid
            race nginx --request /x --user me
            race nginx --request /x -b @none
            race nginx --request /x --body-file none
            race nginx --request /x -b a --body-file b
            race nginx --request '/{{name}}'
            race nginx --request '/{{'
            race nginx --expect-status 99
            race nginx --expect-length few
            race nginx --expect-length 9-1
            race nginx --expect-body a --expect-sha256 b
            race nginx --expect-sha256 abc
            race nginx --expect-body-file none
            race nginx --expect-body a --expect-body-file b
            race nginx --expect-contains ''
            race nginx --expect-match '('
            race nginx --expect-match '(?=a)'
            race nginx --expect-json '{'
            race nginx --expect-json '"text"'
            race nginx --expect-json '{"id": 7}'
            race nginx --expect-json '["number", "string"]'
            race nginx --expect-header content-type
            race nginx --expect-contains a -H 'Accept-Encoding: gzip'
            race nginx --expect-message {}
            race nginx --message a --message-size 1
            race nginx --message @none
            race nginx --message a -b b
            race nginx --message a --request 'POST /'
            race nginx --message a --protocol h2c
            race nginx --message-size 2000000
            race nginx --binary
            race nginx --room 4
            race nginx --message a --room 3
            race nginx --message a --room 4 --close
            day nginx --message a --room 4
            capacity nginx --slo last-p99=1ms
            race nginx --held 5
            race nginx --held-path /events
            race nginx --held 5 --held-path events
            race nginx --held 5 --held-path /events --close
            race nginx --held 5 --held-path /events --protocol h3
            race nginx --held 5 --held-path /events --why
            race nginx --held 5 --held-path /events --events 3
            capacity nginx --held 5 --held-path /events --slo p99=1ms
            race nginx --message @bytes
            race nginx --message a --expect-status 101
            race nginx --message a -H 'Upgrade: h2c'
            race nginx --message a --proto call.proto
            race ws://127.0.0.1:9/
            race ws://127.0.0.1:9/ --message a --protocol h1-tls
            race wss://127.0.0.1:9/ --message a
            crosscheck ws://127.0.0.1:9/
            race nginx --grpc SayHello
            race nginx --grpc a.B/C --request /
            race nginx --grpc a.B/C --message x
            race nginx --grpc a.B/C --message @none
            race nginx --grpc a.B/C --message '[]'
            race nginx --grpc a.B/C --message '{"id": 1}'
            race nginx --grpc a.B/C --proto none.proto
            race nginx --grpc a.B/C --proto b
            race nginx --grpc a.B/C --proto wrong.proto
            race nginx --grpc a.B/D --proto call.proto
            race nginx --grpc a.B/Many --proto call.proto
            race nginx --grpc a.B/C --proto call.proto --events 2
            race nginx --grpc a.B/Sent --proto call.proto
            race nginx --grpc a.B/Many --proto call.proto --events 2 --expect-message {}
            race nginx --grpc a.B/C --proto call.proto --message '{"name": 1}'
            race nginx --grpc a.B/C --protocol h1
            race nginx --grpc a.B/C -H 'te: gzip'
        """),
        case("race nginx -H 'X: a\tb\x01'", "the header has a control character"),
        case(
            "race nginx -b @big",
            "big is a file of 17 MiB",
            lambda scene: scene.write("big", bytes(17 << 20)),
        ),
    ),
    files={
        "b": "b",
        "bytes": b"\xff",
        "call.proto": PROTO,
        "wrong.proto": PROTO.replace("rpc C (M)", "rpc C M"),
    },
)
