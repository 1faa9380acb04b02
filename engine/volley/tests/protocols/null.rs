//! The null server with each protocol, and our client.

use crate::processes::{certificate, null};
use crate::{load, loads_rightly, ways, ways_of};

const PROTOCOLS: [&str; 5] = ["h1", "h1-tls", "h2c", "h2", "h3"];

const BODY: [&str; 2] = ["--expect-body", "Hello, World!"];

/// The arguments of `volley load` for a null server of this protocol.
fn words<'a>(protocol: &'a str, url: &'a str) -> Vec<&'a str> {
    let trust: &[&str] = if url.starts_with("https") { &["--insecure"] } else { &[] };
    [&["--protocol", protocol][..], trust, &BODY, &[url]].concat()
}

fn url(protocol: &str, address: impl std::fmt::Display) -> String {
    let scheme = if matches!(protocol, "h1-tls" | "h2" | "h3") { "https" } else { "http" };
    format!("{scheme}://{address}/some/path?with=query")
}

#[test]
fn each_protocol_is_answered_rightly() {
    for protocol in PROTOCOLS {
        for io in ways_of(protocol) {
            let server = null(&["--protocol", protocol, io]);
            let url = url(protocol, server.address);
            let words = words(protocol, &url);
            for more in [&["-n", "300", "-c", "4"][..], &["-n", "40", "-c", "4", "--close"]] {
                let asked: u64 = more[1].parse().unwrap();
                let words = [&[io][..], more, &words].concat();
                assert_eq!(loads_rightly(&words), asked, "{words:?}");
            }
        }
    }
}

/// Two datagrams there and two back, and the close: none that tries how much the path carries.
#[test]
fn a_connection_over_quic_for_one_request_takes_no_datagram_more_than_that() {
    let server = null(&["--protocol", "h3"]);
    let url = url("h3", server.address);
    let words = [&["-n", "100", "-c", "1", "--close"][..], &words("h3", &url)].concat();
    let (_, value) = load(&words);
    let of = &value["datagrams"];
    let counts = [&of["sent"], &of["received"]].map(|count| count.as_u64().unwrap());
    // A machine that stalls sends some of them again.
    assert!(counts[0] >= 300 && counts[0] < 350, "{value:#}");
    assert!(counts[1] >= 200 && counts[1] < 250, "{value:#}");
}

#[test]
fn the_body_is_as_long_as_it_should_be() {
    for protocol in PROTOCOLS {
        for length in ["0", "102400", "1048576"] {
            let server = null(&["--protocol", protocol, "--body-length", length]);
            let url = url(protocol, server.address);
            for io in ways_of(protocol) {
                let asked = [io, "-n", "20", "-c", "2", "--expect-length", length];
                let words = words(protocol, &url).into_iter().filter(|word| !BODY.contains(word));
                assert_eq!(loads_rightly(&asked.into_iter().chain(words).collect::<Vec<_>>()), 20);
            }
        }
    }
}

#[test]
fn streams_and_pipelines_are_answered_each() {
    let h2c = null(&["--protocol", "h2c"]);
    let h2 = null(&["--protocol", "h2"]);
    let length = "GET / HTTP/1.1\r\nHost: null\r\n\r\n".len().to_string();
    let h1 = null(&["--protocol", "h1-tls", "--request-length", &length]);
    let h3 = null(&["--protocol", "h3"]);
    for io in ways() {
        for (protocol, server) in [("h2c", &h2c), ("h2", &h2), ("h3", &h3)] {
            let url = url(protocol, server.address);
            let io = if protocol == "h3" { "--io=epoll" } else { io };
            for streams in ["2", "64"] {
                let more = [io, "-n", "2000", "-c", "3", "--streams", streams];
                assert_eq!(loads_rightly(&[&more[..], &words(protocol, &url)].concat()), 2000);
            }
        }
        let url = format!("https://{}/", h1.address);
        let more = [io, "-n", "2000", "-c", "3", "--pipeline", "16", "-H", "Host: null"];
        assert_eq!(loads_rightly(&[&more[..], &words("h1-tls", &url)].concat()), 2000);
    }
}

