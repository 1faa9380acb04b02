//! The texts of `volley load --help`.

/// The options of the short help.
pub(super) const COMMON: &[&str] = &[
    "url",
    "connections",
    "duration",
    "requests",
    "rate",
    "arrivals",
    "warm_up",
    "close",
    "pipeline",
    "protocol",
    "http2",
    "insecure",
    "method",
    "headers",
    "body",
    "request_file",
    "message",
    "expect_status",
    "expect_body",
    "latency",
    "json",
];

/// The text after the short help.
pub(super) const AFTER_SHORT: &str = "\
Example: volley load -c 64 -d 10s http://127.0.0.1:8080/
volley load --help has all options, more examples, and how it measures.";

/// The text after the long help.
pub(super) const AFTER_LONG: &str = "\
How it measures:
  Without a rate the loop is closed: each connection sends its next request when the response to
  its last one is complete. So the latencies are those of a server at saturation.
  With --rate or --stage TIME:RATE the loop is open: requests are due at times of their own, whatever
  became of the others, and latency counts from the time when a request was due.
  A closed loop sends nothing while the server stalls, so the requests that would have had to wait
  are missing from its percentiles (coordinated omission). An open loop counts them. Use it to see how
  long users wait at a rate, and a closed loop to see how much a server can do.
  A request without a response is a miss. It counts as infinitely late: a percentile that falls
  among the misses is ∞ in the text and null in the JSON.
  The warm-up is not counted. At the end, responses in flight are awaited, up to --timeout.

Which responses are right:
  A response is right if its status is below 400 and its framing is sound, and if it passes the checks.
  Others count as errors by kind. Redirects are counted, not followed. Checks of a body that changes
  (--expect-contains, --expect-match, --expect-json) read the bytes as they come, so they can't be
  combined with a request for compression.

TLS and HTTP/2:
  HTTP/2 has to be requested (--protocol h2, or h2c without TLS). A server that does not agree is
  an error, never a silent fall-back. --streams is for HTTP/2 what --pipeline is for HTTP/1. Every
  handshake is full unless --resume is given, and --close makes one for each request. With
  --early-data a request of h3 goes ahead of its handshake. Latency counts from the request, with
  --close from the connect, so with the handshake.

WebSocket:
  With ws:// or wss:// each connection begins with an upgrade, and then --message is sent again and
  again, masked: its echo has to come back byte for byte. A request is then a message, and the answer
  its echo. --pipeline has so many messages in flight, --close makes a connection for each.
  --compression offers permessage-deflate, each message by itself, and a server has to agree to it.

What the limit was:
  The result says whether the generator, the rate or the server was the limit, as far as that can be
  seen from here. --ceiling also measures the generator against its own null server.

Examples:
  volley load http://127.0.0.1:8080/
  volley load -c 512 -d 30s -t 2 --cpus 2,3 http://localhost:8080/plaintext
  volley load -R 5000 --arrivals poisson -d 1m --latency http://localhost:8080/
  volley load --stage 10s:1000 --stage 1m:1000-20000 --csv ramp.csv http://localhost:8080/
  volley load --stage 30s:8-512c http://localhost/          more and more connections
  volley load --close -d 5 http://localhost/                one connection per request
  volley load -n 100000 --pipeline 16 http://localhost/     100,000 requests, 16 at a time
  volley load -b '{\"n\":1}' -H 'Content-Type: application/json' http://localhost:3000/echo
  volley load --expect-status 200 --expect-body 'Hello, World!' http://localhost:8080/
  volley load --expect-json '{\"id\": \"number\", \"tags\": [\"string\"]}' http://localhost:3000/items/1
  volley load --unix /run/app.sock http://app/health
  volley load --ca ca.pem https://localhost:8443/                  HTTP/1.1 in TLS
  volley load --http2 --streams 8 -c 8 -k https://localhost:8443/
  volley load --message hello -c 64 ws://localhost:8080/echo
  volley load --json http://localhost:8080/ | jq .requests_per_s

Exit status:
  0 some responses were right, 1 none was, 2 wrong usage, 3 the server cannot be reached or the
  system lacks something, 130 interrupted (the result so far is printed)";
