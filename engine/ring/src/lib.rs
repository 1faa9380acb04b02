//! `io_uring` for sockets, as a safe interface.
//!
//! One [`Ring`] belongs to one thread. Requests are queued, [`Ring::submit`] hands all of them over
//! in one system call, [`Ring::take`] gives what has completed. Received bytes arrive in a ring of
//! buffers ([`Piece`]). The kernel may read what is sent at any time until the send completes: it
//! lies in one block of bytes that the ring holds from its beginning to its end, or it is bytes
//! of their own ([`Ring::send_owned`]), which the ring holds as long.
//!
//! A request names its socket by number: the socket has to stay open until the next
//! [`Ring::submit`], which is why sockets are closed by [`Ring::close`].

mod buffers;
#[cfg(test)]
mod tests;

pub use buffers::Piece;

use buffers::{Buffers, GROUP};
use io_uring::types::{CancelBuilder, Fd, SubmitArgs, Timespec};
use io_uring::{IoUring, Probe, cqueue, opcode, squeue};
use rustix::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use rustix::io::Errno;
use slab::Slab;
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
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
    /// [`Ring::close`].
    Cancel,
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
    /// Requests whose last completion has not been read.
    pending: usize,
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
            to_close: Vec::new(),
            _one_thread: std::marker::PhantomData,
        })
    }

    /// Receives on a socket until it ends, fails or is closed.
    #[inline]
    pub fn receive(&mut self, socket: BorrowedFd<'_>, key: Key) {
        let entry = opcode::RecvMulti::new(Fd(socket.as_raw_fd()), GROUP).build();
        self.push(&entry.user_data(pack(Operation::Receive, key)));
    }

    /// Sends the whole of a part of the outbox.
    #[inline]
    pub fn send(&mut self, socket: BorrowedFd<'_>, key: Key, part: Range<usize>) {
        let entry = send_entry(socket, &self.shared.outbox[part]);
        self.push(&entry.user_data(pack(Operation::Send, key)));
    }

    /// Sends the whole of a part of other bytes, and holds them until that has completed.
    pub fn send_owned(
        &mut self,
        socket: BorrowedFd<'_>,
        key: Key,
        bytes: Arc<[u8]>,
        part: Range<usize>,
    ) {
        let entry = send_entry(socket, &bytes[part]);
        let place = u32::try_from(self.shared.owned.insert((key, bytes)));
        let place = Key { slot: place.expect("fewer sends than 2³²"), generation: 0 };
        self.push(&entry.user_data(pack(Operation::SendOwned, place)));
    }

    /// Waits until a socket can be written to: `connect` has ended.
    pub fn await_writable(&mut self, socket: BorrowedFd<'_>, key: Key) {
        let entry = opcode::PollAdd::new(Fd(socket.as_raw_fd()), POLLOUT).build();
        self.push(&entry.user_data(pack(Operation::Writable, key)));
    }

    /// Accepts connections on a listening socket for as long as it is open.
    pub fn accept(&mut self, listener: BorrowedFd<'_>, key: Key) {
        let entry = opcode::AcceptMulti::new(Fd(listener.as_raw_fd())).flags(SOCK_CLOEXEC).build();
        self.push(&entry.user_data(pack(Operation::Accept, key)));
    }

    /// Closes a socket and ends what is going on there. Late completions of it may still come.
    pub fn close(&mut self, socket: OwnedFd, key: Key) {
        let all_of_it = CancelBuilder::fd(Fd(socket.as_raw_fd())).all();
        let entry = opcode::AsyncCancel2::new(all_of_it).build();
        self.push(&entry.user_data(pack(Operation::Cancel, key)));
        // Until the cancellations are handed over, the number must not become another socket's.
        self.to_close.push(socket);
    }

    /// Closes a socket on which nothing is going on any more: its receive has ended.
    pub fn close_ended(&mut self, socket: OwnedFd) {
        self.to_close.push(socket);
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
        let result = self.uring.submit();
        self.submitted(result)
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
            let completion = self.read(&entry);
            if completion.operation != Operation::Cancel {
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

    fn read(&mut self, entry: &cqueue::Entry) -> Completion {
        let (flags, result) = (entry.flags(), entry.result());
        let (operation, mut key) = unpack(entry.user_data());
        let goes_on = cqueue::more(flags);
        self.pending -= usize::from(!goes_on);
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
        Completion {
            operation,
            key,
            result,
            goes_on,
            more_to_read: cqueue::sock_nonempty(flags),
            piece,
            accepted,
        }
    }

    #[inline]
    fn push(&mut self, entry: &squeue::Entry) {
        self.pending += 1;
        if !self.try_push(entry) {
            self.push_to_full(entry);
        }
    }

    /// False: the queue is full.
    #[inline]
    fn try_push(&mut self, entry: &squeue::Entry) -> bool {
        // SAFETY: what the entry points to lies in `shared`: in the outbox, in `owned` until its
        // request has completed, or in the buffers. `Drop` frees it only if no request is pending.
        unsafe { self.uring.submission().push(entry) }.is_ok()
    }

    /// Makes room, or keeps the entry for a later submission.
    #[cold]
    fn push_to_full(&mut self, entry: &squeue::Entry) {
        self.overflow.push_back(entry.clone());
        // An error here comes again at the next submission, which reports it.
        let _ = self.uring.submit();
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
            check_submission(self.uring.submit())?;
        }
        if !self.to_close.is_empty() && self.uring.submission().is_empty() {
            self.to_close.clear();
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

const MSG_NOSIGNAL: i32 = 0x4000;
const MSG_WAITALL: i32 = 0x100;
const POLLOUT: u32 = 4;
const SOCK_CLOEXEC: i32 = 0o2_000_000;

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
fn send_entry(socket: BorrowedFd<'_>, bytes: &[u8]) -> squeue::Entry {
    let length = u32::try_from(bytes.len()).expect("requests are smaller than 4 GiB");
    opcode::Send::new(Fd(socket.as_raw_fd()), bytes.as_ptr(), length)
        .flags(MSG_NOSIGNAL | MSG_WAITALL)
        .build()
}

#[inline]
fn pack(operation: Operation, key: Key) -> u64 {
    u64::from(key.slot) << 32
        | u64::from(key.generation % GENERATIONS) << 8
        | u64::from(operation as u8)
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "it takes apart what `pack` put together")]
fn unpack(number: u64) -> (Operation, Key) {
    let operation = match number as u8 {
        0 => Operation::Receive,
        1 => Operation::Send,
        2 => Operation::Writable,
        3 => Operation::Accept,
        4 => Operation::SendOwned,
        _ => Operation::Cancel,
    };
    let key = Key { slot: (number >> 32) as u32, generation: (number as u32) >> 8 };
    (operation, key)
}
