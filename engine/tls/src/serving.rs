//! The server's side of TLS, for the null server.

use rcgen::{CertificateParams, KeyPair, PKCS_ECDSA_P256_SHA256};
use rustls::crypto::CryptoProvider;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{CipherSuite, Error, ServerConfig, ServerConnection};
use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::Arc;
use volley_net::errors::io_words;

/// The names in a certificate that a server makes itself.
pub const OWN_NAME: &str = "localhost";

/// Further names in that certificate.
const OWN_ADDRESSES: [&str; 2] = ["127.0.0.1", "::1"];

/// The common state of all sessions of one server.
#[derive(Debug, Clone)]
pub struct Serving {
    config: Arc<ServerConfig>,
}

/// A certificate, its chain, and its key.
#[derive(Debug)]
pub struct Identity {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

impl Identity {
    /// Reads two files of PEM. The error is a line.
    pub fn from_files(certificate: &Path, key: &Path) -> Result<Self, String> {
        let chain: Vec<_> = CertificateDer::pem_slice_iter(&read(certificate)?)
            .collect::<Result<_, _>>()
            .map_err(|error| format!("{} is not PEM: {error}", certificate.display()))?;
        if chain.is_empty() {
            return Err(format!("{} holds no certificate in PEM", certificate.display()));
        }
        let key = PrivateKeyDer::from_pem_slice(&read(key)?)
            .map_err(|_| format!("{} holds no private key in PEM", key.display()))?;
        Ok(Self { chain, key })
    }

    /// A certificate signed by itself, with a key on P-256, for [`OWN_NAME`]: for this machine
    /// only. Also returns it as PEM, for clients that are to trust it.
    pub fn of_its_own() -> Result<(Self, String), String> {
        let in_words = |error: rcgen::Error| format!("no certificate can be made: {error}");
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(in_words)?;
        let names = [OWN_NAME, OWN_ADDRESSES[0], OWN_ADDRESSES[1]].map(str::to_owned);
        let params = CertificateParams::new(names).map_err(in_words)?;
        let certificate = params.self_signed(&key).map_err(in_words)?;
        let key = PrivateKeyDer::try_from(key.serialize_der())?;
        Ok((Self { chain: vec![certificate.der().clone()], key }, certificate.pem()))
    }
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(file).map_err(|error| format!("{}: {}", file.display(), io_words(&error)))
}

impl Serving {
    /// Agrees only on `protocol`, by its ALPN name. Its users compare servers with TLS 1.3 and
    /// AES-128-GCM, so it chooses these first, whatever a client prefers.
    pub fn new(identity: Identity, protocol: &str) -> Result<Self, String> {
        let mut suites = default_provider().cipher_suites;
        suites.sort_by_key(|suite| {
            !matches!(
                suite.suite(),
                CipherSuite::TLS13_AES_128_GCM_SHA256
                    | CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
                    | CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
            )
        });
        let provider = CryptoProvider { cipher_suites: suites, ..default_provider() };
        let mut config = ServerConfig::builder_with_provider(Arc::new(provider))
            .with_safe_default_protocol_versions()
            .expect("there are suites for each protocol")
            .with_no_client_auth()
            .with_single_cert(identity.chain, identity.key)
            .map_err(|error| format!("certificate and key cannot be used: {error}"))?;
        config.ignore_client_order = true;
        config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
        Ok(Self { config: Arc::new(config) })
    }

    /// The configuration for TLS inside of QUIC. Early data is taken: that somebody may replay a
    /// request changes nothing here. QUIC has no other limit of it than this.
    pub fn quic_server(&self) -> Arc<ServerConfig> {
        let mut config = ServerConfig::clone(&self.config);
        config.max_early_data_size = u32::MAX;
        Arc::new(config)
    }
}

/// One session, on the server's side.
#[derive(Debug)]
pub struct ServerSession {
    connection: ServerConnection,
    /// The client has sent `close_notify`.
    ended: bool,
}

impl ServerSession {
    /// Waits for the client's hello.
    pub fn start(serving: &Serving) -> Result<Self, Error> {
        let mut connection = ServerConnection::new(serving.config.clone())?;
        // Sealed bytes are taken away at once.
        connection.set_buffer_limit(None);
        Ok(Self { connection, ended: false })
    }

    /// Takes bytes from the client, and appends the plain ones to `opened`. Answers may have to be
    /// sent whether it fails or not.
    pub fn open(&mut self, mut sealed: &[u8], opened: &mut Vec<u8>) -> Result<(), Error> {
        while !sealed.is_empty() && !self.ended {
            let read = self.connection.read_tls(&mut sealed);
            read.map_err(|error| Error::General(error.to_string()))?;
            let state = self.connection.process_new_packets();
            // Records before the wrong one are right.
            let mut reader = self.connection.reader();
            while let Ok(plain) = reader.fill_buf()
                && !plain.is_empty()
            {
                opened.extend_from_slice(plain);
                let length = plain.len();
                reader.consume(length);
            }
            self.ended = state?.peer_has_closed();
        }
        Ok(())
    }

