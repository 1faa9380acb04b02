//! `io_uring` for sockets, as a safe interface.
//!
//! One [`Ring`] belongs to one thread. Requests are queued, [`Ring::submit`] hands all of them over
//! in one system call, [`Ring::take`] gives the completions. Received bytes arrive in a ring of
//! buffers ([`Piece`]). The kernel may read the bytes of a send at any time until the send
//! completes: they lie in one block that the ring holds for its whole life, or they are bytes
//! outside this block ([`Ring::send_owned`]), which the ring holds until the send completes.
//!
//! A request names its socket by a number that the kernel looks up when the request is handed over.
//! So the ring owns its sockets ([`Ring::adopt`]), and a closed socket stays open until then.
//! Sockets that [`Ring::connect`] makes have no number: only the ring knows them, and making,
//! connecting and closing them costs no system call of its own.

#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod buffers;
mod code;
mod requests;
mod socket;
mod submission;
#[cfg(test)]
mod tests;

pub use buffers::Piece;
pub use socket::{Socket, Switch, switch_on};

use buffers::{Buffers, GROUP};
use code::{Code, unpack};
use io_uring::{IoUring, Probe, cqueue, opcode, squeue};
use rustix::fd::{FromRawFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::SocketAddrAny;
use slab::Slab;
use socket::Table;
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::mem::ManuallyDrop;
use std::num::NonZeroU32;
use std::sync::Arc;

/// The sizes of a ring.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// How many requests may be queued before they are handed over.
    pub submissions: u32,
    /// How many completions may wait: more than there are connections.
    pub completions: u32,
    /// Buffers for received bytes, a power of two.
    pub buffers: u16,
    /// The bytes in each buffer.
    pub buffer_size: u32,
    /// How many sockets without a number there may be at a time ([`Ring::connect`]).
    pub sockets: u32,
}

/// The owner of a completion: numbers that the caller chooses. Of the generation, 24 bits count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Which connection.
    pub slot: u32,
    /// Which of the connection's successive sockets.
    pub generation: u32,
}

/// How a connection begins.
#[derive(Debug, Clone, Copy, Default)]
pub struct Start {
    /// How many bytes are sent at once, in a request behind this one. The completion of that
    /// request reports the established connection: `connect` completes only where it fails.
    pub first_length: Option<usize>,
    /// The ACK of the server's SYN leaves with the sent bytes, and the ACK of the answer with our
    /// FIN.
    pub delays_acks: bool,
}

/// More than a socket holds.
const COUNTED_AT_ONCE: usize = 8 << 20;

/// Generations count up to here and then begin anew.
pub const GENERATIONS: u32 = 1 << 24;

/// The operation that has completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// [`Ring::receive`]: some bytes, the end, or an error.
    Receive,
    /// [`Ring::count`]: the number of bytes, the end, or an error.
    Count,
    /// [`Ring::send`]: the number of sent bytes.
    Send,
    /// [`Ring::await_writable`].
    Writable,
    /// [`Ring::accept`]: a new socket, in [`Completion::accepted`], or an error.
    Accept,
    /// [`Ring::send_owned`].
    SendOwned,
    /// [`Ring::connect`]: the connection is established, or an error. Another error may follow the
    /// first.
    Connect,
}

/// A completed operation.
#[derive(Debug)]
pub struct Completion {
    /// The kind of operation.
    pub operation: Operation,
    /// The key, as given.
    pub key: Key,
    /// The number that the operation gave, or its error.
    pub result: Result<u32, Errno>,
    /// More completions of the same request follow.
    pub goes_on: bool,
    /// There was more to read already: bytes, or the end of the connection.
    pub more_to_read: bool,
    /// The bytes, for an [`Operation::Receive`] that brought some.
    pub piece: Option<Piece>,
    /// The socket, for an [`Operation::Accept`] that brought one. It closes when it is dropped.
    pub accepted: Option<OwnedFd>,
}

/// One thread's ring.
pub struct Ring {
    /// A number that no other ring of this process has or ever had. Everything that belongs to a
    /// ring carries it.
    number: NonZeroU32,
    uring: IoUring,
    /// Sockets that have a number in the process.
    held: Slab<OwnedFd>,
    /// Dropped by hand, and only once the kernel cannot reach it any more.
    shared: ManuallyDrop<Shared>,
    /// Requests for which the queue had no place. As long as there are any, the queue is full.
    overflow: VecDeque<squeue::Entry>,
    /// Requests whose last completion has not been read, except those that complete in silence.
    pending: usize,
    /// Places for sockets without a number.
    table: Table,
    /// Places of sockets whose sending is being ended, and whether they are closed afterwards. The
    /// kernel ends it some time later, for whatever socket is in that place.
    shutting: Vec<(u32, bool)>,
    /// The addresses that queued requests connect to and from.
    #[expect(clippy::vec_box, reason = "a request points to an address, which must not move")]
    addresses: Vec<Box<SocketAddrAny>>,
    /// Sockets to close once the requests that name them have been handed over.
    to_close: Vec<OwnedFd>,
    /// The results of the next submissions, instead of the kernel's.
    #[cfg(test)]
    faults: VecDeque<Errno>,
    /// Keeps a ring from crossing threads: the kernel accepts requests of one thread only.
    _one_thread: std::marker::PhantomData<*const ()>,
}

