//! The protocols that targets speak, and the pools that speak them.

use crate::pool::{Flight, Pool, Share};
use crate::slice::{self, Outcome, Part};
use crate::tally::Tally;
use crate::target::Target;
use serde::{Deserialize, Serialize};
use std::io::{Error, ErrorKind, Result};
use std::sync::Arc;
use volley_net::{Backend, Epoll, Io, Kernel, Patience, RingSize, Uring};
use volley_protocol::{Http1, Http2, Http3, Protocol, WebSocket};
use volley_quic::Quic;
use volley_tls::{Config, Terms, Tls};

/// The protocol on a target's connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// HTTP/1 in cleartext.
    #[default]
    H1,
    /// HTTP/1 over TLS.
    H1Tls,
    /// HTTP/2 in cleartext, without asking first (RFC 9113, section 3.3).
    H2c,
    /// HTTP/2 over TLS, agreed on by ALPN.
    H2,
    /// HTTP/3 over QUIC, agreed on by ALPN.
    H3,
}

impl Scheme {
    /// The name, the same everywhere.
    pub fn name(self) -> &'static str {
        match self {
            Self::H1 => "h1",
            Self::H1Tls => "h1-tls",
            Self::H2c => "h2c",
            Self::H2 => "h2",
            Self::H3 => "h3",
        }
    }

    /// Whether its bytes travel in TLS.
    pub fn is_tls(self) -> bool {
        matches!(self, Self::H1Tls | Self::H2 | Self::H3)
    }

    /// Its ALPN name.
    pub fn alpn(self) -> &'static str {
        match self {
            Self::H1 | Self::H1Tls => "http/1.1",
            Self::H2c | Self::H2 => "h2",
            Self::H3 => "h3",
        }
    }

    /// Whether it is HTTP/2.
    pub fn is_h2(self) -> bool {
        matches!(self, Self::H2c | Self::H2)
    }

    /// Whether each request has a stream of its own.
    pub fn has_streams(self) -> bool {
        self.is_h2() || self == Self::H3
    }

    /// What a client that measures servers by this scheme offers.
    pub fn terms(self, resumes: bool) -> Terms {
        match self {
            Self::H3 => Terms::measuring_quic(self.alpn(), resumes),
            _ => Terms::measuring(self.alpn(), self.is_h2(), resumes),
        }
    }
}

/// A pool of any protocol: called once per slice, not per answer.
pub(crate) trait Loads {
    /// See [`slice::open`].
    fn open(&mut self, patience: Patience) -> Result<Tally>;

    /// See [`slice::run`].
    fn run(&mut self, patience: Patience, part: Part<'_>) -> Result<Outcome>;
}

impl<B: Backend, P: Protocol<Flight>> Loads for Pool<B, P> {
    fn open(&mut self, patience: Patience) -> Result<Tally> {
        slice::open(self, patience)
    }

    fn run(&mut self, patience: Patience, part: Part<'_>) -> Result<Outcome> {
        slice::run(self, patience, part)
    }
}

/// One thread's connections to a target, none of them opened yet.
pub(crate) fn pool(
    target: &Arc<Target>,
    io: Io,
    share: Share,
    size: RingSize,
) -> Result<Box<dyn Loads>> {
    match io {
        Io::Uring => over::<Uring>(target, share, size),
        Io::Epoll => over::<Epoll>(target, share, size),
    }
}

fn over<B: Kernel + 'static>(
    target: &Arc<Target>,
    share: Share,
    size: RingSize,
) -> Result<Box<dyn Loads>> {
    let io = |slots, outbox| B::new(slots, outbox, size);
    let sealed = |client: Config| {
        move |slots, outbox: Arc<[u8]>| {
            Ok(Tls::new(io(slots, outbox.clone())?, client, slots, outbox))
        }
    };
    let is_websocket = target.books.iter().any(|book| book.is_websocket());
    match (target.scheme, target.tls.clone()) {
        (Scheme::H1, _) if is_websocket => boxed::<_, WebSocket<_>>(target, share, io),
        (Scheme::H1Tls, Some(client)) if is_websocket => {
            boxed::<_, WebSocket<_>>(target, share, sealed(client))
        }
        (Scheme::H1, _) => boxed::<_, Http1<_>>(target, share, io),
        (Scheme::H2c, _) => boxed::<_, Http2<_, false>>(target, share, io),
        (Scheme::H1Tls, Some(client)) => boxed::<_, Http1<_>>(target, share, sealed(client)),
        (Scheme::H2, Some(client)) => boxed::<_, Http2<_, true>>(target, share, sealed(client)),
        (Scheme::H3, Some(client)) => {
            let (depth, is_single) = (target.pipeline, target.requests_per_connection == Some(1));
            boxed::<_, Http3<_>>(target, share, |slots, _| {
                Quic::new(client, slots, depth, is_single)
            })
        }
        (Scheme::H1Tls | Scheme::H2 | Scheme::H3, None) => {
            let words = format!("{} needs the certificates that TLS trusts", target.scheme.name());
            Err(Error::new(ErrorKind::InvalidInput, words))
        }
    }
}

fn boxed<B: Backend + 'static, P: Protocol<Flight> + 'static>(
    target: &Arc<Target>,
    share: Share,
    io: impl FnOnce(usize, Arc<[u8]>) -> Result<B>,
) -> Result<Box<dyn Loads>> {
    Ok(Box::new(Pool::<B, P>::new(target, share, io)?))
}
