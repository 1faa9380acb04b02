//! UDP sockets: many datagrams a call, in either direction, where the kernel can.

use quinn_udp::{BATCH_SIZE, RecvMeta, Transmit, UdpSockRef, UdpSocketState};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::net::{SendFlags, sockopt};
use std::io::{self, IoSliceMut};
use std::net::SocketAddr;
use std::sync::Arc;

/// The size of the kernel's buffers, where it allows this size and no other is configured.
const RECEIVE_BUFFER: usize = 4 << 20;

/// The most bytes of one piece: several datagrams, or one.
const PIECE: usize = 64 * 1024;

/// The mark of packets on a path that has not been found to change marks: ECT(0).
const MARK: u8 = 0b10;

/// A socket.
#[derive(Debug)]
pub(crate) struct Socket {
    fd: OwnedFd,
    state: Arc<UdpSocketState>,
    /// It is connected, and marks its packets with [`MARK`] itself.
    is_connected: bool,
}

impl Socket {
    /// Takes over a socket that is connected to `peer`. `state` is that of the connected sockets
    /// before it: a new one is expensive.
    pub(crate) fn connected(
        fd: OwnedFd,
        peer: &SocketAddr,
        has_own_buffer: bool,
        state: &mut Option<Arc<UdpSocketState>>,
    ) -> io::Result<Self> {
        match peer {
            SocketAddr::V4(_) => sockopt::set_ip_tos(&fd, MARK)?,
            SocketAddr::V6(_) => sockopt::set_ipv6_tclass(&fd, MARK.into())?,
        }
        if !has_own_buffer {
            sockopt::set_socket_recv_buffer_size(&fd, RECEIVE_BUFFER)?;
        }
        let state = match state {
            Some(state) => state.clone(),
            // It tries the kernel's abilities on further sockets. Their `UDP_GRO` rewrites code of
            // the kernel, and once more as they close: done for each connection, this took a third
            // of the CPU time of handshakes.
            None => state.insert(Arc::new(UdpSocketState::new(UdpSockRef::from(&fd))?)).clone(),
        };
        Ok(Self { fd, state, is_connected: true })
    }

    /// Takes over a bound socket.
    pub(crate) fn bound(fd: OwnedFd) -> io::Result<Self> {
        sockopt::set_socket_recv_buffer_size(&fd, RECEIVE_BUFFER)?;
        let state = Arc::new(UdpSocketState::new(UdpSockRef::from(&fd))?);
        Ok(Self { fd, state, is_connected: false })
    }

    /// How many datagrams one send may have.
    #[inline]
    pub(crate) fn most_at_once(&self) -> usize {
        self.state.max_gso_segments()
    }

    /// Sends datagrams. Returns whether the kernel had room; other failures count as losses on the
    /// way, except for a closed port.
    #[inline]
    pub(crate) fn send(&self, transmit: &quinn_proto::Transmit, bytes: &[u8]) -> io::Result<bool> {
        let is_marked = transmit.ecn.is_some_and(|ecn| ecn as u8 == MARK);
        if self.is_connected && is_marked && transmit.segment_size.is_none() {
            // With an address and a mark beside the bytes the kernel would read both, and look for
            // the route: 3.43 µs in place of 2.95.
            let sent = rustix::net::send(&self.fd, &bytes[..transmit.size], SendFlags::DONTWAIT);
            return has_room(sent.map(drop).map_err(io::Error::from));
        }
        let sent = self.state.try_send(
            UdpSockRef::from(&self.fd),
            &Transmit {
                destination: transmit.destination,
                ecn: transmit.ecn.and_then(|ecn| quinn_udp::EcnCodepoint::from_bits(ecn as u8)),
                contents: &bytes[..transmit.size],
                segment_size: transmit.segment_size,
                src_ip: transmit.src_ip,
            },
        );
        has_room(sent)
    }
}

