//! I/O over epoll: edge-triggered, with one ADD per connection and no MOD; sends are written at
//! once.

use crate::backend::{
    Backend, Event, HEAD_SIZE, HEADS_AFTER_LARGE, Kernel, RingSize, Unsent, WORTH_COUNTING, What,
    WhenSent,
};
use crate::queue::{Polled, Queue};
use crate::socket::Opened;
use rustix::event::epoll::EventFlags;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, Shutdown, SocketFlags};
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Bytes that one read takes at most. A read that returns fewer has emptied the socket.
const READ_SIZE: usize = 64 * 1024;

/// Bytes that one counting read takes at most: more than a socket holds.
const COUNTED_AT_ONCE: usize = 8 << 20;

/// See the module.
pub struct Epoll {
    queue: Queue,
    /// Events from the kernel that are not handled yet.
    ready: VecDeque<Ready>,
    slots: Vec<Slot>,
    outbox: Arc<[u8]>,
    scratch: Box<[u8]>,
    /// The address that counting reads name. TCP writes nothing there, so no page of it is ever
    /// touched.
    counted: Box<[u8]>,
    /// Failed writes: slot, generation, how.
    failed: VecDeque<(usize, u32, Errno)>,
    listener: Option<OwnedFd>,
    accepted: VecDeque<Result<OwnedFd, Errno>>,
}

/// The listener's slot in the kernel's events.
const LISTENER: usize = u32::MAX as usize;

#[derive(Debug, Clone, Copy)]
struct Ready {
    slot: usize,
    generation: u32,
    writable: bool,
    readable: bool,
    /// The server has closed its side, or there is an error.
    hangup: bool,
}

#[derive(Debug, Default)]
struct Slot {
    socket: Option<OwnedFd>,
    /// The number of sockets that were in this slot: separates events of a former one from this
    /// one's.
    generation: u32,
    connecting: bool,
    /// Expected bytes that may be counted.
    countable: u64,
    /// How many of the next reads take a head only, because the answer may be large. Outlives the
    /// socket.
    heads: u8,
    /// A write has met a reset. The kernel reports it once: the reader would find a plain end.
    was_reset: bool,
    unsent: VecDeque<Unsent>,
    when_sent: WhenSent,
    /// The last socket that was retired here, and its generation.
    retired: Option<(OwnedFd, u32)>,
}

impl fmt::Debug for Epoll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Epoll").field("queue", &self.queue).finish_non_exhaustive()
    }
}

impl Epoll {
    /// Collects events.
    fn poll(&mut self) -> io::Result<()> {
        self.ready.extend(self.queue.poll()?.map(Ready::from));
        Ok(())
    }

    /// Accepts all waiting connections. After an error, the next connection brings another event.
    #[cold]
    fn accept_all(&mut self) {
        let Some(listener) = &self.listener else { return };
        loop {
            let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
            match rustix::net::accept_with(listener, flags) {
                Err(Errno::AGAIN) => return,
                Err(Errno::INTR | Errno::CONNABORTED) => {}
                Ok(socket) => self.accepted.push_back(Ok(socket)),
                Err(errno) => return self.accepted.push_back(Err(errno)),
            }
        }
    }

    #[inline]
    fn start_sending(&mut self, slot: usize, unsent: Unsent) {
        let waits = self.slots[slot].connecting || !self.slots[slot].unsent.is_empty();
        self.slots[slot].unsent.push_back(unsent);
        if waits {
            return; // The event follows earlier ones. A connection that fails has sent nothing.
        }
        if let Err(errno) = self.slots[slot].write(&self.outbox) {
            self.failed.push_back((slot, self.slots[slot].generation, errno));
        }
    }