    /// Whether keys are agreed on.
    pub fn is_established(&self) -> bool {
        !self.connection.is_handshaking()
    }

    /// Whether the client has sent `close_notify`.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Seals bytes for the client: [`ServerSession::sealed`] has them.
    pub fn seal(&mut self, plain: &[u8]) {
        self.connection.writer().write_all(plain).expect("rustls takes all bytes");
    }

    /// Sends `close_notify`.
    pub fn end(&mut self) {
        self.connection.send_close_notify();
    }

    /// The bytes to send to the client now.
    pub fn sealed(&mut self) -> Option<Arc<[u8]>> {
        let mut bytes = Vec::new();
        while self.connection.wants_write() {
            self.connection.write_tls(&mut bytes).expect("a vector takes all bytes");
        }
        (!bytes.is_empty()).then(|| Arc::from(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Session, Terms};

    /// Carries bytes in both directions until there are none. Fails as the client does, or the
    /// server.
    fn talk(client: &mut Session, server: &mut ServerSession) -> Result<[Vec<u8>; 2], Error> {
        let mut opened = [Vec::new(), Vec::new()];
        loop {
            let (there, back) = (client.sent(), server.sealed());
            if there.is_none() && back.is_none() {
                return Ok(opened);
            }
            client.open(&mut back.as_deref().unwrap_or_default().to_vec(), &mut opened[0])?;
            let result = server.open(there.as_deref().unwrap_or_default(), &mut opened[1]);
            if let Err(error) = result {
                // The client receives the alert.
                let alert = server.sealed();
                client.open(&mut alert.as_deref().unwrap_or_default().to_vec(), &mut opened[0])?;
                return Err(error);
            }
        }
    }

    fn pair(serving: &Serving, terms: &Terms) -> (Session, ServerSession) {
        let client = Config::new(Some(OWN_NAME), terms);
        let session = Session::start(&client, &client.memory()).unwrap();
        (session, ServerSession::start(serving).unwrap())
    }

    #[test]
    fn its_own_certificate_is_believed_by_who_is_told_of_it() {
        let (own, pem) = Identity::of_its_own().unwrap();
        let (_, other) = Identity::of_its_own().unwrap();
        let serving = Serving::new(own, "h2").unwrap();
        let mut terms = Terms::measuring("h2", true, false);
        terms.believe(pem.as_bytes()).unwrap();
        let (mut client, mut server) = pair(&serving, &terms);
        talk(&mut client, &mut server).unwrap();
        assert!(server.is_established() && !server.has_ended());
        client.seal(b"ping");
        server.seal(b"pong");
        assert_eq!(talk(&mut client, &mut server).unwrap(), [b"pong".to_vec(), b"ping".to_vec()]);
        client.end();
        talk(&mut client, &mut server).unwrap();
        assert!(server.has_ended());
        terms.believe(other.as_bytes()).unwrap();
        let (mut client, mut server) = pair(&serving, &terms);
        talk(&mut client, &mut server).unwrap_err();
    }

    #[test]
    fn aes_with_128_bits_is_agreed_on_whatever_a_client_prefers() {
        for word in ["TLS1.2", "TLS1.3"] {
            let (own, _) = Identity::of_its_own().unwrap();
            let serving = Serving::new(own, "http/1.1").unwrap();
            let mut terms = Terms::default();
            terms.speak(word).unwrap();
            let (mut client, mut server) = pair(&serving, &terms);
            talk(&mut client, &mut server).unwrap();
            let facts = client.facts().unwrap();
            assert!(facts.suite.contains("AES128") || facts.suite.contains("AES_128"), "{facts}");
            assert_eq!(facts.secret_bits, 128);
        }
    }

    #[test]
    fn a_client_that_asks_for_another_protocol_is_refused() {
        let (own, _) = Identity::of_its_own().unwrap();
        let serving = Serving::new(own, "h2").unwrap();
        let (mut client, mut server) = pair(&serving, &Terms::measuring("http/1.1", false, false));
        let error = talk(&mut client, &mut server).unwrap_err();
        assert!(error.to_string().contains("ApplicationProtocol"), "{error}");
    }

    #[test]
    fn files_that_are_no_identity_are_told_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let (_, pem) = Identity::of_its_own().unwrap();
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).unwrap().serialize_pem();
        let [cert, key, junk] = [("cert", &*pem), ("other.key", &*key), ("junk", "x")]
            .map(|(name, text)| file(name, text));
        let words = |cert: &Path, key: &Path| {
            Identity::from_files(cert, key).and_then(|own| Serving::new(own, "h2")).unwrap_err()
        };
        assert!(words(&junk, &key).contains("junk holds no certificate in PEM"));
        assert!(words(&cert, &junk).contains("junk holds no private key in PEM"));
        assert!(words(&cert, &folder.path().join("none")).contains("none: No such file"));
        let mismatch = words(&cert, &key);
        assert!(mismatch.contains("cannot be used"), "{mismatch}");
    }
}
