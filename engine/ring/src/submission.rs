//! The way to the kernel: requests are queued, handed over in one call, and ended when the ring is.

use crate::code::{Code, pack};
use crate::{Key, Ring};
use io_uring::squeue;
use io_uring::types::{CancelBuilder, SubmitArgs, Timespec};
use rustix::io::Errno;
use std::io;
use std::time::{Duration, Instant};

impl Ring {
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
        let result = self.enter(GETEVENTS);
        self.submitted(result)
    }

    /// Hands over the queued requests, and leaves their completions to the kernel.
    #[inline]
    pub fn hand_over(&mut self) -> io::Result<()> {
        if self.uring.submission().is_empty() {
            return Ok(());
        }
        let result = self.enter(0);
        self.submitted(result)
    }

    /// The same as [`Ring::submit`], until the kernel has finished everything that this brings: it
    /// does some 20 at a time.
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

    /// Hands over the queued requests; with `GETEVENTS`, the same call lets the kernel finish
    /// everything that it can at once: a connection on loopback, an answer that is there.
    #[inline]
    fn enter(&mut self, flags: u32) -> io::Result<usize> {
        #[cfg(test)]
        if let Some(errno) = self.faults.pop_front() {
            return Err(errno.into());
        }
        let queued = u32::try_from(self.uring.submission().len()).expect("the queue is shorter");
        // SAFETY: there is no argument, and no flag says that there is one.
        unsafe { self.uring.submitter().enter::<()>(queued, 0, flags, None) }
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

    #[inline]
    pub(crate) fn push(&mut self, entry: &squeue::Entry) {
        self.pending += 1;
        self.push_uncounted(entry);
    }

    /// Queues a request that completes in silence unless it fails. It points to no shared memory,
    /// so its end need not be awaited.
    #[inline]
    pub(crate) fn push_silent(&mut self, entry: squeue::Entry, code: Code, key: Key) {
        let entry = entry.flags(squeue::Flags::SKIP_SUCCESS).user_data(pack(code, key));
        self.push_uncounted(&entry);
    }

    #[inline]
    fn push_uncounted(&mut self, entry: &squeue::Entry) {
        if !self.try_push(entry) {
            self.push_to_full(entry);
        }
    }

    /// Returns false if the queue is full.
    #[inline]
    fn try_push(&mut self, entry: &squeue::Entry) -> bool {
        // SAFETY: what the entry points to lies in `shared`: in the outbox, in `owned` until its
        // request has completed, in `counted`, or in the buffers. `Drop` frees it only if no
        // request is pending. Or it is a constant; or an address, which `addresses` holds until the
        // kernel has copied it.
        unsafe { self.uring.submission().push(entry) }.is_ok()
    }

    /// Queues the entry after making room, or keeps it for a later submission.
    #[cold]
    fn push_to_full(&mut self, entry: &squeue::Entry) {
        self.overflow.push_back(entry.clone());
        // This error comes again at the next submission, which reports it.
        let _ = self.enter(GETEVENTS);
        self.refill();
    }

    /// Moves overflowed requests into the queue, as far as there is room.
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
            check_submission(self.enter(GETEVENTS))?;
        }
        if !(self.to_close.is_empty() && self.addresses.is_empty())
            && self.uring.submission().is_empty()
        {
            self.to_close.clear();
            self.addresses.clear();
        }
        Ok(())
    }

    /// Ends all requests. False: the kernel may still be working on some.
    pub(crate) fn end_all(&mut self) -> bool {
        let until = Instant::now() + PATIENCE;
        let mut submitted = self.submit();
        while self.pending > 0 && submitted.is_ok() && Instant::now() < until {
            // Its result doesn't matter: a cancelled request is over when it has completed.
            let timeout = Timespec::from(PATIENCE);
            let _ =
                self.uring.submitter().register_sync_cancel(Some(timeout), CancelBuilder::any());
            submitted = self.submit_and_wait(10_000_000);
            // Sockets that were accepted, but never taken, close here.
            while let Some(completion) = self.take() {
                if let Some(piece) = completion.piece {
                    self.release(piece);
                }
            }
        }
        self.table.clear(&self.uring.submitter());
        self.pending == 0
    }
}

/// The longest time that a ring waits for its requests to end.
const PATIENCE: Duration = Duration::from_secs(1);

/// The flags of `io_uring_enter`.
const GETEVENTS: u32 = 1;

/// Whether a submission failed for good, rather than for now.
#[inline]
fn check_submission(result: io::Result<usize>) -> io::Result<()> {
    match result.map_err(|error| Errno::from_io_error(&error)) {
        Ok(_) | Err(Some(Errno::INTR | Errno::TIME | Errno::AGAIN | Errno::BUSY)) => Ok(()),
        Err(Some(errno)) => Err(errno.into()),
        Err(None) => Err(io::Error::other("io_uring failed in an unknown way")),
    }
}