/// Memory that the kernel reads and writes while requests are pending.
struct Shared {
    buffers: Buffers,
    outbox: Arc<[u8]>,
    /// Bytes outside the outbox that are being sent, and the key of their request.
    owned: Slab<(Key, Arc<[u8]>)>,
    /// The address that [`Ring::count`] receives to. TCP writes nothing there, so no page of it is
    /// ever touched.
    counted: Box<[u8]>,
}

impl fmt::Debug for Ring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ring").finish_non_exhaustive()
    }
}

impl Ring {
    /// A ring that sends from `outbox`. The error is [`io::ErrorKind::Unsupported`] where the
    /// kernel lacks a required feature, and [`io::ErrorKind::PermissionDenied`] where it forbids
    /// one.
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
        let number = unused_number();
        let mut buffers = Buffers::new(number, settings.buffers, settings.buffer_size);
        buffers.register(&uring.submitter())?;
        Ok(Self {
            number,
            uring,
            held: Slab::new(),
            shared: ManuallyDrop::new(Shared {
                buffers,
                outbox,
                owned: Slab::new(),
                counted: vec![0; COUNTED_AT_ONCE].into_boxed_slice(),
            }),
            overflow: VecDeque::new(),
            pending: 0,
            table: Table::Possible(settings.sockets),
            shutting: Vec::new(),
            addresses: Vec::new(),
            to_close: Vec::new(),
            #[cfg(test)]
            faults: VecDeque::new(),
            _one_thread: std::marker::PhantomData,
        })
    }

    /// The next completion.
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

    /// The same, to be changed in place.
    ///
    /// # Panics
    ///
    /// If another ring received them.
    #[inline]
    pub fn bytes_mut(&mut self, piece: &mut Piece) -> &mut [u8] {
        self.shared.buffers.bytes_mut(piece)
    }

    /// Gives the piece's buffer back to the kernel.
    ///
    /// # Panics
    ///
    /// If the piece belongs to another ring.
    #[inline]
    pub fn release(&mut self, piece: Piece) {
        self.shared.buffers.release(piece);
    }

    /// Whether every buffer is taken, so that one must be given back before the next receive.
    #[must_use]
    pub fn is_starved(&self) -> bool {
        self.shared.buffers.all_are_out()
    }

    /// `None`: an internal completion, which is not reported.
    #[inline]
    fn read(&mut self, entry: &cqueue::Entry) -> Option<Completion> {
        let (flags, result) = (entry.flags(), entry.result());
        let (code, mut key) = unpack(entry.user_data());
        let goes_on = cqueue::more(flags);
        self.pending -= usize::from(!goes_on && !matches!(code, Code::Prepare | Code::Close));
        let operation = match code {
            Code::Receive => Operation::Receive,
            Code::Count => Operation::Count,
            Code::Send => Operation::Send,
            Code::Writable => Operation::Writable,
            Code::Accept => Operation::Accept,
            Code::SendOwned => Operation::SendOwned,
            Code::Connect => Operation::Connect,
            // It completes only where it failed.
            Code::Prepare if result < 0 => Operation::Connect,
            Code::Shutdown => {
                self.was_shut(key.slot);
                return None;
            }
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
}

impl Drop for Ring {
    fn drop(&mut self) {
        if self.end_all() {
            let _ = self.uring.submitter().unregister_buf_ring(GROUP);
            // SAFETY: no request is left, so the kernel neither reads nor writes the shared memory;
            // nor does anything else, since this is the end of `self`.
            unsafe { ManuallyDrop::drop(&mut self.shared) };
        }
        // Else the shared memory is never freed: the kernel may still write to it at any time.
    }
}

#[expect(clippy::disallowed_types, reason = "once for each ring")]
fn unused_number() -> NonZeroU32 {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let number = NEXT.try_update(Ordering::Relaxed, Ordering::Relaxed, |next| next.checked_add(1));
    NonZeroU32::new(number.expect("fewer rings than 2³²")).expect("it begins at 1")
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