#[test]
fn requests_with_bodies_are_answered_when_they_are_whole() {
    let body = "x".repeat(100_000);
    for protocol in ["h2c", "h2", "h3"] {
        let server = null(&["--protocol", protocol]);
        let url = url(protocol, server.address);
        let more = ["-n", "50", "-c", "2", "--streams", "4", "--body", &body];
        assert_eq!(loads_rightly(&[&more[..], &words(protocol, &url)].concat()), 50);
    }
}

#[test]
fn a_certificate_of_ones_own_is_shown_and_believed() {
    let (cert, key) = certificate("null");
    let (other, _) = certificate("other");
    for protocol in ["h1-tls", "h2", "h3"] {
        let server = null(&["--protocol", protocol, "--cert", &cert, "--key", &key]);
        let url = format!("https://{}/", server.address);
        let words = |limit, ca| {
            [
                &["--protocol", protocol, "--server-name", "localhost"][..],
                limit,
                &["--ca", ca, &url],
            ]
            .concat()
        };
        assert_eq!(loads_rightly(&words(&["-n", "20"], &cert)), 20);
        // Connections that are never made are not requests.
        let (status, value) = load(&words(&["-d", "300ms"], &other));
        assert_eq!(status, 1, "{value:#}");
        assert!(value["errors"]["certificate"].as_u64().unwrap() > 0, "{value:#}");
    }
}

#[test]
fn a_ceiling_is_the_protocol_s_own() {
    for protocol in PROTOCOLS {
        let server = null(&["--protocol", protocol]);
        let url = url(protocol, server.address);
        let more = ["-n", "20", "-c", "2", "--ceiling"];
        let (status, value) = load(&[&more[..], &words(protocol, &url)].concat());
        assert_eq!(status, 0, "{value:#}");
        let rate = value["ceiling"]["requests_per_s"].as_f64();
        assert!(rate.is_some_and(|rate| rate > 0.0), "{protocol}: {:#}", value["ceiling"]);
    }
}

#[test]
fn a_ceiling_of_short_connections_and_of_old_clients_is_found_too() {
    let server = null(&[]);
    let url = url("h1", server.address);
    for more in ["--close", "--http1.0"] {
        let (status, value) = load(&["-n", "20", "-c", "2", "--ceiling", more, &url]);
        assert_eq!(status, 0, "{value:#}");
        let rate = value["ceiling"]["requests_per_s"].as_f64();
        assert!(rate.is_some_and(|rate| rate > 0.0), "{more}: {:#}", value["ceiling"]);
    }
}

/// Each side is told the other's protocol, as far as it can be recognised.
#[test]
fn a_protocol_that_the_server_does_not_speak_is_told_in_plain_words() {
    let mixed = [
        ("h1", "h1-tls", "handshake", "it answers in cleartext"),
        ("h1", "h2c", "malformed", "answers in HTTP/1"),
        ("h1", "h2", "handshake", "it answers in cleartext"),
        ("h1-tls", "h1", "malformed", "seems to speak TLS"),
        ("h1-tls", "h2c", "malformed", "seems to speak TLS"),
        ("h1-tls", "h2", "alpn", "offered h2"),
        ("h2c", "h1", "malformed", "seems to speak HTTP/2"),
        ("h2c", "h1-tls", "handshake", "it answers in cleartext"),
        ("h2c", "h2", "handshake", "it answers in cleartext"),
        ("h2", "h1", "malformed", "seems to speak TLS"),
        ("h2", "h1-tls", "alpn", "offered http/1.1"),
        ("h2", "h2c", "malformed", "seems to speak TLS"),
    ];
    for (scheme, asked, kind, part) in mixed {
        let server = null(&["--protocol", scheme]);
        let url = url(asked, server.address);
        let more = ["-c", "1", "-d", "200ms", "-w", "0"];
        let (status, value) = load(&[&more[..], &words(asked, &url)].concat());
        let errors = value["errors"].as_object().unwrap();
        let who = format!("{asked} of a server of {scheme}");
        assert_eq!(errors.keys().collect::<Vec<_>>(), [kind], "{who}: {value:#}");
        assert_eq!((status, &value["requests"]), (1, &0.into()), "{who}");
        let detail = value["first_bad"]["detail"].as_str().unwrap_or_default();
        assert!(detail.contains(part), "{who}: {detail}");
    }
}
