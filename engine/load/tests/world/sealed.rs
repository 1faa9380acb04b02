//! Servers of a few lines that speak TLS, and clients that trust them.

use super::loading::target;
use super::servers::{Conversation, serve};
use rcgen::{
    BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, PKCS_ECDSA_P256_SHA256,
    date_time_ymd,
};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::NoServerSessionStorage;
use rustls::version::{TLS12, TLS13};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{Read, Result, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use volley_load::scheme::Scheme;
use volley_load::target::Target;
use volley_tls::{Config, Terms};

/// A server's side of a connection in TLS.
pub type Secure<S = TcpStream> = Conversation<StreamOwned<ServerConnection, S>>;

/// The properties of a server.
#[derive(Clone)]
pub struct Server {
    /// The names that its certificate is for.
    pub name: &'static str,
    pub expired: bool,
    /// The protocol that it agrees on by ALPN; if empty, it names none.
    pub alpn: &'static [&'static str],
    /// It speaks only TLS 1.2.
    pub old: bool,
    /// It lets sessions be resumed.
    pub resumes: bool,
}

impl Default for Server {
    fn default() -> Self {
        Self { name: "localhost", expired: false, alpn: &[], old: false, resumes: true }
    }
}

impl Server {
    /// Its configuration of TLS, and its CA's certificate as PEM.
    pub fn config(&self) -> (Arc<ServerConfig>, String) {
        let new_key = || KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).unwrap();
        let (ca_key, key) = (new_key(), new_key());
        let mut ca = CertificateParams::new([]).unwrap();
        ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let ca_pem = ca.self_signed(&ca_key).unwrap().pem();
        let mut params = CertificateParams::new([self.name.to_owned()]).unwrap();
        if self.expired {
            params.not_after = date_time_ymd(2020, 1, 1);
        }
        let own = params.signed_by(&key, &Issuer::from_params(&ca, &ca_key)).unwrap();
        let versions = if self.old { vec![&TLS12] } else { vec![&TLS13, &TLS12] };
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_protocol_versions(&versions)
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![CertificateDer::from(own.der().to_vec())],
                PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
            )
            .unwrap();
        config.alpn_protocols = self.alpn.iter().map(|name| name.as_bytes().to_vec()).collect();
        if !self.resumes {
            config.session_storage = Arc::new(NoServerSessionStorage {});
            config.send_tls13_tickets = 0;
        }
        (Arc::new(config), ca_pem)
    }

    /// Runs `on_connection` on each connection, whose sealed bytes go through `wrap`. Returns the
    /// address, and the CA's certificate as PEM.
    pub fn serve_through<S: Read + Write + 'static>(
        &self,
        wrap: impl Fn(TcpStream) -> S + Send + Sync + 'static,
        on_connection: impl Fn(Secure<S>) + Send + Sync + 'static,
    ) -> (SocketAddr, String) {
        let (config, ca_pem) = self.config();
        let address = serve(move |conversation| {
            let session = ServerConnection::new(config.clone()).unwrap();
            let stream = StreamOwned::new(session, wrap(conversation.stream));
            on_connection(Conversation::new(stream, conversation.number));
        });
        (address, ca_pem)
    }

    /// The same, without `wrap`.
    pub fn serve(
        &self,
        on_connection: impl Fn(Secure) + Send + Sync + 'static,
    ) -> (SocketAddr, String) {
        self.serve_through(|stream| stream, on_connection)
    }
}

/// A stream that passes on few bytes at a time, in changing numbers.
pub struct Trickle {
    stream: TcpStream,
    sizes: Box<dyn Iterator<Item = usize> + Send>,
}

impl Trickle {
    pub fn new(stream: TcpStream) -> Self {
        Self { stream, sizes: Box::new([1, 7, 2, 300, 3, 5, 4096, 11].into_iter().cycle()) }
    }
}

impl Read for Trickle {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        self.stream.read(buffer)
    }
}

impl Write for Trickle {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let size = self.sizes.next().unwrap_or(1).min(bytes.len());
        self.stream.write(&bytes[..size])
    }

    fn flush(&mut self) -> Result<()> {
        self.stream.flush()
    }
}

/// Ends a connection with TLS's `close_notify`.
pub fn say_goodbye(mut conversation: Secure) {
    conversation.stream.conn.send_close_notify();
    let _ = conversation.stream.flush();
}

/// The target of [`target`] over TLS, by a client that trusts `ca_pem`; if `None`, any server.
pub fn sealed(address: SocketAddr, scheme: Scheme, ca_pem: Option<&str>, resumes: bool) -> Target {
    let mut terms = Terms::measuring(scheme.alpn(), scheme.is_h2(), resumes);
    if let Some(pem) = ca_pem {
        terms.believe(pem.as_bytes()).unwrap();
    }
    let tls = Some(Config::new(Some("localhost"), &terms));
    Target { scheme, tls, ..target(address) }
}