    /// Performs the next step of one readiness. Returns whether all steps are done.
    fn advance(&mut self, ready: &mut Ready) -> (bool, Option<Event<usize>>) {
        let Some(slot) = self.slots.get_mut(ready.slot) else {
            self.accept_all();
            return (true, None);
        };
        let event = |what| Some(Event { slot: ready.slot, what });
        let current = slot.generation == ready.generation;
        let Some(socket) = slot.socket.as_ref().filter(|_| current) else {
            // The server of a retired socket has closed its side, so we close ours.
            if ready.hangup {
                slot.retired.take_if(|(_, generation)| *generation == ready.generation);
            }
            return (true, None);
        };
        if slot.connecting {
            if !ready.writable {
                return (true, None);
            }
            slot.connecting = false;
            return match rustix::net::sockopt::socket_error(socket) {
                Ok(Ok(())) => (false, event(What::Established)),
                Ok(Err(errno)) | Err(errno) => (true, event(What::Unconnected(errno.into()))),
            };
        }
        if std::mem::take(&mut ready.writable)
            && !slot.unsent.is_empty()
            && let Err(errno) = slot.write(&self.outbox)
        {
            return (true, event(What::Failed(errno.into())));
        }
        if !ready.readable || slot.when_sent == WhenSent::Close {
            return (true, None);
        }
        loop {
            let Some(socket) = &slot.socket else { return (true, None) };
            let (into, flags) = if slot.countable > 0 {
                let most = usize::try_from(slot.countable).unwrap_or(usize::MAX);
                (&mut self.counted[..most.min(COUNTED_AT_ONCE)], RecvFlags::TRUNC)
            } else {
                let most = if slot.heads > 0 { HEAD_SIZE as usize } else { READ_SIZE };
                (&mut self.scratch[..most], RecvFlags::empty())
            };
            let asked = into.len();
            return match rustix::net::recv(socket, into, flags) {
                Ok((_, 0)) if slot.was_reset => {
                    (true, event(What::Failed(Errno::CONNRESET.into())))
                }
                Ok((_, 0)) => (true, event(What::End)),
                Ok((_, length)) if flags == RecvFlags::TRUNC => {
                    let more = ready.hangup || length == asked;
                    let length = length as u64;
                    slot.countable -= length;
                    (!more, event(What::Counted { length, more: ready.hangup }))
                }
                Ok((_, length)) => {
                    slot.countable = 0;
                    slot.heads = slot.heads.saturating_sub(1);
                    let more = ready.hangup || length == asked;
                    (!more, event(What::Bytes { piece: length, more: ready.hangup }))
                }
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => (true, None),
                Err(errno) => (true, event(What::Failed(errno.into()))),
            };
        }
    }
}

impl From<Polled> for Ready {
    fn from(Polled { slot, generation, flags }: Polled) -> Self {
        let ended = EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR;
        Self {
            slot,
            generation,
            writable: flags.intersects(EventFlags::OUT | EventFlags::HUP | EventFlags::ERR),
            readable: flags.intersects(EventFlags::IN | ended),
            hangup: flags.intersects(ended),
        }
    }
}

impl Slot {
    /// Writes as much as the socket takes. If that is not all, an event reports when to go on.
    fn write(&mut self, outbox: &[u8]) -> Result<(), Errno> {
        let Some(socket) = &self.socket else { return Ok(()) };
        while let Some(unsent) = self.unsent.front_mut() {
            match rustix::net::send(socket, unsent.bytes(outbox), SendFlags::NOSIGNAL) {
                Ok(sent) => {
                    if !unsent.advance(sent) {
                        self.unsent.pop_front();
                    }
                }
                Err(Errno::INTR) => {}
                Err(errno) if self.when_sent == WhenSent::Close && errno != Errno::AGAIN => {
                    self.take();
                    return Ok(());
                }
                // The server may have answered before it closed: the reader finds out, at the event
                // that comes with the reset.
                Err(errno @ (Errno::AGAIN | Errno::PIPE | Errno::CONNRESET)) => {
                    self.was_reset |= errno == Errno::CONNRESET;
                    return Ok(());
                }
                Err(errno) => return Err(errno),
            }
        }
        match self.when_sent {
            WhenSent::Nothing => {}
            WhenSent::EndSending => {
                self.when_sent = WhenSent::Nothing;
                // If that fails, the connection is gone, and the reader finds out.
                let _ = rustix::net::shutdown(socket, Shutdown::Write);
            }
            WhenSent::Close => drop(self.take()),
        }
        Ok(())
    }

    fn take(&mut self) -> Option<OwnedFd> {
        self.generation = self.generation.wrapping_add(1);
        self.connecting = false;
        self.countable = 0;
        self.was_reset = false;
        self.unsent.clear();
        self.when_sent = WhenSent::Nothing;
        self.socket.take()
    }
}