#[inline]
fn has_room(sent: io::Result<()>) -> io::Result<bool> {
    match sent {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Err(error),
        _ => Ok(true),
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// The buffers into which datagrams are received.
#[derive(Debug)]
pub(crate) struct Inbox {
    bytes: Box<[u8]>,
    metas: Box<[RecvMeta]>,
}

/// Datagrams that came together, from one address.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece<'a> {
    pub(crate) from: SocketAddr,
    pub(crate) to: Option<std::net::IpAddr>,
    pub(crate) ecn: Option<quinn_proto::EcnCodepoint>,
    pub(crate) bytes: &'a [u8],
    /// The size of each datagram but the last.
    pub(crate) stride: usize,
}

impl Inbox {
    /// Buffers for this many pieces at once.
    pub(crate) fn new(pieces: usize) -> Self {
        let pieces = pieces.min(BATCH_SIZE);
        Self {
            bytes: vec![0; pieces * PIECE].into_boxed_slice(),
            metas: vec![RecvMeta::default(); pieces].into_boxed_slice(),
        }
    }

    /// How many pieces one call brings at most: fewer mean that the socket is empty.
    pub(crate) fn size(&self) -> usize {
        self.metas.len()
    }

    /// Receives the waiting pieces; returns how many there were, 0 if none.
    #[inline]
    pub(crate) fn receive(&mut self, socket: &Socket) -> io::Result<usize> {
        let mut chunks = self.bytes.chunks_exact_mut(PIECE);
        let mut slices: [IoSliceMut<'_>; BATCH_SIZE] =
            std::array::from_fn(|_| IoSliceMut::new(chunks.next().unwrap_or_default()));
        let slices = &mut slices[..self.metas.len()];
        match socket.state.recv(UdpSockRef::from(&socket.fd), slices, &mut self.metas) {
            Ok(count) => Ok(count),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(0),
            Err(error) => Err(error),
        }
    }

    /// One of the pieces that were received last.
    #[inline]
    pub(crate) fn piece(&self, nth: usize) -> Piece<'_> {
        let meta = &self.metas[nth];
        Piece {
            from: meta.addr,
            to: meta.dst_ip,
            ecn: meta.ecn.and_then(|ecn| quinn_proto::EcnCodepoint::from_bits(ecn as u8)),
            bytes: &self.bytes[nth * PIECE..][..meta.len],
            stride: meta.stride.max(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::net::sockopt::{Ipv4PathMtuDiscovery, Ipv6PathMtuDiscovery};
    use std::net::UdpSocket;
    use volley_net::{Route, socket::open_datagrams};

    /// The first of them tries the kernel's abilities; the second does as well without.
    #[test]
    fn later_sockets_share_what_the_first_has_found_and_have_the_same_options() {
        for host in ["127.0.0.1:0", "[::1]:0"] {
            // A machine may have no IPv6.
            let Ok(server) = UdpSocket::bind(host) else { continue };
            let address = server.local_addr().unwrap();
            let server = Socket::bound(server.into()).unwrap();
            let mut state = None;
            let sockets: [Socket; 2] = std::array::from_fn(|nth| {
                let fd = open_datagrams(&address, &Route::to(address), nth as u64).unwrap();
                Socket::connected(fd, &address, false, &mut state).unwrap()
            });
            assert!(Arc::ptr_eq(&sockets[0].state, &sockets[1].state));
            for socket in &sockets {
                if address.is_ipv4() {
                    let discovery = sockopt::ip_mtu_discover(socket).unwrap();
                    assert_eq!(discovery, Ipv4PathMtuDiscovery::PROBE);
                } else {
                    let discovery = sockopt::ipv6_mtu_discover(socket).unwrap();
                    assert_eq!(discovery, Ipv6PathMtuDiscovery::PROBE);
                }
                assert_eq!(joined(&server, socket), (300, 100, MARK));
            }
        }
    }

    /// What comes of three datagrams of 100 bytes: bytes, the size of each, and their mark.
    fn joined(server: &Socket, socket: &Socket) -> (usize, usize, u8) {
        let transmit = quinn_proto::Transmit {
            destination: rustix::net::getsockname(socket).unwrap().try_into().unwrap(),
            ecn: Some(quinn_proto::EcnCodepoint::Ect0),
            size: 300,
            segment_size: Some(100),
            src_ip: None,
        };
        assert!(server.send(&transmit, &[7; 300]).unwrap());
        poll(&mut [PollFd::new(socket, PollFlags::IN)], None).unwrap();
        let mut inbox = Inbox::new(4);
        assert_eq!(inbox.receive(socket).unwrap(), 1);
        let piece = inbox.piece(0);
        (piece.bytes.len(), piece.stride, piece.ecn.unwrap() as u8)
    }
}
