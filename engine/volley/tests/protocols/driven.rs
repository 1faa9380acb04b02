//! `volley drive` with targets that speak different protocols.

use crate::common::driver::{Driver, errors, has_uring, job, mix, parts};
use crate::processes::{Server, certificate, null};
use std::fs;
use volley::drive::messages::{ConnectionMode, Job, TargetSpec, TlsSpec};
use volley_load::errors::ErrorKind;
use volley_load::scheme::Scheme;
use volley_net::IoChoice;

const ALL: [Scheme; 5] = [Scheme::H1, Scheme::H1Tls, Scheme::H2c, Scheme::H2, Scheme::H3];

/// Trusts this certificate.
fn tls(ca_pem: &str, resume: bool) -> TlsSpec {
    let ca_pem = Some(ca_pem.to_owned());
    TlsSpec { server_name: "localhost".to_owned(), ca_pem, insecure: false, resume }
}

/// A null server of each protocol, and a job with all of them. `name`: that of the certificate's
/// file.
fn all(io: IoChoice, name: &str, resume: bool) -> (Vec<Server>, Job) {
    let (cert, key) = certificate(name);
    let pem = fs::read_to_string(&cert).unwrap();
    let servers: Vec<Server> = ALL
        .iter()
        .map(|scheme| {
            let identity = ["--cert", cert.as_str(), "--key", key.as_str()];
            let identity = if scheme.is_tls() { &identity[..] } else { &[] };
            null(&[&["--protocol", scheme.name()], identity].concat())
        })
        .collect();
    let addresses: Vec<_> = servers.iter().map(|server| server.address).collect();
    let plain = job(io, &addresses);
    let targets = plain.targets.into_iter().zip(ALL).map(|(target, protocol)| {
        let tls = protocol.is_tls().then(|| tls(&pem, resume));
        TargetSpec { protocol, tls, ..target }
    });
    (servers, Job { targets: targets.collect(), ..plain })
}

fn ways() -> impl Iterator<Item = IoChoice> {
    has_uring().then_some(IoChoice::Uring).into_iter().chain([IoChoice::Epoll])
}

#[test]
fn targets_of_one_job_may_speak_different_protocols() {
    for io in ways() {
        let (_servers, plan) = all(io, "mixed", false);
        let (mut driver, ready) = Driver::job(Job { streams: 8, ..plan });
        for (scheme, target) in ALL.into_iter().zip(&ready.targets) {
            assert_eq!((target.open, &target.error), (4, &None), "{scheme:?}");
            let agreed = target.agreed.as_ref();
            assert_eq!(agreed.is_some(), scheme != Scheme::H1);
            let Some(agreed) = agreed else { continue };
            let tls = scheme.is_tls().then_some("1.3");
            let cipher = scheme.is_tls().then_some("TLS13_AES_128_GCM_SHA256");
            assert_eq!(agreed.tls_version.as_deref(), tls, "{scheme:?}");
            assert_eq!(agreed.cipher.as_deref(), cipher, "{scheme:?}");
            assert_eq!(agreed.alpn.as_deref(), scheme.is_tls().then_some(scheme.alpn()));
            assert_eq!(agreed.initial_window.is_some(), scheme.is_h2(), "{scheme:?}");
            assert!(!agreed.resumed);
        }
        for target in [3, 0, 4, 2, 1, 3, 4] {
            let event = driver.slice_that(target, 50, |event| event.requests_all > 0);
            assert_eq!((errors(&event), event.misses), (vec![], 0), "{:?}", ALL[target]);
            assert_eq!(event.datagrams.is_some(), ALL[target] == Scheme::H3);
            // All were opened before.
            assert_eq!((event.connects, event.handshakes, event.handshake_mean_us), (0, 0, None));
        }
    }
}

#[test]
fn each_request_of_a_file_has_its_part_in_every_protocol() {
    // The null server has the same answer for every request.
    let text = "[[request]]\npath = \"/a\"\n[[request]]\npath = \"/b\"\nexpect.body = \"?\"\n";
    for io in ways() {
        let (_servers, plan) = all(io, "parts", false);
        let (mut driver, ready) = Driver::job(mix(Job { streams: 4, ..plan }, "parts.toml", text));
        for (target, scheme) in ALL.into_iter().enumerate() {
            let names = ["GET /a", "GET /b"].map(str::to_owned).to_vec();
            assert_eq!(ready.targets[target].requests, Some(names));
            let event = driver.slice_that(target, 50, |event| {
                parts(event, 0).iter().all(|part| part.requests > 0)
            });
            let [right, wrong] = &parts(&event, 0)[..] else { panic!("{event:?}") };
            assert_eq!((event.misses, right.errors.len()), (0, 0), "{scheme:?}");
            let all: Vec<_> = wrong.errors.iter().map(|(&kind, &count)| (kind, count)).collect();
            assert_eq!(all, [(ErrorKind::MismatchLength, wrong.latency_count)], "{scheme:?}");
        }
    }
}

#[test]
fn connections_that_are_not_kept_count_their_handshakes() {
    for io in ways() {
        for resume in [false, true] {
            let (_servers, plan) = all(io, "short", resume);
            let (mut driver, _) = Driver::job(Job { connection: ConnectionMode::Close, ..plan });
            for (target, scheme) in ALL.into_iter().enumerate() {
                let may_resume = resume && scheme.is_tls();
                let event = driver.slice_that(target, 100, |event| {
                    event.connects > 0 && (event.resumed > 0 || !may_resume)
                });
                assert_eq!(errors(&event), [], "{scheme:?}: {:?}", event.first_bad);
                let handshakes = if scheme.is_tls() { event.connects } else { 0 };
                assert_eq!(event.handshakes, handshakes, "{scheme:?}");
                assert_eq!(event.handshake_mean_us.is_some(), scheme.is_tls());
                assert_eq!(event.resumed > 0, may_resume, "{scheme:?}, {handshakes} in all");
            }
        }
    }
}

#[test]
fn a_target_that_does_not_agree_is_told_with_its_kind_and_the_others_go_on() {
    for io in ways() {
        let (_servers, mut plan) = all(io, "disagreed", false);
        let (other, _) = certificate("another");
        for target in [1, 4] {
            plan.targets[target].tls = Some(tls(&fs::read_to_string(&other).unwrap(), false));
        }
        // HTTP/2 is requested of the server that has only HTTP/1, and the other way round.
        plan.targets[0].protocol = Scheme::H2c;
        plan.targets[2].protocol = Scheme::H1;
        let (mut driver, ready) = Driver::job(plan);
        let failed: Vec<Option<ErrorKind>> = ready
            .targets
            .iter()
            .map(|target| target.error.as_ref().map(|failure| failure.kind))
            .collect();
        let (malformed, certificate) = (ErrorKind::Malformed, ErrorKind::Certificate);
        assert_eq!(failed, [Some(malformed), Some(certificate), None, None, Some(certificate)]);
        assert_eq!(ready.targets[1].agreed, None);
        let event = driver.slice_that(3, 50, |event| event.requests > 0);
        assert_eq!(errors(&event), []);
        // For HTTP/1 it is only known after a request.
        let event = driver.slice_that(2, 50, |event| !errors(event).is_empty());
        let kinds: Vec<_> = errors(&event).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, [malformed]);
    }
}
