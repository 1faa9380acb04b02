//! The kernel's readiness queue: edge-triggered, one ADD per connection, never a MOD.

use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::{Errno, Result};
use std::fmt;

/// So many events are taken at a time: enough to spread the call's cost, few enough that the
/// clock is looked at every fraction of a millisecond.
const EVENTS_AT_ONCE: usize = 64;

/// Something happened on the connection that was added under `key`.
#[derive(Debug, Clone, Copy)]
pub struct Ready {
    /// The key given to [`Epoll::add`].
    pub key: u64,
    /// It may be written to, or its connect has ended.
    pub writable: bool,
    /// There are bytes, an end or an error to read.
    pub readable: bool,
    /// The server has closed its side, or there is an error.
    pub hangup: bool,
}

/// One queue.
pub struct Epoll {
    fd: OwnedFd,
    events: Vec<epoll::Event>,
}

impl fmt::Debug for Epoll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Epoll").field("fd", &self.fd).finish_non_exhaustive()
    }
}

impl Epoll {
    /// A new queue.
    pub fn new() -> Result<Self> {
        let fd = epoll::create(CreateFlags::CLOEXEC)?;
        Ok(Self { fd, events: Vec::with_capacity(EVENTS_AT_ONCE) })
    }

    /// Watches a socket until it is closed.
    pub fn add(&self, socket: impl AsFd, key: u64) -> Result<()> {
        let flags = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
        epoll::add(&self.fd, socket, EventData::new_u64(key), flags)
    }

    /// Appends what happened to `ready`. Waits up to `timeout_ns` if nothing has yet, in steps of
    /// a millisecond, rounded up. A signal ends the wait early.
    pub fn wait(&mut self, timeout_ns: u64, ready: &mut Vec<Ready>) -> Result<()> {
        let timeout = Timespec {
            tv_sec: (timeout_ns / 1_000_000_000).min(3600).cast_signed(),
            tv_nsec: (timeout_ns % 1_000_000_000).cast_signed(),
        };
        self.events.clear();
        let spare = rustix::buffer::spare_capacity(&mut self.events);
        match epoll::wait(&self.fd, spare, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
        ready.extend(self.events.iter().map(|event| {
            let (flags, data) = (event.flags, event.data);
            let ended = EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR;
            Ready {
                key: data.u64(),
                writable: flags.intersects(EventFlags::OUT | EventFlags::HUP | EventFlags::ERR),
                readable: flags.intersects(EventFlags::IN | ended),
                hangup: flags.intersects(ended),
            }
        }));
        Ok(())
    }
}
