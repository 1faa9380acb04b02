//! Sessions with a real server's side of TLS, in memory.

use super::server::Wanted;
use super::{Config, Memory, Session, Stage, Terms};
use allocation_counter::measure;
use proptest::prelude::*;
use rcgen::{PKCS_ECDSA_P384_SHA384, PKCS_ED25519};
use rustls::crypto::CryptoProvider;
use rustls::crypto::ring::{cipher_suite, default_provider, kx_group};
use rustls::version::{TLS12, TLS13};
use rustls::{HandshakeKind, ServerConnection, SupportedCipherSuite};
use std::io::{Read, Write};
use std::iter::repeat;

/// A client's session, its server, and the bytes that the client has read.
struct Pair {
    client: Session,
    server: ServerConnection,
    opened: Vec<u8>,
}

impl Pair {
    fn new(client: &Config, memory: &Memory, server: ServerConnection) -> Self {
        Self { client: Session::start(client, memory).unwrap(), server, opened: Vec::new() }
    }

    /// A pair with a client that offers everything.
    fn plain(server: ServerConnection) -> Self {
        let client = client(&Terms::default());
        Self::new(&client, &client.memory(), server)
    }

    /// Carries bytes both ways, a limited number at a time, until there are none left.
    fn carry(&mut self, mut sizes: impl Iterator<Item = usize>) -> Result<(), String> {
        loop {
            let to_server = self.client.sent();
            let mut to_client = sent(&mut self.server);
            if to_server.is_none() && to_client.is_empty() {
                return Ok(());
            }
            feed(&mut self.server, to_server.as_deref().unwrap_or_default())?;
            let mut rest = &mut to_client[..];
            while !rest.is_empty() {
                let size = sizes.next().unwrap().clamp(1, rest.len());
                let now;
                (now, rest) = rest.split_at_mut(size);
                self.client.open(now, &mut self.opened).map_err(|error| error.to_string())?;
            }
        }
    }

    fn shake_hands(mut self) -> Self {
        self.carry(repeat(usize::MAX)).unwrap();
        assert_eq!(self.client.stage(), Stage::Open);
        self
    }
}

fn client(terms: &Terms) -> Config {
    Config::new(Some("localhost"), terms)
}

fn sent(server: &mut ServerConnection) -> Vec<u8> {
    let mut bytes = Vec::new();
    while server.wants_write() {
        server.write_tls(&mut bytes).unwrap();
    }
    bytes
}

fn feed(server: &mut ServerConnection, mut bytes: &[u8]) -> Result<(), String> {
    while !bytes.is_empty() {
        server.read_tls(&mut bytes).unwrap();
        server.process_new_packets().map_err(|error| format!("server: {error}"))?;
    }
    Ok(())
}

fn read(server: &mut ServerConnection) -> Vec<u8> {
    let mut bytes = Vec::new();
    // It reports that there are no more yet.
    let _ = server.reader().read_to_end(&mut bytes);
    bytes
}

