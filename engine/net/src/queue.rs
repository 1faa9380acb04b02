//! Events of sockets, by epoll. Each socket has a slot; a generation tells successive sockets of a
//! slot apart.

use crate::backend::EVENTS_AT_ONCE;
use crate::clock::S;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use std::fmt;
use std::io;

/// See the module.
pub struct Queue {
    fd: OwnedFd,
    events: Vec<epoll::Event>,
}

/// An event of a socket.
#[derive(Debug, Clone, Copy)]
pub struct Polled {
    /// As it was added.
    pub slot: usize,
    /// As it was added.
    pub generation: u32,
    /// The kind of event.
    pub flags: EventFlags,
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("fd", &self.fd).finish_non_exhaustive()
    }
}

impl Queue {
    /// Without sockets.
    pub fn new() -> io::Result<Self> {
        let fd = epoll::create(CreateFlags::CLOEXEC)?;
        Ok(Self { fd, events: Vec::with_capacity(EVENTS_AT_ONCE) })
    }

    /// Watches a socket until it is closed. `key`: its slot and its generation.
    pub fn add(
        &self,
        socket: impl AsFd,
        key: (usize, u32),
        flags: EventFlags,
    ) -> Result<(), Errno> {
        epoll::add(&self.fd, socket, data(key), flags)
    }

    /// Watches the socket for other events.
    pub fn modify(
        &self,
        socket: impl AsFd,
        key: (usize, u32),
        flags: EventFlags,
    ) -> Result<(), Errno> {
        epoll::modify(&self.fd, socket, data(key), flags)
    }

    /// The events so far, without waiting.
    #[expect(clippy::cast_possible_truncation, reason = "it takes apart what `data` put together")]
    pub fn poll(&mut self) -> io::Result<impl Iterator<Item = Polled>> {
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        self.events.clear();
        let spare = rustix::buffer::spare_capacity(&mut self.events);
        match epoll::wait(&self.fd, spare, Some(&at_once)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        Ok(self.events.iter().map(|event| {
            let (flags, data) = (event.flags, event.data);
            let (slot, generation) = (data.u64() as u32 as usize, (data.u64() >> 32) as u32);
            Polled { slot, generation, flags }
        }))
    }

    /// Waits until there is an event, or until the timeout.
    pub fn wait(&self, timeout_ns: u64) -> io::Result<()> {
        let timeout = Timespec {
            tv_sec: (timeout_ns / S).min(3600).cast_signed(),
            tv_nsec: (timeout_ns % S).cast_signed(),
        };
        // epoll's own timeout is in whole milliseconds, rounded up (except for `epoll_pwait2`,
        // which kernels before 5.11 lack): a schedule would be late by half a millisecond on
        // average.
        let queue = PollFd::new(&self.fd, PollFlags::IN);
        match rustix::event::poll(&mut [queue], Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }
}

fn data((slot, generation): (usize, u32)) -> EventData {
    EventData::new_u64(u64::from(generation) << 32 | slot as u64)
}
