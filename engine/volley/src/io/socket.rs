//! Sockets as the engine wants them: non-blocking, without Nagle's delay, from many addresses.

use nix::sys::socket::{setsockopt, sockopt::IpBindAddressNoPort};
use rustix::fd::OwnedFd;
use rustix::io::{Errno, Result};
use rustix::net::{self, AddressFamily, SocketFlags, SocketType, sockopt};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Source addresses that are used in turn for a server on loopback.
const SOURCES: u64 = 254;

/// A socket, and whether it is connected already. On loopback `connect` often ends at once.
#[derive(Debug)]
pub struct Opened {
    /// The socket.
    pub fd: OwnedFd,
    /// False: it becomes writable when `connect` has ended.
    pub established: bool,
}

/// Starts connecting to `address`, from `source` or from any address.
pub fn open(address: SocketAddr, source: Option<Ipv4Addr>) -> Result<Opened> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let fd = net::socket_with(family, SocketType::STREAM, flags, None)?;
    sockopt::set_tcp_nodelay(&fd, true)?;
    if let Some(source) = source {
        // The port is then chosen by connect, for this destination alone: 28,000 per source and
        // destination, instead of 28,000 in all.
        setsockopt(&fd, IpBindAddressNoPort, &true)
            .map_err(|errno| Errno::from_raw_os_error(errno as i32))?;
        net::bind(&fd, &SocketAddr::from((source, 0)))?;
    }
    let established = match net::connect(&fd, &address) {
        Ok(()) => true,
        Err(Errno::INPROGRESS) => false,
        Err(errno) => return Err(errno),
    };
    Ok(Opened { fd, established })
}

/// The source address of the `nth` connection: 127.0.0.1 to 127.0.0.254 in turn if the server is
/// on IPv4 loopback, else the kernel's choice.
///
/// Who closes a connection first holds its port for a minute. With one source address, 28,000
/// requests on connections of their own would use up the ports.
#[must_use]
pub fn source(address: SocketAddr, nth: u64) -> Option<Ipv4Addr> {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_loopback() => {
            let last = u8::try_from(1 + nth % SOURCES).unwrap_or(1);
            Some(Ipv4Addr::new(127, 0, 0, last))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_has_254_sources_and_others_none() {
        let loopback = "127.0.0.1:80".parse().unwrap();
        let sources: Vec<_> = (0..256).filter_map(|nth| source(loopback, nth)).collect();
        let octets = [0, 1, 253, 254].map(|nth: usize| sources[nth].octets());
        assert_eq!(octets, [1, 2, 254, 1].map(|last| [127, 0, 0, last]));
        assert_eq!(source("[::1]:80".parse().unwrap(), 0), None);
        assert_eq!(source("10.0.0.1:80".parse().unwrap(), 0), None);
    }
}
