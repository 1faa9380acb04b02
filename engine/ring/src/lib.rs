//! `io_uring` for sockets, as a safe interface.
//!
//! One [`Ring`] belongs to one thread. Requests are queued, [`Ring::submit`] hands all of them over
//! in one system call, [`Ring::take`] gives what has completed. Received bytes arrive in a ring of
//! buffers ([`Piece`]). The kernel may read what is sent at any time until the send completes: it
//! lies in one block of bytes that the ring holds from its beginning to its end, or it is bytes
//! of their own ([`Ring::send_owned`]), which the ring holds as long.
//!
//! A request names its socket by number: the socket has to stay open until the next
//! [`Ring::submit`], which is why sockets are closed by [`Ring::close`]. Those that [`Ring::connect`]
//! makes have no number: only the ring knows them, and making, connecting and closing them costs no
//! system call of its own.

mod buffers;
mod socket;
#[cfg(test)]
mod tests;

pub use buffers::Piece;
pub use socket::{Direct, Named, Socket};

use buffers::{Buffers, GROUP};
use io_uring::types::{CancelBuilder, DestinationSlot, Fd, Fixed, SubmitArgs, Timespec};
use io_uring::{IoUring, Probe, cqueue, opcode, squeue};
use rustix::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{Shutdown, SocketAddrAny};
use slab::Slab;
use socket::Table;
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::mem::ManuallyDrop;
use std::net::{IpAddr, SocketAddr};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A request that names its socket, in the way that it is named.
macro_rules! on {
    ($named:expr, $socket:ident => $made:expr) => {
        match Into::<Named<'_>>::into($named) {
            Named::Number(fd) => {
                let $socket = Fd(fd.as_raw_fd());
                $made
            }
            Named::Place(place) => {
                let $socket = Fixed(place);
                $made
            }
        }
    };
}

/// How large a ring is.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Requests that may be queued before they are handed over.
    pub submissions: u32,
    /// Completions that may wait: more than there are connections.
    pub completions: u32,
    /// Buffers for received bytes, a power of two.
    pub buffers: u16,
    /// Bytes in each.
    pub buffer_size: u32,
    /// Sockets without a number that there may be at a time ([`Ring::connect`]).
    pub sockets: u32,
}

/// What a completion belongs to: numbers of the caller's choice. Of the generation, 24 bits count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Which connection.
    pub slot: u32,
    /// Which of the sockets that it had.
    pub generation: u32,
}

/// Generations count up to here and begin anew.
pub const GENERATIONS: u32 = 1 << 24;

/// What has completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// [`Ring::receive`]: some bytes, the end, or an error.
    Receive,
    /// [`Ring::send`].
    Send,
    /// [`Ring::await_writable`].
    Writable,
    /// [`Ring::accept`]: a new socket, in [`Completion::accepted`], or an error.
    Accept,
    /// [`Ring::send_owned`].
    SendOwned,
    /// [`Ring::connect`]: the connection is there, or an error. Another error may follow the first.
    Connect,
}

/// Something has happened.
#[derive(Debug)]
pub struct Completion {
    /// What it was that completed.
    pub operation: Operation,
    /// As given.
    pub key: Key,
    /// The number that the operation gave, or its error.
    pub result: Result<u32, Errno>,
    /// More completions of the same request follow.
    pub goes_on: bool,
    /// There was more to read already: bytes, or the end of the connection.
    pub more_to_read: bool,
    /// The bytes, of a [`Operation::Receive`] that brought some.
    pub piece: Option<Piece>,
    /// The socket, of an [`Operation::Accept`] that brought one. It closes when it is dropped.
    pub accepted: Option<OwnedFd>,
}

