//! Requests to the kernel: sockets made and closed, bytes received and sent.

use crate::buffers::GROUP;
use crate::code::{Code, pack};
use crate::socket::{Name, OFF, ON, Socket};
use crate::{Key, Ring, Start};
use io_uring::types::{CancelBuilder, DestinationSlot, Fd, Fixed};
use io_uring::{opcode, squeue};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::net::{Shutdown, SocketAddrAny};
use std::net::{IpAddr, SocketAddr};
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::Arc;

/// A request that names its socket in the way in which the socket is known.
macro_rules! on {
    ($name:expr, $socket:ident => $made:expr) => {
        match $name {
            Name::Number(number, _) => {
                let $socket = Fd(number);
                $made
            }
            Name::Place(place) => {
                let $socket = Fixed(place);
                $made
            }
        }
    };
}

impl Ring {
    /// Takes over a socket, or a listener.
    pub fn adopt(&mut self, fd: impl Into<OwnedFd>) -> Socket {
        let fd = fd.into();
        let number = fd.as_raw_fd();
        Socket { ring: self.number, name: Name::Number(number, self.held.insert(fd)) }
    }

    /// A socket that has a number.
    #[must_use]
    pub fn descriptor(&self, socket: &Socket) -> Option<BorrowedFd<'_>> {
        match self.name(socket) {
            Name::Number(_, place) => Some(self.held[place].as_fd()),
            Name::Place(_) => None,
        }
    }

    /// How a request names a socket of ours: another ring's may have its number or its place.
    #[inline]
    fn name(&self, socket: &Socket) -> Name {
        assert!(socket.ring == self.number, "a socket of another ring");
        socket.name
    }

    /// Makes a TCP socket without Nagle's delay that only this ring knows, and connects it, from a
    /// source if one is given. Its port need not be free for other destinations.
    ///
    /// `None`: the kernel lacks a required feature, or the table is full.
    pub fn connect(
        &mut self,
        to: SocketAddr,
        from: Option<IpAddr>,
        key: Key,
        start: Start,
    ) -> Option<Socket> {
        let place = self.table.take(&self.uring.submitter())?;
        let socket = Fixed(place);
        let slot = DestinationSlot::try_from_slot_target(place).ok()?;
        let domain = if to.is_ipv4() { AF_INET } else { AF_INET6 };
        let entry = opcode::Socket::new(domain, SOCK_STREAM, 0).file_index(Some(slot)).build();
        self.push_silent(entry, Code::Prepare, key);
        let delays_acks = switch(socket, IPPROTO_TCP, TCP_QUICKACK, &OFF);
        if start.delays_acks {
            self.push_silent(delays_acks.clone(), Code::Prepare, key);
        }
        if start.first_length.is_none_or(|length| length > SEGMENT) {
            let entry = switch(socket, IPPROTO_TCP, TCP_NODELAY, &ON);
            self.push_silent(entry, Code::Prepare, key);
        }
        if let Some(from) = from {
            self.push_silent(switch(socket, IPPROTO_IP, NO_PORT_YET, &ON), Code::Prepare, key);
            let from = self.hold(SocketAddr::new(from, 0));
            let entry = opcode::Bind::new(socket, from.as_ptr().cast(), from.addr_len()).build();
            self.push_silent(entry, Code::Prepare, key);
        }
        let to = self.hold(to);
        let entry = opcode::Connect::new(socket, to.as_ptr().cast(), to.addr_len()).build();
        if start.first_length.is_some() {
            self.push_silent(entry, Code::Prepare, key);
        } else {
            self.push(&entry.user_data(pack(Code::Connect, key)));
        }
        if start.delays_acks {
            // The server's SYN has undone it.
            self.push_silent(delays_acks, Code::Prepare, key);
        }
        Some(Socket { ring: self.number, name: Name::Place(place) })
    }

    /// Receives on a socket until it ends, fails or is closed.
    #[inline]
    pub fn receive(&mut self, socket: &Socket, key: Key) {
        let entry = on!(self.name(socket), socket => opcode::RecvMulti::new(socket, GROUP).build());
        self.push(&entry.user_data(pack(Code::Receive, key)));
    }

    /// Receives once, this many bytes at most, as soon as there are any.
    #[inline]
    pub fn receive_once(&mut self, socket: &Socket, key: Key, length: u32) {
        let entry = on!(self.name(socket), socket => opcode::Recv::new(socket, null_mut(), length)
            .ioprio(POLL_FIRST)
            .buf_group(GROUP)
            .build()
            .flags(squeue::Flags::BUFFER_SELECT));
        self.push(&entry.user_data(pack(Code::Receive, key)));
    }

    /// Ends a [`Ring::receive`] or [`Ring::receive_once`], which completes as cancelled.
    pub fn end_receiving(&mut self, key: Key) {
        let entry = opcode::AsyncCancel::new(pack(Code::Receive, key)).build();
        self.push(&entry.user_data(pack(Code::Cancel, key)));
    }

    /// Takes up to this many bytes off a TCP connection without their content: the kernel counts
    /// them, and copies nothing (`MSG_TRUNC`).
    ///
    /// It must not wait for all of them (`MSG_WAITALL`): after each part, the kernel would ask for
    /// the whole length again.
    #[inline]
    pub fn count(&mut self, socket: &Socket, key: Key, length: u64) {
        let counted = &mut self.shared.counted;
        let most = u32::try_from(counted.len()).expect("so it was made");
        let length = u32::try_from(length).map_or(most, |length| length.min(most));
        let to = counted.as_mut_ptr();
        let entry = on!(self.name(socket), socket => opcode::Recv::new(socket, to, length)
            .flags(MSG_TRUNC)
            .build());
        self.push(&entry.user_data(pack(Code::Count, key)));
    }

    /// Sends a part of the outbox, or as much of it as the socket has room for once it has any. If
    /// it had to send all of it (`MSG_WAITALL`), the kernel would try a number of times and then
    /// leave the rest to a thread that blocks and cannot be cancelled: the socket would outlive its
    /// being closed.
    #[inline]
    pub fn send(&mut self, socket: &Socket, key: Key, part: Range<usize>) {
        let entry = send_entry(self.name(socket), &self.shared.outbox[part]);
        self.push(&entry.user_data(pack(Code::Send, key)));
    }

    /// The same for bytes outside the outbox, which the ring holds until the send has completed.
    pub fn send_owned(&mut self, socket: &Socket, key: Key, bytes: Arc<[u8]>, part: Range<usize>) {
        let entry = send_entry(self.name(socket), &bytes[part]);
        let place = u32::try_from(self.shared.owned.insert((key, bytes)));
        let place = Key { slot: place.expect("fewer sends than 2³²"), generation: 0 };
        self.push(&entry.user_data(pack(Code::SendOwned, place)));
    }

    /// Closes our side of a socket. If that fails, the connection is gone, and the receive reports
    /// it.
    pub fn end_sending(&mut self, socket: &Socket) {
        match self.name(socket) {
            Name::Number(_, place) => {
                let _ = rustix::net::shutdown(&self.held[place], Shutdown::Write);
            }
            Name::Place(place) => {
                let entry = opcode::Shutdown::new(Fixed(place), SHUT_WR).build();
                let key = Key { slot: place, generation: 0 };
                self.push(&entry.user_data(pack(Code::Shutdown, key)));
                self.shutting.push((place, false));
            }
        }
    }

    /// The sending of the socket in that place has ended: closes the socket, if this was requested
    /// meanwhile.
    pub(crate) fn was_shut(&mut self, place: u32) {
        let at = self.shutting.iter().position(|&(shut, _)| shut == place);
        if let Some((_, true)) = at.map(|at| self.shutting.remove(at)) {
            self.close_place(place);
        }
    }

    /// Whether a socket's sending is being ended, and the socket stays open until then.
    #[must_use]
    pub fn is_shutting(&self) -> bool {
        !self.shutting.is_empty()
    }

    /// Waits until a socket can be written to, that is until `connect` has ended.
    pub fn await_writable(&mut self, socket: &Socket, key: Key) {
        let entry = on!(self.name(socket), socket => opcode::PollAdd::new(socket, POLLOUT).build());
        self.push(&entry.user_data(pack(Code::Writable, key)));
    }

    /// Accepts connections on a listening socket for as long as it is open.
    pub fn accept(&mut self, listener: &Socket, key: Key) {
        let entry = on!(self.name(listener), listener =>
            opcode::AcceptMulti::new(listener).flags(SOCK_CLOEXEC).build());
        self.push(&entry.user_data(pack(Code::Accept, key)));
    }

    /// Closes a socket and ends its pending requests. Late completions of it may still arrive.
    pub fn close(&mut self, socket: Socket, key: Key) {
        let all_of_it = on!(self.name(&socket), socket => CancelBuilder::fd(socket)).all();
        let entry = opcode::AsyncCancel2::new(all_of_it).build();
        self.push(&entry.user_data(pack(Code::Cancel, key)));
        self.close_ended(socket);
    }

    /// Closes a socket that has no pending request any more: its receive has ended.
    #[expect(clippy::needless_pass_by_value, reason = "a socket that was closed is gone")]
    pub fn close_ended(&mut self, socket: Socket) {
        match self.name(&socket) {
            // Until the requests that name it are handed over, the number must not become another
            // socket's.
            Name::Number(_, place) => self.to_close.push(self.held.remove(place)),
            Name::Place(place) => match self.shutting.iter_mut().find(|(shut, _)| *shut == place) {
                Some((_, closes)) => *closes = true,
                None => self.close_place(place),
            },
        }
    }

    /// The kernel takes requests in order: the next socket in this place is made after this
    /// request.
    fn close_place(&mut self, place: u32) {
        let entry = opcode::Close::new(Fixed(place)).build();
        self.push_silent(entry, Code::Close, Key { slot: 0, generation: 0 });
        self.table.release(place);
    }

    /// Keeps an address until the requests that point to it have been handed over: the kernel
    /// copies it when it takes them (`IORING_FEAT_SUBMIT_STABLE`).
    fn hold(&mut self, address: SocketAddr) -> &SocketAddrAny {
        self.addresses.push(Box::new(address.into()));
        self.addresses.last().expect("one was just pushed")
    }
}

