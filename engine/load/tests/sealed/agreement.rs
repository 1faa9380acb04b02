//! Where client and server do not agree, the error says why.

use crate::world::guard::both_ways;
use crate::world::loading::{GOOD, errors, requests, run, size};
use crate::world::sealed::{Server, sealed};
use crate::world::servers::{self, serve};
use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::thread;
use std::time::Duration;
use volley_load::errors::ErrorKind;
use volley_load::pace::Pace;
use volley_load::scheme::Scheme;
use volley_load::slice::{Outcome, Plan};
use volley_load::target::Target;
use volley_load::workers::Workers;
use volley_net::IoChoice;

const MS: u64 = 1_000_000;

/// Runs a short slice in which only one kind of failure occurs.
fn fails(io: IoChoice, target: Target, kind: ErrorKind, words: &str) {
    let plan = Plan {
        at_ns: None,
        ramp_ns: 0,
        duration_ns: Some(50 * MS),
        requests: None,
        pace: Pace::Closed,
        intervals: false,
        server_pids: Vec::new(),
    };
    let mut workers = Workers::start(&size(io), &[Arc::new(target)]).unwrap();
    let opened = workers.open(0).unwrap();
    assert_eq!(opened.open, 0);
    let bad = opened.first_bad.unwrap();
    assert_eq!(bad.kind, kind, "{}", bad.detail);
    assert!(bad.detail.contains(words), "{}", bad.detail);
    let outcome = run(&mut workers, &plan);
    let kinds: Vec<ErrorKind> = errors(&outcome).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, [kind]);
    assert_eq!((outcome.tally.requests_all, outcome.tally.connects), (0, 0));
    assert_eq!((outcome.tally.handshakes, outcome.tally.terms.tls), (0, None));
}

/// Expects this many right answers from a server.
fn serves(io: IoChoice, target: Target) -> Outcome {
    let mut workers = Workers::start(&size(io), &[Arc::new(target)]).unwrap();
    let outcome = run(&mut workers, &requests(20));
    assert_eq!((errors(&outcome), outcome.tally.requests_all), (vec![], 20));
    outcome
}

fn answering(server: &Server) -> (std::net::SocketAddr, String) {
    server.serve(|mut talk| talk.answer_all(GOOD, &AtomicU64::new(0)))
}

#[test]
fn a_certificate_that_is_not_believed_is_told_with_the_reason() {
    both_ways(|io| {
        for (server, words) in [
            (Server { expired: true, ..Server::default() }, "certificate has expired"),
            (
                Server { name: "a.example", ..Server::default() },
                "is not for localhost, but for a.example",
            ),
        ] {
            let (address, ca) = answering(&server);
            let scheme = Scheme::H1Tls;
            fails(io, sealed(address, scheme, Some(&ca), false), ErrorKind::Certificate, words);
            // A client that trusts any server does not verify.
            serves(io, sealed(address, scheme, None, false));
        }
        let (_, other_ca) = Server::default().config();
        let (address, _) = answering(&Server::default());
        let unknown = sealed(address, Scheme::H1Tls, Some(&other_ca), false);
        fails(io, unknown, ErrorKind::Certificate, "nor does one of them vouch for it");
    });
}

#[test]
fn the_certificate_itself_may_be_given_whatever_it_says() {
    both_ways(|io| {
        // A usual handmade certificate: signed by itself, and marked as a CA's.
        let key = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::new(["a.example".to_owned()]).unwrap();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let own = params.self_signed(&key).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![own.der().clone()],
                rustls::pki_types::PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
            )
            .unwrap();
        let config = Arc::new(config);
        let address = serve(move |talk| {
            let session = rustls::ServerConnection::new(config.clone()).unwrap();
            let stream = rustls::StreamOwned::new(session, talk.stream);
            servers::Conversation::new(stream, 0).answer_all(GOOD, &AtomicU64::new(0));
        });
        serves(io, sealed(address, Scheme::H1Tls, Some(&own.pem()), false));
    });
}

#[test]
fn http_2_has_to_be_agreed_on_and_http_1_need_not_be() {
    both_ways(|io| {
        let silent = Server::default();
        let (address, ca) = answering(&silent);
        let asked = sealed(address, Scheme::H2, Some(&ca), false);
        fails(io, asked, ErrorKind::Alpn, "offered h2, and the server selected none");
        let outcome = serves(io, sealed(address, Scheme::H1Tls, Some(&ca), false));
        assert_eq!(outcome.tally.terms.tls.unwrap().alpn, None);

        let (address, ca) = answering(&Server { alpn: &["http/1.1"], ..Server::default() });
        let asked = sealed(address, Scheme::H2, Some(&ca), false);
        fails(io, asked, ErrorKind::Alpn, "offered h2, which the server does not speak");
        let (address, ca) = answering(&Server { alpn: &["h2"], ..Server::default() });
        let asked = sealed(address, Scheme::H1Tls, Some(&ca), false);
        fails(io, asked, ErrorKind::Alpn, "offered http/1.1, which the server does not speak");
    });
}

#[test]
fn a_server_without_tls_is_told_as_such_and_so_is_one_with() {
    both_ways(|io| {
        // It waits, like a server that has not read a whole request, or it complains.
        let plain = serve(|mut talk| {
            talk.await_bytes();
            let _ = talk.stream.read(&mut [0; 4096]);
            talk.say(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
            let _ = talk.stream.read_to_end(&mut Vec::new());
        });
        let asked = sealed(plain, Scheme::H1Tls, None, false);
        fails(io, asked, ErrorKind::Handshake, "does not speak TLS here: it answers in cleartext");
        let closing = serve(|talk| talk.await_bytes());
        let asked = sealed(closing, Scheme::H1Tls, None, false);
        let words = "TLS handshake";
        fails(io, asked, ErrorKind::Handshake, words);

        let (address, _) = answering(&Server::default());
        let target = crate::world::loading::target(address);
        let outcome = crate::world::loading::load(io, target, &requests(1));
        assert_eq!(errors(&outcome), [(ErrorKind::Malformed, 1)]);
        let bad = outcome.tally.first_bad.unwrap();
        assert!(bad.detail.contains("this server seems to speak TLS"), "{}", bad.detail);
    });
}

#[test]
fn a_handshake_that_does_not_end_is_given_up_in_time() {
    both_ways(|io| {
        let silent = serve(|mut talk| {
            let _ = talk.stream.read_to_end(&mut Vec::new());
        });
        let slow = Server::default().serve_through(
            |stream| {
                thread::sleep(Duration::from_millis(300));
                stream
            },
            |mut talk| drop(talk.stream.flush()),
        );
        for address in [silent, slow.0] {
            let mut target = sealed(address, Scheme::H1Tls, None, false);
            target.route.connect_timeout_ns = 30 * MS;
            fails(io, target, ErrorKind::ConnectTimeout, "Connection timed out");
        }
    });
}
