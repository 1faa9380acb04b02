//! `io_uring` for sockets, as a safe interface.
//!
//! One [`Ring`] belongs to one thread. Requests are queued, [`Ring::submit`] hands all of them over
//! in one system call, [`Ring::take`] gives what has completed. Received bytes arrive in a ring of
//! buffers ([`Piece`]). The kernel may read what is sent at any time until the send completes: it
//! lies in one block of bytes that the ring holds from its beginning to its end, or it is bytes
//! of their own ([`Ring::send_owned`]), which the ring holds as long.

mod buffers;

pub use buffers::Piece;

use buffers::{Buffers, GROUP};
use io_uring::types::{CancelBuilder, Fd, SubmitArgs, Timespec};
use io_uring::{IoUring, Probe, cqueue, opcode, squeue};
use rustix::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use rustix::io::Errno;
use std::collections::HashMap;
use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Arc;

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
    buffers: Buffers,
    outbox: Arc<[u8]>,
    /// What is being sent from elsewhere than the outbox, by the `user_data` of its request.
    owned: HashMap<u64, Arc<[u8]>>,
    /// Sockets to close once the requests that name them have been handed over.
    to_close: Vec<OwnedFd>,
    /// Kept from crossing threads: the kernel accepts requests of one thread only.
    _one_thread: std::marker::PhantomData<*const ()>,
}

impl fmt::Debug for Ring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ring").finish_non_exhaustive()
    }
}

impl Ring {
    /// A ring that sends from `outbox`. The error says what the kernel lacks.
    pub fn new(settings: Settings, outbox: Arc<[u8]>) -> io::Result<Self> {
        let uring = IoUring::builder()
            .setup_single_issuer()
            .setup_defer_taskrun()
            .setup_taskrun_flag()
            .setup_submit_all()
            .setup_clamp()
            .setup_cqsize(settings.completions.max(settings.submissions))
            .build(settings.submissions)?;
        if !uring.params().is_feature_nodrop() || !uring.params().is_feature_ext_arg() {
            return Err(io::Error::other("the kernel's io_uring is too old"));
        }
        check_operations(&uring)?;
        let mut buffers = Buffers::new(settings.buffers, settings.buffer_size);
        buffers.register(&uring.submitter())?;
        Ok(Self {
            uring,
            buffers,
            outbox,
            owned: HashMap::new(),
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
        let entry = send_entry(socket, &self.outbox[part]);
        self.push(&entry.user_data(pack(Operation::Send, key)));
    }

    /// Sends the whole of a part of other bytes, and holds them until that has completed.
    ///
    /// # Panics
    ///
    /// If another of the same key has not completed yet.
    pub fn send_owned(
        &mut self,
        socket: BorrowedFd<'_>,
        key: Key,
        bytes: Arc<[u8]>,
        part: Range<usize>,
    ) {
        let entry = send_entry(socket, &bytes[part]);
        let user_data = pack(Operation::SendOwned, key);
        // Letting go of the bytes of an earlier one would take them from under the kernel.
        let earlier = self.owned.insert(user_data, bytes);
        assert!(earlier.is_none(), "one send at a time for each key");
        self.push(&entry.user_data(user_data));
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
    #[inline]
    #[must_use]
    pub fn bytes(&self, piece: &Piece) -> &[u8] {
        self.buffers.bytes(piece)
    }

    /// Lets the kernel have the piece's buffer again.
    #[inline]
    #[expect(clippy::needless_pass_by_value, reason = "a piece that was given back is gone")]
    pub fn give_back(&mut self, piece: Piece) {
        self.buffers.give_back(&piece);
    }

    fn read(&mut self, entry: &cqueue::Entry) -> Completion {
        let (flags, result) = (entry.flags(), entry.result());
        let (operation, key) = unpack(entry.user_data());
        if operation == Operation::SendOwned {
            self.owned.remove(&entry.user_data());
        }
        let length = result.max(0).cast_unsigned();
        let piece = cqueue::buffer_select(flags).map(|buffer| self.buffers.piece(buffer, length));
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
            goes_on: cqueue::more(flags),
            more_to_read: cqueue::sock_nonempty(flags),
            piece,
            accepted,
        }
    }

    fn push(&mut self, entry: &squeue::Entry) {
        // SAFETY: what the entry points to lies in the outbox, in `owned` until its request has
        // completed, or is the buffer ring; all live until `Drop` has waited for every request.
        while unsafe { self.uring.submission().push(entry) }.is_err() {
            // The queue is full. An error here comes again at the next submission, which reports it.
            let _ = self.uring.submit();
        }
    }

    fn submitted(&mut self, result: io::Result<usize>) -> io::Result<()> {
        match result.map_err(|error| Errno::from_io_error(&error)) {
            Ok(_) | Err(Some(Errno::INTR | Errno::TIME | Errno::AGAIN | Errno::BUSY)) => {}
            Err(Some(errno)) => return Err(errno.into()),
            Err(None) => return Err(io::Error::other("io_uring failed in an unknown way")),
        }
        if !self.to_close.is_empty() && self.uring.submission().is_empty() {
            self.to_close.clear();
        }
        Ok(())
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // Afterwards no request is left that could read the outbox or write to the buffers.
        let _ = self.uring.submit();
        let _ = self.uring.submitter().register_sync_cancel(None, CancelBuilder::any());
        let _ = self.uring.submitter().unregister_buf_ring(GROUP);
        // What was accepted and nobody asked for is closed.
        while self.take().is_some() {}
    }
}

const MSG_NOSIGNAL: i32 = 0x4000;
const MSG_WAITALL: i32 = 0x100;
const POLLOUT: u32 = 4;
const SOCK_CLOEXEC: i32 = 0o2_000_000;

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
        Some(code) => Err(io::Error::other(format!("the kernel lacks io_uring operation {code}"))),
    }
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