/// One thread's ring.
pub struct Ring {
    uring: IoUring,
    /// Dropped by hand, and only once the kernel can't reach it any more.
    shared: ManuallyDrop<Shared>,
    /// Requests that the queue had no place for. As long as there are any, the queue is full.
    overflow: VecDeque<squeue::Entry>,
    /// Requests whose last completion has not been read, but for those that complete in silence.
    pending: usize,
    /// Places for sockets without a number.
    table: Table,
    /// Where requests that have not been handed over connect to and from.
    #[expect(clippy::vec_box, reason = "a request points to an address, which must not move")]
    addresses: Vec<Box<SocketAddrAny>>,
    /// Sockets to close once the requests that name them have been handed over.
    to_close: Vec<OwnedFd>,
    /// Kept from crossing threads: the kernel accepts requests of one thread only.
    _one_thread: std::marker::PhantomData<*const ()>,
}

/// Memory that the kernel reads and writes while requests are pending.
struct Shared {
    buffers: Buffers,
    outbox: Arc<[u8]>,
    /// What is being sent from elsewhere than the outbox, and the key of its request.
    owned: Slab<(Key, Arc<[u8]>)>,
}

impl fmt::Debug for Ring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ring").finish_non_exhaustive()
    }
}

impl Ring {
    /// A ring that sends from `outbox`. The error is [`io::ErrorKind::Unsupported`] where the kernel
    /// lacks what it takes, and [`io::ErrorKind::PermissionDenied`] where it forbids it.
    pub fn new(settings: Settings, outbox: Arc<[u8]>) -> io::Result<Self> {
        let uring = IoUring::builder()
            .setup_single_issuer()
            .setup_defer_taskrun()
            .setup_taskrun_flag()
            .setup_submit_all()
            .setup_clamp()
            .setup_cqsize(settings.completions.max(settings.submissions))
            .build(settings.submissions)
            .map_err(|error| match error.kind() {
                io::ErrorKind::InvalidInput => lacking("these settings"),
                _ => error,
            })?;
        if !uring.params().is_feature_nodrop() || !uring.params().is_feature_ext_arg() {
            return Err(lacking("what it takes to lose no completion"));
        }
        check_operations(&uring)?;
        let mut buffers = Buffers::new(settings.buffers, settings.buffer_size);
        buffers.register(&uring.submitter())?;
        Ok(Self {
            uring,
            shared: ManuallyDrop::new(Shared { buffers, outbox, owned: Slab::new() }),
            overflow: VecDeque::new(),
            pending: 0,
            table: Table::Possible(settings.sockets),
            addresses: Vec::new(),
            to_close: Vec::new(),
            _one_thread: std::marker::PhantomData,
        })
    }

    /// Makes a TCP socket without Nagle's delay that only this ring knows, and connects it, from a
    /// source if one is given, at a port that need not be free for other destinations.
    ///
    /// `None`: the kernel lacks what it takes, or there are as many as there may be.
    pub fn connect(&mut self, to: SocketAddr, from: Option<IpAddr>, key: Key) -> Option<Socket> {
        let direct = self.table.take(&self.uring.submitter())?;
        let socket = Fixed(direct.0);
        let slot = DestinationSlot::try_from_slot_target(direct.0).ok()?;
        let domain = if to.is_ipv4() { AF_INET } else { AF_INET6 };
        let entry = opcode::Socket::new(domain, SOCK_STREAM, 0).file_index(Some(slot)).build();
        self.push_silent(entry, Code::Prepare, key);
        self.push_silent(switch_on(socket, IPPROTO_TCP, TCP_NODELAY), Code::Prepare, key);
        if let Some(from) = from {
            self.push_silent(switch_on(socket, IPPROTO_IP, NO_PORT_YET), Code::Prepare, key);
            let from = self.hold(SocketAddr::new(from, 0));
            let entry = opcode::Bind::new(socket, from.as_ptr().cast(), from.addr_len()).build();
            self.push_silent(entry, Code::Prepare, key);
        }
        let to = self.hold(to);
        let entry = opcode::Connect::new(socket, to.as_ptr().cast(), to.addr_len()).build();
        self.push(&entry.user_data(pack(Code::Connect, key)));
        Some(Socket::Direct(direct))
    }