const MSG_NOSIGNAL: i32 = 0x4000;
const MSG_TRUNC: i32 = 0x20;
/// `IORING_RECVSEND_POLL_FIRST`: the first try would come too early.
const POLL_FIRST: u16 = 1;
const POLLOUT: u32 = 4;
const SOCK_CLOEXEC: i32 = 0o2_000_000;
const SOCK_STREAM: i32 = 1;
const AF_INET: i32 = 2;
const AF_INET6: i32 = 10;
const SHUT_WR: i32 = 1;
const IPPROTO_TCP: u32 = 6;
const TCP_NODELAY: u32 = 1;
const TCP_QUICKACK: u32 = 12;
/// Every network carries this many bytes in one segment, and Nagle's delay applies to the rest of a
/// larger message.
const SEGMENT: usize = 536;
const IPPROTO_IP: u32 = 0;
/// `IP_BIND_ADDRESS_NO_PORT`: the port is chosen by `connect`, for this destination alone.
const NO_PORT_YET: u32 = 24;

#[inline]
fn send_entry(socket: Name, bytes: &[u8]) -> squeue::Entry {
    let length = u32::try_from(bytes.len()).expect("requests are smaller than 4 GiB");
    on!(socket, socket => opcode::Send::new(socket, bytes.as_ptr(), length)
        .flags(MSG_NOSIGNAL)
        .build())
}

/// Switches an option of a socket on or off.
fn switch(socket: Fixed, level: u32, option: u32, to: &'static i32) -> squeue::Entry {
    opcode::SetSockOpt::new(socket, level, option, (&raw const *to).cast(), 4).build()
}