fn only(suite: SupportedCipherSuite) -> CryptoProvider {
    CryptoProvider { cipher_suites: vec![suite], ..default_provider() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn bytes_arrive_whole_however_they_are_split(
        old in any::<bool>(),
        sizes in prop::collection::vec(1..3000usize, 1..8),
        request in prop::collection::vec(any::<u8>(), 1..5000),
        answer in prop::collection::vec(any::<u8>(), 1..40_000),
    ) {
        let protocols = if old { vec![&TLS12] } else { vec![&TLS13] };
        let mut pair = Pair::plain(Wanted { protocols, ..Wanted::default() }.session());
        pair.carry(sizes.iter().copied().cycle()).unwrap();
        prop_assert_eq!(pair.client.stage(), Stage::Open);
        pair.client.seal(&request);
        pair.carry(sizes.iter().copied().cycle()).unwrap();
        prop_assert_eq!(read(&mut pair.server), request);
        pair.server.set_buffer_limit(None);
        pair.server.writer().write_all(&answer).unwrap();
        pair.carry(sizes.iter().copied().cycle()).unwrap();
        prop_assert_eq!(pair.opened, answer);
    }

    #[test]
    fn a_record_that_was_tampered_with_breaks_the_session_and_those_before_it_are_read(
        at in 5..60usize,
        bit in 0..8u8,
    ) {
        let mut pair = Pair::plain(Wanted::default().session()).shake_hands();
        pair.server.writer().write_all(b"right").unwrap();
        let mut bytes = sent(&mut pair.server);
        let border = bytes.len();
        pair.server.writer().write_all(&[b'w'; 50]).unwrap();
        bytes.extend(sent(&mut pair.server));
        bytes[border + at] ^= 1 << bit;
        let error = pair.client.open(&mut bytes, &mut pair.opened).unwrap_err();
        prop_assert_eq!(error.to_string(), "cannot decrypt peer's message");
        prop_assert_eq!(pair.client.stage(), Stage::Broken);
        prop_assert_eq!(&pair.opened, b"right");
        let alert = pair.client.sent().unwrap();
        prop_assert_eq!(
            feed(&mut pair.server, &alert).unwrap_err(),
            "server: received fatal alert: BadRecordMac"
        );
    }
}

#[test]
fn what_was_agreed_on_is_told_in_openssl_s_words() {
    let curve = |group| CryptoProvider { kx_groups: vec![group], ..default_provider() };
    for (wanted, line, temporary_key) in [
        (Wanted::default(), "TLSv1.3,TLS_AES_256_GCM_SHA384,256,256", "X25519 253 bits"),
        (
            Wanted {
                algorithm: &PKCS_ECDSA_P384_SHA384,
                protocols: vec![&TLS12],
                ..Wanted::default()
            },
            "TLSv1.2,ECDHE-ECDSA-AES256-GCM-SHA384,384,256",
            "X25519 253 bits",
        ),
        (
            Wanted { algorithm: &PKCS_ED25519, ..Wanted::default() },
            "TLSv1.3,TLS_AES_256_GCM_SHA384,256,256",
            "X25519 253 bits",
        ),
        (
            Wanted {
                provider: only(cipher_suite::TLS13_AES_128_GCM_SHA256),
                protocols: vec![&TLS13],
                ..Wanted::default()
            },
            "TLSv1.3,TLS_AES_128_GCM_SHA256,256,128",
            "X25519 253 bits",
        ),
        (
            Wanted {
                provider: only(cipher_suite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256),
                protocols: vec![&TLS12],
                ..Wanted::default()
            },
            "TLSv1.2,ECDHE-ECDSA-CHACHA20-POLY1305,256,256",
            "X25519 253 bits",
        ),
        (
            Wanted { provider: curve(kx_group::SECP256R1), ..Wanted::default() },
            "TLSv1.3,TLS_AES_256_GCM_SHA384,256,256",
            "ECDH prime256v1 256 bits",
        ),
        (
            Wanted {
                provider: curve(kx_group::SECP384R1),
                protocols: vec![&TLS12],
                ..Wanted::default()
            },
            "TLSv1.2,ECDHE-ECDSA-AES256-GCM-SHA384,256,256",
            "ECDH secp384r1 384 bits",
        ),
    ] {
        let pair = Pair::plain(wanted.session());
        assert_eq!(pair.client.facts(), None);
        let facts = pair.shake_hands().client.facts().unwrap();
        assert_eq!(facts.to_string(), line);
        assert_eq!(facts.temporary_key, Some(temporary_key), "{line}");
    }
}

#[test]
fn a_server_s_goodbye_ends_the_session_and_ours_is_said() {
    let mut pair = Pair::plain(Wanted::default().session()).shake_hands();
    pair.server.writer().write_all(b"last words").unwrap();
    pair.server.send_close_notify();
    pair.carry(repeat(usize::MAX)).unwrap();
    assert_eq!((pair.client.stage(), &pair.opened[..]), (Stage::Ended, &b"last words"[..]));
    pair.client.end();
    let goodbye = pair.client.sent().unwrap();
    pair.server.read_tls(&mut &goodbye[..]).unwrap();
    assert!(pair.server.process_new_packets().unwrap().peer_has_closed());
}

#[test]
fn keys_that_the_server_changes_are_followed_and_ours_change_with_them() {
    let mut pair = Pair::plain(Wanted::default().session()).shake_hands();
    for _ in 0..3 {
        pair.server.writer().write_all(b"old keys, ").unwrap();
        pair.server.refresh_traffic_keys().unwrap();
        pair.server.writer().write_all(b"new keys").unwrap();
        pair.carry(repeat(usize::MAX)).unwrap();
        assert_eq!(std::mem::take(&mut pair.opened), b"old keys, new keys");
        pair.client.seal(b"heard");
        pair.carry(repeat(usize::MAX)).unwrap();
        assert_eq!(read(&mut pair.server), b"heard");
    }
}

#[test]
fn a_warm_session_allocates_nothing_of_its_own() {
    const RECORD: usize = 16 * 1024;
    let mut pair = Pair::plain(Wanted::default().session()).shake_hands();
    pair.server.set_buffer_limit(None);
    for (round, records) in [(0, 5), (1, 5), (2, 1), (3, 5), (4, 2)] {
        let sending = measure(|| {
            pair.client.seal(b"a request");
            pair.client.sealed().unwrap();
        });
        pair.server.writer().write_all(&vec![b'x'; records * RECORD]).unwrap();
        let mut sealed = sent(&mut pair.server);
        let reading = measure(|| {
            pair.opened.clear();
            for piece in sealed.chunks_mut(40_000) {
                pair.client.open(piece, &mut pair.opened).unwrap();
            }
        });
        assert_eq!(pair.opened.len(), records * RECORD);
        if round > 0 {
            // They are rustls' own: a record each.
            assert_eq!(sending.count_total, 1);
            assert_eq!(reading.count_total, records as u64);
        }
    }
}

#[test]
fn a_name_is_told_to_the_server_and_an_address_is_not() {
    for (host, sent) in [
        (Some("localhost"), Some("localhost")),
        (Some("a_b.example"), Some("a_b.example")),
        (Some("127.0.0.1"), None),
        (Some("::1"), None),
        (Some("no name"), None),
        (None, None),
    ] {
        let client = Config::new(host, &Terms::default());
        let pair = Pair::new(&client, &client.memory(), Wanted::default().session()).shake_hands();
        assert_eq!(pair.server.server_name(), sent, "{host:?}");
        assert_eq!(client.name(), sent, "{host:?}");
    }
}

#[test]
fn sessions_are_resumed_where_they_should_be_and_from_their_own_memory_only() {
    for protocols in [vec![&TLS12], vec![&TLS13]] {
        let config = Wanted { protocols: protocols.clone(), ..Wanted::default() }.config();
        let handshake = |client: &Config, memory: &Memory| {
            let server = ServerConnection::new(config.clone()).unwrap();
            let mut pair = Pair::new(client, memory, server).shake_hands();
            pair.client.end();
            pair.server.handshake_kind().unwrap()
        };
        let resuming = client(&Terms::resuming());
        let (one, other) = (resuming.memory(), resuming.memory());
        assert_eq!(handshake(&resuming, &one), HandshakeKind::Full, "{protocols:?}");
        assert_eq!(handshake(&resuming, &one), HandshakeKind::Resumed, "{protocols:?}");
        assert_eq!(handshake(&resuming, &one), HandshakeKind::Resumed, "{protocols:?}");
        assert_eq!(handshake(&resuming, &other), HandshakeKind::Full, "{protocols:?}");
        let forgetful = client(&Terms::default());
        let memory = forgetful.memory();
        for _ in 0..2 {
            assert_eq!(handshake(&forgetful, &memory), HandshakeKind::Full, "{protocols:?}");
        }
    }
}