    /// Receives on a socket until it ends, fails or is closed.
    #[inline]
    pub fn receive<'a>(&mut self, socket: impl Into<Named<'a>>, key: Key) {
        let entry = on!(socket, socket => opcode::RecvMulti::new(socket, GROUP).build());
        self.push(&entry.user_data(pack(Code::Receive, key)));
    }

    /// Sends the whole of a part of the outbox.
    #[inline]
    pub fn send<'a>(&mut self, socket: impl Into<Named<'a>>, key: Key, part: Range<usize>) {
        let entry = send_entry(socket.into(), &self.shared.outbox[part]);
        self.push(&entry.user_data(pack(Code::Send, key)));
    }

    /// Sends the whole of a part of other bytes, and holds them until that has completed.
    pub fn send_owned<'a>(
        &mut self,
        socket: impl Into<Named<'a>>,
        key: Key,
        bytes: Arc<[u8]>,
        part: Range<usize>,
    ) {
        let entry = send_entry(socket.into(), &bytes[part]);
        let place = u32::try_from(self.shared.owned.insert((key, bytes)));
        let place = Key { slot: place.expect("fewer sends than 2³²"), generation: 0 };
        self.push(&entry.user_data(pack(Code::SendOwned, place)));
    }

    /// Closes our side of a socket. If that fails, the connection is gone, and the receive tells.
    pub fn end_sending(&mut self, socket: &Socket) {
        match socket {
            Socket::Numbered(fd) => drop(rustix::net::shutdown(fd, Shutdown::Write)),
            Socket::Direct(Direct(place)) => {
                let entry = opcode::Shutdown::new(Fixed(*place), SHUT_WR).build();
                self.push_silent(entry, Code::Close, Key { slot: 0, generation: 0 });
            }
        }
    }

    /// Waits until a socket can be written to: `connect` has ended.
    pub fn await_writable<'a>(&mut self, socket: impl Into<Named<'a>>, key: Key) {
        let entry = on!(socket, socket => opcode::PollAdd::new(socket, POLLOUT).build());
        self.push(&entry.user_data(pack(Code::Writable, key)));
    }

    /// Accepts connections on a listening socket for as long as it is open.
    pub fn accept(&mut self, listener: BorrowedFd<'_>, key: Key) {
        let entry = opcode::AcceptMulti::new(Fd(listener.as_raw_fd())).flags(SOCK_CLOEXEC).build();
        self.push(&entry.user_data(pack(Code::Accept, key)));
    }

    /// Closes a socket and ends what is going on there. Late completions of it may still come.
    pub fn close(&mut self, socket: impl Into<Socket>, key: Key) {
        let socket = socket.into();
        let all_of_it = on!(&socket, socket => CancelBuilder::fd(socket)).all();
        let entry = opcode::AsyncCancel2::new(all_of_it).build();
        self.push(&entry.user_data(pack(Code::Cancel, key)));
        self.close_ended(socket);
    }

    /// Closes a socket on which nothing is going on any more: its receive has ended.
    pub fn close_ended(&mut self, socket: impl Into<Socket>) {
        match socket.into() {
            // Until what names it is handed over, the number must not become another socket's.
            Socket::Numbered(fd) => self.to_close.push(fd),
            // The kernel takes requests in order: a next socket in this place is made behind it.
            Socket::Direct(direct) => {
                let entry = opcode::Close::new(Fixed(direct.0)).build();
                self.push_silent(entry, Code::Close, Key { slot: 0, generation: 0 });
                self.table.give_back(direct);
            }
        }
    }

    /// Keeps an address until the requests that point to it have been handed over: the kernel copies
    /// it when it takes them (`IORING_FEAT_SUBMIT_STABLE`).
    fn hold(&mut self, address: SocketAddr) -> &SocketAddrAny {
        self.addresses.push(Box::new(address.into()));
        self.addresses.last().expect("one was just pushed")
    }

    /// Hands over what is queued, and lets the kernel finish what it can without waiting. Costs no
    /// system call where there is nothing to do.
    #[inline]
    pub fn submit(&mut self) -> io::Result<()> {
        let queue = self.uring.submission();
        let idle = queue.is_empty() && !queue.taskrun() && !queue.cq_overflow();
        drop(queue);
        if idle {
            self.to_close.clear();
            return Ok(());
        }
        let result = self.enter();
        self.submitted(result)
    }

    /// The same, until the kernel has finished all that this brings: it does some 20 at a time.
    pub fn settle(&mut self) -> io::Result<()> {
        self.submit()?;
        for _ in 0..self.pending {
            if !self.uring.submission().taskrun() {
                break;
            }
            self.submit()?;
        }
        Ok(())
    }

    /// Hands over what is queued, and in the same call lets the kernel finish what that can bring at
    /// once: a connection on loopback, an answer that is there.
    #[inline]
    fn enter(&mut self) -> io::Result<usize> {
        let queued = u32::try_from(self.uring.submission().len()).expect("the queue is shorter");
        // SAFETY: there is no argument, and no flag says that there is one.
        unsafe { self.uring.submitter().enter::<()>(queued, 0, GETEVENTS, None) }
    }

    /// Hands over what is queued, and waits for a completion, `timeout_ns` at most. A signal ends
    /// the wait early.
    pub fn submit_and_wait(&mut self, timeout_ns: u64) -> io::Result<()> {
        if !self.overflow.is_empty() {
            self.submit()?;
        }
        let seconds = timeout_ns / 1_000_000_000;
        let nanoseconds = (timeout_ns % 1_000_000_000) as u32;
        let timeout = Timespec::new().sec(seconds.min(3600)).nsec(nanoseconds);
        let arguments = SubmitArgs::new().timespec(&timeout);
        let result = self.uring.submitter().submit_with_args(1, &arguments);
        self.submitted(result)
    }

    /// Whether the kernel has work that the next [`Ring::submit`] would finish, or has finished
    /// some. Costs no system call.
    #[inline]
    pub fn has_work(&mut self) -> bool {
        self.uring.submission().taskrun() || !self.uring.completion().is_empty()
    }

    /// The next of what has completed.
    #[inline]
    pub fn take(&mut self) -> Option<Completion> {
        loop {
            let entry = self.uring.completion().next()?;
            if let Some(completion) = self.read(&entry) {
                return Some(completion);
            }
        }
    }

    /// The bytes of a piece.
    ///
    /// # Panics
    ///
    /// If another ring received them.
    #[inline]
    #[must_use]
    pub fn bytes(&self, piece: &Piece) -> &[u8] {
        self.shared.buffers.bytes(piece)
    }

    /// Lets the kernel have the piece's buffer again.
    ///
    /// # Panics
    ///
    /// If it is another ring's.
    #[inline]
    #[expect(clippy::needless_pass_by_value, reason = "a piece that was given back is gone")]
    pub fn give_back(&mut self, piece: Piece) {
        self.shared.buffers.give_back(&piece);
    }

    /// `None`: it is nobody's business.
    #[inline]
    fn read(&mut self, entry: &cqueue::Entry) -> Option<Completion> {
        let (flags, result) = (entry.flags(), entry.result());
        let (code, mut key) = unpack(entry.user_data());
        let goes_on = cqueue::more(flags);
        self.pending -= usize::from(!goes_on && !matches!(code, Code::Prepare | Code::Close));
        let operation = match code {
            Code::Receive => Operation::Receive,
            Code::Send => Operation::Send,
            Code::Writable => Operation::Writable,
            Code::Accept => Operation::Accept,
            Code::SendOwned => Operation::SendOwned,
            Code::Connect => Operation::Connect,
            // It speaks up only where it failed.
            Code::Prepare if result < 0 => Operation::Connect,
            Code::Prepare | Code::Cancel | Code::Close => return None,
        };
        if operation == Operation::SendOwned {
            (key, _) = self.shared.owned.remove(key.slot as usize);
        }
        let length = result.max(0).cast_unsigned();
        let piece =
            cqueue::buffer_select(flags).map(|buffer| self.shared.buffers.piece(buffer, length));
        let result = match u32::try_from(result) {
            Ok(number) => Ok(number),
            Err(_) => Err(Errno::from_raw_os_error(-result)),
        };
        let accepted = match (operation, result) {
            // SAFETY: the kernel opened it for this completion, and a completion is read only once.
            (Operation::Accept, Ok(_)) => Some(unsafe { OwnedFd::from_raw_fd(entry.result()) }),
            _ => None,
        };
        Some(Completion {
            operation,
            key,
            result,
            goes_on,
            more_to_read: cqueue::sock_nonempty(flags),
            piece,
            accepted,
        })
    }

    #[inline]
    fn push(&mut self, entry: &squeue::Entry) {
        self.pending += 1;
        self.push_uncounted(entry);
    }

    /// Queues a request that completes in silence unless it fails. It points to no shared memory, so
    /// nobody has to wait for its end.
    #[inline]
    fn push_silent(&mut self, entry: squeue::Entry, code: Code, key: Key) {
        let entry = entry.flags(squeue::Flags::SKIP_SUCCESS).user_data(pack(code, key));
        self.push_uncounted(&entry);
    }

    #[inline]
    fn push_uncounted(&mut self, entry: &squeue::Entry) {
        if !self.try_push(entry) {
            self.push_to_full(entry);
        }
    }

    /// False: the queue is full.
    #[inline]
    fn try_push(&mut self, entry: &squeue::Entry) -> bool {
        // SAFETY: what the entry points to lies in `shared`: in the outbox, in `owned` until its
        // request has completed, or in the buffers. `Drop` frees it only if no request is pending.
        // Or it is a constant; or an address, which `addresses` holds until the kernel has copied it.
        unsafe { self.uring.submission().push(entry) }.is_ok()
    }

    /// Makes room, or keeps the entry for a later submission.
    #[cold]
    fn push_to_full(&mut self, entry: &squeue::Entry) {
        self.overflow.push_back(entry.clone());
        // An error here comes again at the next submission, which reports it.
        let _ = self.enter();
        self.refill();
    }

    /// Moves what has overflowed into the queue, as far as there is room.
    fn refill(&mut self) {
        while let Some(entry) = self.overflow.pop_front() {
            if !self.try_push(&entry) {
                self.overflow.push_front(entry);
                return;
            }
        }
    }

    #[inline]
    fn submitted(&mut self, result: io::Result<usize>) -> io::Result<()> {
        check_submission(result)?;
        while !self.overflow.is_empty() {
            let before = self.overflow.len();
            self.refill();
            if self.overflow.len() == before {
                return Ok(()); // The kernel takes no more before completions have been read.
            }
            check_submission(self.enter())?;
        }
        if !(self.to_close.is_empty() && self.addresses.is_empty())
            && self.uring.submission().is_empty()
        {
            self.to_close.clear();
            self.addresses.clear();
        }
        Ok(())
    }

    /// Ends all requests. False: the kernel may still be at some.
    fn end_all(&mut self) -> bool {
        let until = Instant::now() + PATIENCE;
        let mut submitted = self.submit();
        while self.pending > 0 && submitted.is_ok() && Instant::now() < until {
            // Its result doesn't matter: a cancelled request is over when it has completed.
            let timeout = Timespec::from(PATIENCE);
            let _ =
                self.uring.submitter().register_sync_cancel(Some(timeout), CancelBuilder::any());
            submitted = self.submit_and_wait(10_000_000);
            // Sockets that were accepted, but never taken, close here.
            while self.take().is_some() {}
        }
        self.table.clear(&self.uring.submitter());
        self.pending == 0
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        if self.end_all() {
            let _ = self.uring.submitter().unregister_buf_ring(GROUP);
            // SAFETY: no request is left, so the kernel neither reads nor writes what is shared;
            // nor does anything else: this is the end of `self`.
            unsafe { ManuallyDrop::drop(&mut self.shared) };
        }
        // Else what is shared is never freed: the kernel may write to it as long as it likes.
    }
}

