//! The options of `volley load` that say what is spoken, and with whom.

use super::values::{at_least_1, server_name};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use volley_load::spoken::Spoken;

/// What is spoken, and with whom.
#[derive(Debug, Args)]
#[command(next_help_heading = "Protocol")]
pub struct Speaking {
    /// HTTP/1 or HTTP/2, in cleartext (h1, h2c) or in TLS (h1-tls, h2) [default: as the URL says, h1
    /// or h1-tls]
    #[arg(long, value_enum, hide_possible_values = true, value_name = "h1|h1-tls|h2c|h2")]
    pub protocol: Option<Spoken>,
    /// HTTP/2: requests on their way at a time on one connection
    #[arg(long, value_name = "N", default_value = "1", value_parser = at_least_1::<usize>)]
    pub streams: usize,
    /// TLS: believe the certificates in this PEM file, and those that they vouch for
    ///
    /// The system's are not used: a benchmark should not depend on them.
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    pub ca: Option<PathBuf>,
    /// TLS: believe any certificate
    #[arg(long)]
    pub insecure: bool,
    /// TLS: the server's name, instead of the URL's host
    #[arg(long, value_name = "NAME", value_parser = server_name)]
    pub server_name: Option<String>,
    /// TLS: this version only [default: 1.3, or 1.2 where the server has no other]
    #[arg(long, value_enum, hide_possible_values = true, value_name = "1.2|1.3")]
    pub tls: Option<TlsVersion>,
    /// TLS: go on with former sessions, instead of a full handshake for each connection
    #[arg(long)]
    pub resume: bool,
}

/// A version of TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TlsVersion {
    /// TLS 1.2.
    #[value(name = "1.2")]
    Tls12,
    /// TLS 1.3.
    #[value(name = "1.3")]
    Tls13,
}

impl Speaking {
    /// Whether something is said that matters for TLS only.
    pub fn is_about_tls(&self) -> bool {
        let Self { ca, insecure, server_name, tls, resume, .. } = self;
        ca.is_some() || *insecure || server_name.is_some() || tls.is_some() || *resume
    }
}
