//! Sockets as the engine wants them: non-blocking, without Nagle's delay, from many addresses.

use crate::route::{Address, Route, SocketBuffers, Sources};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::{Errno, Result, ioctl_fionbio, retry_on_intr};
use rustix::net::sockopt::{Ipv4PathMtuDiscovery, Ipv6PathMtuDiscovery, Timeout};
use rustix::net::{self, AddressFamily, SocketAddrUnix, SocketFlags, SocketType, sockopt};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;
use volley_ring::{Switch, switch_on};

/// A socket, and whether it is connected already. On loopback `connect` often ends at once.
#[derive(Debug)]
pub struct Opened {
    /// The socket, which is non-blocking.
    pub fd: OwnedFd,
    /// If false, the socket becomes writable when `connect` has ended.
    pub established: bool,
}

/// Starts connecting. `nth`: how many connections were opened before.
pub fn open(route: &Route, nth: u64) -> Result<Opened> {
    let family = match &route.address {
        Address::Tcp(SocketAddr::V4(_)) => AddressFamily::INET,
        Address::Tcp(SocketAddr::V6(_)) => AddressFamily::INET6,
        Address::Unix(_) => AddressFamily::UNIX,
    };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let fd = net::socket_with(family, SocketType::STREAM, flags, None)?;
    set_buffers(&fd, route.buffers)?;
    let connected = match &route.address {
        Address::Tcp(address) => {
            sockopt::set_tcp_nodelay(&fd, true)?;
            if let Some(source) = source(route.sources, nth) {
                bind(&fd, source)?;
            }
            if route.delays_acks {
                sockopt::set_tcp_quickack(&fd, false)?;
            }
            let connected = net::connect(&fd, address);
            if route.delays_acks {
                sockopt::set_tcp_quickack(&fd, false)?; // The server's SYN has undone it.
            }
            connected
        }
        Address::Unix(path) => {
            let timeout = Duration::from_nanos(route.connect_timeout_ns);
            connect_unix(&fd, &SocketAddrUnix::new(path.as_path())?, timeout)
        }
    };
    match connected {
        Ok(()) => Ok(Opened { fd, established: true }),
        Err(Errno::INPROGRESS) => Ok(Opened { fd, established: false }),
        Err(errno) => Err(errno),
    }
}

/// A non-blocking socket for datagrams that go to and come from this address alone, whole. Their
/// marks of ECN are received with them, and several may come in one piece where the kernel can.
pub fn open_datagrams(address: &SocketAddr, route: &Route, nth: u64) -> Result<OwnedFd> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let fd = net::socket_with(family, SocketType::DGRAM, flags, None)?;
    set_buffers(&fd, route.buffers)?;
    if let Some(source) = source(route.sources, nth) {
        bind(&fd, source)?;
    }
    net::connect(&fd, address)?;
    if address.is_ipv4() {
        sockopt::set_ip_mtu_discover(&fd, Ipv4PathMtuDiscovery::PROBE)?;
        sockopt::set_ip_recvtos(&fd, true)?;
    } else {
        sockopt::set_ipv6_mtu_discover(&fd, Ipv6PathMtuDiscovery::PROBE)?;
        switch_on(fd.as_fd(), Switch::WholeDatagrams)?;
        sockopt::set_ipv6_recvtclass(&fd, true)?;
    }
    // Older kernels can't.
    let _ = switch_on(fd.as_fd(), Switch::JoinDatagrams);
    Ok(fd)
}

/// Waits where the server's queue is full: unlike with TCP, no event would report that there is
/// room again.
fn connect_unix(fd: &OwnedFd, address: &SocketAddrUnix, timeout: Duration) -> Result<()> {
    match net::connect(fd, address) {
        Err(Errno::AGAIN) => {}
        connected => return connected,
    }
    ioctl_fionbio(fd, false)?;
    sockopt::set_socket_timeout(fd, Timeout::Send, Some(timeout))?;
    let connected = retry_on_intr(|| net::connect(fd, address));
    ioctl_fionbio(fd, true)?;
    connected.map_err(|errno| if errno == Errno::AGAIN { Errno::TIMEDOUT } else { errno })
}

fn set_buffers(fd: &OwnedFd, buffers: SocketBuffers) -> Result<()> {
    if let Some(bytes) = buffers.send {
        sockopt::set_socket_send_buffer_size(fd, bytes)?;
    }
    if let Some(bytes) = buffers.receive {
        sockopt::set_socket_recv_buffer_size(fd, bytes)?;
    }
    Ok(())
}

/// Binds to an address, but leaves the port to `connect`, which chooses it for this destination
/// alone: 28,000 per source and destination, instead of 28,000 in all.
fn bind(fd: &OwnedFd, source: IpAddr) -> Result<()> {
    switch_on(fd.as_fd(), Switch::PortByConnect)?;
    net::bind(fd, &SocketAddr::from((source, 0)))
}

/// The source address of the `nth` connection, or `None` where the system chooses.
pub(crate) fn source(sources: Sources, nth: u64) -> Option<IpAddr> {
    let (first, last) = match sources {
        Sources::System | Sources::IfNeeded(..) => return None,
        Sources::One(source) => return Some(source),
        Sources::Range(first, last) => (first.to_bits(), last.to_bits()),
    };
    let count = u64::from(last.saturating_sub(first)) + 1;
    let offset = u32::try_from(nth % count).unwrap_or(0);
    Some(Ipv4Addr::from_bits(first + offset).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_used_in_turn() {
        let range = Sources::Range(Ipv4Addr::new(127, 0, 0, 254), Ipv4Addr::new(127, 0, 1, 1));
        let sources: Vec<_> = (0..6).filter_map(|nth| source(range, nth)).collect();
        let ends = ["0.254", "0.255", "1.0", "1.1", "0.254", "0.255"];
        let expected = ends.map(|end| format!("127.0.{end}").parse::<IpAddr>().unwrap());
        assert_eq!(sources, expected);
        assert_eq!(source(Sources::System, 7), None);
        let one = IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(source(Sources::One(one), 7), Some(one));
    }
}