/// The longest that a ring waits for its requests to end.
const PATIENCE: Duration = Duration::from_secs(1);

/// Of `io_uring_enter`.
const GETEVENTS: u32 = 1;
const MSG_NOSIGNAL: i32 = 0x4000;
const MSG_WAITALL: i32 = 0x100;
const POLLOUT: u32 = 4;
const SOCK_CLOEXEC: i32 = 0o2_000_000;
const SOCK_STREAM: i32 = 1;
const AF_INET: i32 = 2;
const AF_INET6: i32 = 10;
const SHUT_WR: i32 = 1;
const IPPROTO_TCP: u32 = 6;
const TCP_NODELAY: u32 = 1;
const IPPROTO_IP: u32 = 0;
/// `IP_BIND_ADDRESS_NO_PORT`: the port is chosen by `connect`, for this destination alone.
const NO_PORT_YET: u32 = 24;

/// Whether a submission failed for good, rather than for now.
#[inline]
fn check_submission(result: io::Result<usize>) -> io::Result<()> {
    match result.map_err(|error| Errno::from_io_error(&error)) {
        Ok(_) | Err(Some(Errno::INTR | Errno::TIME | Errno::AGAIN | Errno::BUSY)) => Ok(()),
        Err(Some(errno)) => Err(errno.into()),
        Err(None) => Err(io::Error::other("io_uring failed in an unknown way")),
    }
}