impl Kernel for Epoll {
    fn new(slots: usize, outbox: Arc<[u8]>, _: RingSize) -> io::Result<Self> {
        Ok(Self {
            queue: Queue::new()?,
            ready: VecDeque::new(),
            slots: (0..slots).map(|_| Slot::default()).collect(),
            outbox,
            scratch: vec![0; READ_SIZE].into_boxed_slice(),
            counted: vec![0; COUNTED_AT_ONCE].into_boxed_slice(),
            failed: VecDeque::new(),
            listener: None,
            accepted: VecDeque::new(),
        })
    }
}

impl Backend for Epoll {
    /// The number of bytes in the scratch buffer.
    type Piece = usize;

    fn listen(&mut self, listener: OwnedFd) -> Result<(), Errno> {
        rustix::io::ioctl_fionbio(&listener, true)?;
        let flags = EventFlags::IN | EventFlags::ET;
        self.queue.add(&listener, (LISTENER, 0), flags)?;
        self.listener = Some(listener);
        Ok(())
    }

    fn accepted(&mut self) -> Option<Result<OwnedFd, Errno>> {
        self.accepted.pop_front()
    }

    fn open(&mut self, slot: usize, opened: Opened) -> Result<(), Errno> {
        self.slots.resize_with(self.slots.len().max(slot + 1), Slot::default);
        let flags = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
        self.queue.add(&opened.fd, (slot, self.slots[slot].generation), flags)?;
        self.slots[slot].connecting = !opened.established;
        self.slots[slot].socket = Some(opened.fd);
        Ok(())
    }

    #[inline]
    fn send(&mut self, slot: usize, part: Range<usize>) {
        self.start_sending(slot, Unsent::Part(part));
    }

    #[inline]
    fn send_part_of(&mut self, slot: usize, bytes: Arc<[u8]>, part: Range<usize>) {
        self.start_sending(slot, Unsent::Owned(bytes, part));
    }

    fn may_count(&mut self, slot: usize, length: u64) {
        if length >= WORTH_COUNTING {
            self.slots[slot].countable = length;
            self.slots[slot].heads = HEADS_AFTER_LARGE;
        }
    }

    fn end_sending(&mut self, slot: usize) {
        let slot = &mut self.slots[slot];
        slot.when_sent = WhenSent::EndSending;
        if slot.unsent.is_empty() {
            // Nothing is written, so nothing can fail.
            let _ = slot.write(&self.outbox);
        }
    }

    fn close(&mut self, slot: usize) {
        self.slots[slot].take();
    }

    fn close_when_sent(&mut self, slot: usize) {
        let slot = &mut self.slots[slot];
        slot.when_sent = WhenSent::Close;
        if slot.unsent.is_empty() {
            slot.take();
        }
    }

    fn retire(&mut self, slot: usize) {
        let slot = &mut self.slots[slot];
        let generation = slot.generation;
        slot.retired = slot.take().map(|socket| (socket, generation));
    }

    fn close_retired(&mut self) -> io::Result<()> {
        self.slots.iter_mut().for_each(|slot| slot.retired = None);
        Ok(())
    }

    /// All bytes were written at once.
    fn hand_over(&mut self) -> io::Result<()> {
        Ok(())
    }

    #[inline]
    fn turn(&mut self) -> io::Result<()> {
        if self.ready.is_empty() { self.poll() } else { Ok(()) }
    }

    #[inline]
    fn has_news(&mut self) -> io::Result<bool> {
        self.turn()?;
        Ok(!self.ready.is_empty() || !self.failed.is_empty())
    }

    fn wait(&mut self, timeout_ns: u64) -> io::Result<()> {
        self.queue.wait(timeout_ns)?;
        self.poll()
    }

    #[inline]
    fn next(&mut self) -> Option<Event<usize>> {
        while let Some((slot, generation, errno)) = self.failed.pop_front() {
            if self.slots[slot].generation == generation {
                return Some(Event { slot, what: What::Failed(errno.into()) });
            }
        }
        while let Some(mut ready) = self.ready.pop_front() {
            let (done, event) = self.advance(&mut ready);
            if !done {
                self.ready.push_front(ready);
            }
            if event.is_some() {
                return event;
            }
        }
        None
    }

    #[inline]
    fn bytes<'a>(&'a self, piece: &'a usize) -> &'a [u8] {
        &self.scratch[..*piece]
    }

    #[inline]
    fn bytes_mut<'a>(&'a mut self, piece: &'a mut usize) -> &'a mut [u8] {
        &mut self.scratch[..*piece]
    }

    fn release(&mut self, _: usize) {}
}
