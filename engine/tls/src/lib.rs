//! The client's side of TLS, and that of the null server.
//!
//! A [`Session`] takes sealed bytes and gives plain ones, without I/O. [`Tls`] puts sessions on the
//! connections of any backend of `volley-net`. The programs that we replace verify no certificate,
//! and neither does this crate unless [`Terms`] name the trusted ones. [`ServerSession`] is the
//! other side.

#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod facts;
mod failures;
mod outgoing;
mod sealed;
#[cfg(test)]
mod server;
mod serving;
mod session;
mod terms;
mod trust;
pub mod wire;

pub use facts::Facts;
pub use sealed::{Plain, Tls};
pub use serving::{Identity, OWN_NAME, ServerSession, Serving};
pub use session::{Session, Stage};
pub use terms::Terms;
pub use trust::certificates_looked_at;

use rustls::ClientConfig;
use rustls::client::Resumption;
use rustls::pki_types::{IpAddr, Ipv4Addr, ServerName};
use std::sync::Arc;
use volley_net::Failure;

/// The common state of all sessions with one server.
#[derive(Debug, Clone)]
pub struct Config {
    client: Arc<ClientConfig>,
    name: ServerName<'static>,
    resumes: bool,
    /// The protocol that is requested by ALPN.
    protocol: Option<&'static str>,
    /// The server has to confirm that protocol.
    must_agree: bool,
}

impl Config {
    /// `host` is sent to the server (SNI) if it is a name; an address cannot be.
    pub fn new(host: Option<&str>, terms: &Terms) -> Self {
        let name = host
            .and_then(|host| ServerName::try_from(host.to_owned()).ok())
            .unwrap_or(ServerName::IpAddress(IpAddr::V4(Ipv4Addr::from([0; 4]))));
        Self {
            client: Arc::new(terms.config()),
            name,
            resumes: terms.resumes,
            protocol: terms.protocol,
            must_agree: terms.must_agree,
        }
    }

    /// Whether this is a valid name of a server.
    pub fn is_name(host: &str) -> bool {
        ServerName::try_from(host).is_ok()
    }

    /// How a session failed.
    fn failure(&self, error: &rustls::Error) -> Failure {
        failures::of(error, &self.name, self.protocol)
    }

    /// How a handshake of QUIC failed, given an alert's number (RFC 8446, section 6) and rustls'
    /// message. `ours`: our side raised the error.
    pub fn quic_failure(&self, alert: u8, words: &str, ours: bool) -> Failure {
        failures::of_alert(alert, words, ours, self.protocol)
    }

    /// The server's name, or its address.
    pub fn called(&self) -> std::borrow::Cow<'_, str> {
        self.name.to_str()
    }

    /// The name that is sent to the server.
    pub fn name(&self) -> Option<&str> {
        match &self.name {
            ServerName::DnsName(name) => Some(name.as_ref()),
            _ => None,
        }
    }

    /// What successive sessions of one connection remember; at first nothing.
    pub fn memory(&self) -> Memory {
        if !self.resumes {
            return Memory(self.client.clone());
        }
        let mut config = ClientConfig::clone(&self.client);
        config.resumption = Resumption::in_memory_sessions(1);
        Memory(Arc::new(config))
    }
}

/// What a new session needs, including the state of former ones that it may resume.
#[derive(Debug, Clone)]
pub struct Memory(Arc<ClientConfig>);

impl Memory {
    /// The configuration for TLS inside of QUIC.
    pub fn quic_client(&self) -> Arc<ClientConfig> {
        self.0.clone()
    }
}

#[cfg(test)]
mod tests;
