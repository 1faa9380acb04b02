//! Where a server listens, and how connections reach it.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

/// Where a server listens, and how connections reach it.
#[derive(Debug, Clone)]
pub struct Route {
    /// Where it listens.
    pub address: Address,
    /// Where connections come from.
    pub sources: Sources,
    /// The timeout from `connect` to the established connection.
    pub connect_timeout_ns: u64,
    /// The sizes of the socket's buffers in bytes, where they differ from the system's.
    pub buffers: SocketBuffers,
    /// The ACK of the server's SYN leaves with the request, and the ACK of the answer with our FIN:
    /// for connections that carry one request.
    pub delays_acks: bool,
}

impl Route {
    /// The system's defaults, with its own timeout.
    pub fn to(address: SocketAddr) -> Self {
        Self {
            address: Address::Tcp(address),
            sources: Sources::System,
            connect_timeout_ns: u64::MAX,
            buffers: SocketBuffers::default(),
            delays_acks: false,
        }
    }
}

/// Sizes of a socket's buffers in bytes; `None`: the system's.
#[derive(Debug, Clone, Copy, Default)]
pub struct SocketBuffers {
    /// `SO_SNDBUF`.
    pub send: Option<usize>,
    /// `SO_RCVBUF`.
    pub receive: Option<usize>,
}

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A host and port.
    Tcp(SocketAddr),
    /// A Unix socket.
    Unix(PathBuf),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => path.display().fmt(f),
        }
    }
}

/// Where connections come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sources {
    /// The system chooses.
    System,
    /// This address.
    One(IpAddr),
    /// These IPv4 addresses in turn, including the last.
    Range(Ipv4Addr, Ipv4Addr),
    /// The system chooses as long as it has a port; then these addresses in turn.
    IfNeeded(Ipv4Addr, Ipv4Addr),
}

impl Sources {
    /// Many addresses for connections to loopback that are not kept, if they are needed; else the
    /// system's choice.
    ///
    /// The side that closes a connection first holds its port for a minute: from one source
    /// address, 28,000 short-lived connections would use up the ports. A connection that is kept
    /// needs no port but its own.
    pub fn of(address: &Address, are_kept: bool) -> Self {
        match address {
            Address::Tcp(SocketAddr::V4(address)) if !are_kept && address.ip().is_loopback() => {
                Self::IfNeeded(Ipv4Addr::LOCALHOST, Ipv4Addr::new(127, 0, 0, 254))
            }
            _ => Self::System,
        }
    }

    /// The addresses for connections that the system has no port for.
    #[must_use]
    pub fn spread(self) -> Self {
        match self {
            Self::IfNeeded(first, last) => Self::Range(first, last),
            sources => sources,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_connections_to_loopback_that_are_not_kept_need_many_sources() {
        let of = |address: &str, are_kept| {
            Sources::of(&Address::Tcp(address.parse().unwrap()), are_kept)
        };
        let [first, last] = [1, 254].map(|last| Ipv4Addr::new(127, 0, 0, last));
        assert_eq!(of("127.0.0.1:80", false), Sources::IfNeeded(first, last));
        for (address, are_kept) in
            [("127.0.0.1:80", true), ("[::1]:80", false), ("10.0.0.1:80", false)]
        {
            assert_eq!(of(address, are_kept), Sources::System, "{address}, {are_kept}");
        }
        assert_eq!(Sources::of(&Address::Unix(PathBuf::from("s")), false), Sources::System);
    }
}
