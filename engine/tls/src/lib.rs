//! TLS as a client speaks it: sealed bytes in, plain bytes out, no I/O.
//!
//! The programs that we stand in for check nobody's certificate, and so it is here.

mod facts;
#[cfg(test)]
mod server;
mod serving;
mod session;
mod terms;
mod trust;
pub mod wire;

pub use facts::Facts;
pub use serving::{Identity, ServerSession, Serving};
pub use session::{Session, Stage};
pub use terms::Terms;

use rustls::ClientConfig;
use rustls::client::Resumption;
use rustls::pki_types::{IpAddr, Ipv4Addr, ServerName};
use std::sync::Arc;

/// What all sessions with one server have in common.
#[derive(Debug, Clone)]
pub struct Config {
    client: Arc<ClientConfig>,
    name: ServerName<'static>,
    resumes: bool,
}

impl Config {
    /// `host` is sent to the server (SNI) if it is a name; an address can't be.
    pub fn new(host: Option<&str>, terms: &Terms) -> Self {
        let name = host
            .and_then(|host| ServerName::try_from(host.to_owned()).ok())
            .unwrap_or(ServerName::IpAddress(IpAddr::V4(Ipv4Addr::from([0; 4]))));
        Self { client: Arc::new(terms.config()), name, resumes: terms.resumes }
    }

    /// The name that is sent to the server.
    pub fn name(&self) -> Option<&str> {
        match &self.name {
            ServerName::DnsName(name) => Some(name.as_ref()),
            _ => None,
        }
    }

    /// What the sessions of one connection after the other remember; nothing yet.
    pub fn memory(&self) -> Memory {
        if !self.resumes {
            return Memory(self.client.clone());
        }
        let mut config = ClientConfig::clone(&self.client);
        config.resumption = Resumption::in_memory_sessions(1);
        Memory(Arc::new(config))
    }
}

/// What a new session needs, with what former ones left that it may resume.
#[derive(Debug, Clone)]
pub struct Memory(Arc<ClientConfig>);

#[cfg(test)]
mod tests;