fn check_operations(ring: &IoUring) -> io::Result<()> {
    let mut probe = Probe::new();
    ring.submitter().register_probe(&mut probe)?;
    let needed = [
        opcode::RecvMulti::CODE,
        opcode::Send::CODE,
        opcode::PollAdd::CODE,
        opcode::AcceptMulti::CODE,
        opcode::AsyncCancel2::CODE,
    ];
    match needed.iter().find(|&&code| !probe.is_supported(code)) {
        None => Ok(()),
        Some(code) => Err(lacking(&format!("operation {code}"))),
    }
}

fn lacking(what: &str) -> io::Error {
    let text = format!("the kernel's io_uring is too old: it lacks {what}");
    io::Error::new(io::ErrorKind::Unsupported, text)
}

#[inline]
fn send_entry(socket: Named<'_>, bytes: &[u8]) -> squeue::Entry {
    let length = u32::try_from(bytes.len()).expect("requests are smaller than 4 GiB");
    on!(socket, socket => opcode::Send::new(socket, bytes.as_ptr(), length)
        .flags(MSG_NOSIGNAL | MSG_WAITALL)
        .build())
}

/// Switches an option of a socket on.
fn switch_on(socket: Fixed, level: u32, option: u32) -> squeue::Entry {
    static ON: i32 = 1;
    opcode::SetSockOpt::new(socket, level, option, (&raw const ON).cast(), 4).build()
}

/// What a request is: what its completion says, or who passes it over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Code {
    Receive,
    Send,
    Writable,
    Accept,
    SendOwned,
    Connect,
    /// What comes before a [`Code::Connect`].
    Prepare,
    Cancel,
    Close,
}

#[inline]
fn pack(code: Code, key: Key) -> u64 {
    u64::from(key.slot) << 32 | u64::from(key.generation % GENERATIONS) << 8 | u64::from(code as u8)
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "it takes apart what `pack` put together")]
fn unpack(number: u64) -> (Code, Key) {
    let code = match number as u8 {
        0 => Code::Receive,
        1 => Code::Send,
        2 => Code::Writable,
        3 => Code::Accept,
        4 => Code::SendOwned,
        5 => Code::Connect,
        6 => Code::Prepare,
        7 => Code::Cancel,
        _ => Code::Close,
    };
    let key = Key { slot: (number >> 32) as u32, generation: (number as u32) >> 8 };
    (code, key)
}
