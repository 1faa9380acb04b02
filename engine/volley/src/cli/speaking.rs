//! The options of `volley load` for the protocol and the server.

use super::values::{at_least_1, server_name};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use volley_load::scheme::Scheme;

/// What is spoken, and with which server.
#[derive(Debug, Args)]
#[command(next_help_heading = "Protocol")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Speaking {
    /// Use HTTP/1 or HTTP/2, in cleartext (h1, h2c) or in TLS (h1-tls, h2), or HTTP/3 (h3) [default: h1, or
    /// h1-tls for https://]
    #[arg(long, value_enum, hide_possible_values = true, value_name = "h1|h1-tls|h2c|h2|h3")]
    pub protocol: Option<Scheme>,
    /// Use HTTP/2 over TLS, as --protocol h2 does
    #[arg(long, conflicts_with = "protocol")]
    pub http2: bool,
    /// Keep this many requests in flight on each connection of HTTP/2 or HTTP/3
    #[arg(long, value_name = "N", default_value = "1", value_parser = at_least_1::<usize>)]
    pub streams: usize,
    /// Verify the server with these CA certificates (PEM)
    ///
    /// The system's certificates are not used: a benchmark should not depend on them.
    #[arg(long, alias = "cacert", value_name = "FILE", conflicts_with = "insecure")]
    pub ca: Option<PathBuf>,
    /// Accept any certificate
    #[arg(short = 'k', long)]
    pub insecure: bool,
    /// Set the server's name in TLS, instead of the URL's host
    #[arg(long, value_name = "NAME", value_parser = server_name)]
    pub server_name: Option<String>,
    /// Use this version of TLS only [default: 1.3, or 1.2 where the server has no other]
    #[arg(long, value_enum, hide_possible_values = true, value_name = "1.2|1.3")]
    pub tls: Option<TlsVersion>,
    /// Resume TLS sessions, instead of a full handshake for each connection
    #[arg(long)]
    pub resume: bool,
    /// Send each request of h3 ahead of its handshake (0-RTT), with --close and --resume
    ///
    /// A server that rejects it gets it again after the handshake. Somebody may replay such a request, so
    /// only GET, HEAD, OPTIONS and TRACE are sent like this (RFC 8470).
    #[arg(long)]
    pub early_data: bool,
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
