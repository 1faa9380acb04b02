//! I/O over `io_uring`: multishot receives into a ring of buffers, one system call per turn.

mod connecting;
mod receiving;
mod retiring;
mod sending;
#[cfg(test)]
mod tests;

use crate::backend::{
    Backend, Event, HEADS_AFTER_LARGE, Kernel, RingSize, Unsent, WORTH_COUNTING, What, WhenSent,
};
use crate::route::Route;
use crate::socket::Opened;
use connecting::is_passing;
use retiring::Former;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use volley_ring::{Completion, GENERATIONS, Key, Operation, Piece, Ring, Settings, Socket};

/// Few enough that the parts of them that small answers touch stay in a core's first two caches;
/// large enough that a large answer takes few receives. One turn of the kernel delivers some 20
/// pieces.
const BUFFERS: u16 = 64;
const BUFFER_SIZE: u32 = 64 * 1024;

/// How long, at most, one wait for the end of a socket's sending takes.
const SHUTTING_NS: u64 = 10_000_000;

/// Whether a ring of the kind that we need is available.
pub(crate) fn probe() -> io::Result<()> {
    let settings =
        Settings { submissions: 8, completions: 16, buffers: 4, buffer_size: 64, sockets: 0 };
    Ring::new(settings, Arc::from([])).map(|_| ()).map_err(|error| {
        let kind = error.kind();
        io::Error::new(kind, format!("io_uring cannot be used here: {error}"))
    })
}

/// See the module.
#[derive(Debug)]
pub struct Uring {
    ring: Ring,
    slots: Vec<Slot>,
    listener: Option<Socket>,
    accepted: VecDeque<Result<OwnedFd, Errno>>,
    /// Completions that were read too early to be reported.
    held: VecDeque<Completion>,
    /// Slots that found no buffer to receive into, each with its key at that time. If all tried
    /// again at once, one receive per connection would fail again for each buffer that is given
    /// back.
    starved: VecDeque<Key>,
    /// How many of them try again in one turn.
    buffers: usize,
    /// The slot whose receive ended with the last event. Its next receive is chosen once that is
    /// handled.
    to_receive: Option<usize>,
}

/// The key under which accepted sockets complete.
const LISTENER: Key = Key { slot: u32::MAX, generation: 0 };

#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each may be without the others")]
struct Slot {
    socket: Option<Socket>,
    /// The number of sockets that were in this slot: separates completions of a former one from
    /// this one's.
    generation: u32,
    /// Neither established nor failed.
    connecting: bool,
    /// A receive is pending.
    awaits: bool,
    /// A receive is to begin again once there are buffers.
    is_starved: bool,
    /// Expected bytes that may be counted.
    countable: u64,
    /// How many of the next receives read a head only, because the answer may be large. Outlives
    /// the socket.
    heads: u8,
    /// The socket has no room for all of the present send.
    is_full: bool,
    /// A send or `connect` met a reset. The kernel reports it once: the receive finds a plain end.
    was_reset: bool,
    /// The present send.
    sending: Option<Unsent>,
    /// The next bytes to send. One send at a time: else a part could overtake the rest of another.
    queued: VecDeque<Unsent>,
    when_sent: WhenSent,
    /// The last socket that was retired here.
    retired: Option<Former>,
}

impl Uring {
    fn key(&self, slot: usize) -> Key {
        let number = u32::try_from(slot).expect("fewer connections than 2³²");
        Key { slot: number, generation: self.slots[slot].generation }
    }

    /// The meaning of a completion for its slot, if it has any.
    #[inline]
    fn interpret(&mut self, completion: Completion) -> Option<Event<Piece>> {
        if completion.key.slot as usize >= self.slots.len() {
            self.take_accepted(completion);
            return None;
        }
        let Completion { operation, key, result, goes_on, more_to_read: more, .. } = completion;
        let index = key.slot as usize;
        let slot = &mut self.slots[index];
        let event = |what| Some(Event { slot: index, what });
        if slot.generation != key.generation || slot.socket.is_none() {
            // A completion of a socket that is closed or retired.
            if let Some(piece) = completion.piece {
                self.ring.release(piece);
            }
            self.on_retired(key, operation, result, goes_on);
            return None;
        }
        if slot.connecting && !is_passing(operation, result) {
            return Some(Event { slot: index, what: self.connected(completion) });
        }
        match (operation, result) {
            (Operation::Receive, Ok(1..)) => {
                slot.countable = 0;
                if !goes_on {
                    slot.awaits = false;
                    self.to_receive = Some(index);
                }
                completion.piece.and_then(|piece| event(What::Bytes { piece, more }))
            }
            (Operation::Count, Ok(length @ 1..)) => {
                let length = u64::from(length);
                slot.countable -= length;
                slot.awaits = false;
                self.to_receive = Some(index);
                event(What::Counted { length, more })
            }
            (Operation::Receive | Operation::Count, Ok(0)) => {
                slot.awaits = false;
                if let Some(piece) = completion.piece {
                    self.ring.release(piece);
                }
                let reset = std::mem::take(&mut slot.was_reset);
                event(if reset { What::Failed(Errno::CONNRESET.into()) } else { What::End })
            }
            // By the time that this is read, the buffers before it have been given back. If all
            // were lost, a receive would find no buffer again and again.
            (Operation::Receive | Operation::Count, Err(Errno::NOBUFS))
                if !self.ring.is_starved() =>
            {
                slot.awaits = false;
                slot.is_starved = true;
                self.starved.push_back(key);
                None
            }
            (
                Operation::Receive | Operation::Count,
                Err(Errno::INTR | Errno::AGAIN | Errno::CANCELED),
            ) => {
                self.receive(index);
                None
            }
            (Operation::Receive | Operation::Count, Err(errno)) => {
                slot.awaits = false;
                // The repeated `connect` has met a reset, and disconnected the socket.
                let errno = if errno == Errno::NOTCONN { Errno::CONNRESET } else { errno };
                event(What::Failed(errno.into()))
            }
            (Operation::Send | Operation::SendOwned, result) => match self.sent(index, result) {
                Ok(()) => None,
                Err(errno) => event(What::Failed(errno.into())),
            },
            // The kernel repeats a `connect` that had to wait, perhaps only after the answer.
            (Operation::Connect, Err(Errno::CONNRESET)) => {
                slot.was_reset = true;
                None
            }
            // Another event has reported it before.
            (Operation::Writable | Operation::Connect | Operation::Accept, _) => None,
        }
    }

    #[cold]
    fn take_accepted(&mut self, completion: Completion) {
        if !completion.goes_on
            && let Some(listener) = &self.listener
        {
            self.ring.accept(listener, LISTENER);
        }
        match (completion.accepted, completion.result) {
            (Some(socket), _) => self.accepted.push_back(Ok(socket)),
            (None, Err(Errno::CONNABORTED | Errno::INTR) | Ok(_)) => {}
            (None, Err(errno)) => self.accepted.push_back(Err(errno)),
        }
    }

    /// Empties a slot.
    fn take(&mut self, slot: usize) -> Option<Former> {
        let key = self.key(slot);
        let slot = &mut self.slots[slot];
        let (awaits, is_full) = (slot.awaits || slot.connecting, slot.is_full);
        let sends = usize::from(slot.sending.is_some());
        slot.generation = (slot.generation + 1) % GENERATIONS;
        slot.connecting = false;
        slot.awaits = false;
        slot.is_starved = false;
        slot.countable = 0;
        slot.is_full = false;
        slot.was_reset = false;
        slot.sending = None;
        slot.queued.clear();
        slot.when_sent = WhenSent::Nothing;
        slot.socket.take().map(|socket| Former { socket, key, awaits, sends, is_full })
    }
}

impl Kernel for Uring {
    fn new(slots: usize, outbox: Arc<[u8]>, size: RingSize) -> io::Result<Self> {
        // A receive and a send of each may complete in one turn.
        let completions = u32::try_from(slots).unwrap_or(u32::MAX / 8).saturating_mul(2) + 1024;
        let completions = size.completions.unwrap_or(completions);
        let settings = Settings {
            // The kernel wants at least as many places for completions as for requests.
            submissions: completions.min(1024),
            completions,
            buffers: size.buffers.unwrap_or(BUFFERS),
            buffer_size: BUFFER_SIZE,
            // One socket for each slot, and one retired.
            sockets: u32::try_from(slots).unwrap_or(u32::MAX).saturating_mul(2).saturating_add(1),
        };
        let slots = (0..slots).map(|_| Slot::default()).collect();
        Ok(Self {
            ring: Ring::new(settings, outbox)?,
            slots,
            listener: None,
            accepted: VecDeque::new(),
            held: VecDeque::new(),
            starved: VecDeque::new(),
            buffers: size.buffers.unwrap_or(BUFFERS).into(),
            to_receive: None,
        })
    }
}

impl Drop for Uring {
    fn drop(&mut self) {
        for piece in self.held.drain(..).filter_map(|completion| completion.piece) {
            self.ring.release(piece);
        }
    }
}

impl Backend for Uring {
    type Piece = Piece;

    fn listen(&mut self, listener: OwnedFd) -> Result<(), Errno> {
        let listener = self.ring.adopt(listener);
        self.ring.accept(&listener, LISTENER);
        self.listener = Some(listener);
        Ok(())
    }

    fn accepted(&mut self) -> Option<Result<OwnedFd, Errno>> {
        self.accepted.pop_front()
    }

    fn connect(
        &mut self,
        slot: usize,
        route: &Route,
        nth: u64,
        first: Option<Range<usize>>,
    ) -> Result<bool, Errno> {
        self.start(slot, route, nth, first)
    }

    fn open(&mut self, slot: usize, opened: Opened) -> Result<(), Errno> {
        self.slots.resize_with(self.slots.len().max(slot + 1), Slot::default);
        let socket = self.ring.adopt(opened.fd);
        if !opened.established {
            self.ring.await_writable(&socket, self.key(slot));
            self.slots[slot].connecting = true;
        }
        self.slots[slot].socket = Some(socket);
        if opened.established {
            self.receive(slot);
        }
        Ok(())
    }

    #[inline]
    fn send(&mut self, slot: usize, part: Range<usize>) {
        self.queue(slot, Unsent::Part(part));
    }

    #[inline]
    fn send_part_of(&mut self, slot: usize, bytes: Arc<[u8]>, part: Range<usize>) {
        self.queue(slot, Unsent::Owned(bytes, part));
    }

    fn may_count(&mut self, slot: usize, length: u64) {
        if length < WORTH_COUNTING {
            return;
        }
        let key = self.key(slot);
        let slot = &mut self.slots[slot];
        slot.countable = length;
        slot.heads = HEADS_AFTER_LARGE;
        if slot.awaits {
            self.ring.end_receiving(key);
        }
    }

    fn end_sending(&mut self, slot: usize) {
        self.slots[slot].when_sent = WhenSent::EndSending;
        self.end_if_sent(slot);
    }

    fn close(&mut self, slot: usize) {
        let former = self.take(slot);
        self.close_former(former);
    }

    fn close_when_sent(&mut self, slot: usize) {
        self.slots[slot].when_sent = WhenSent::Close;
        self.end_if_sent(slot);
    }

    fn retire(&mut self, slot: usize) {
        self.take_away(slot);
    }

    fn close_retired(&mut self) -> io::Result<()> {
        for slot in 0..self.slots.len() {
            let retired = self.slots[slot].retired.take();
            self.close_former(retired);
        }
        // A socket lives as long as a request names it, so cancelled requests have to end, too.
        self.ring.settle()?;
        while self.ring.is_shutting() {
            self.ring.submit_and_wait(SHUTTING_NS)?;
            while let Some(completion) = self.ring.take() {
                self.held.push_back(completion);
            }
        }
        self.ring.submit()
    }

    #[inline]
    fn hand_over(&mut self) -> io::Result<()> {
        self.ring.hand_over()
    }

    #[inline]
    fn turn(&mut self) -> io::Result<()> {
        self.receive_next();
        self.ring.submit()
    }

    #[inline]
    fn has_news(&mut self) -> io::Result<bool> {
        Ok(!self.held.is_empty() || self.ring.has_work())
    }

    fn wait(&mut self, timeout_ns: u64) -> io::Result<()> {
        // Receives that go on may have nothing to receive, and the next ones much.
        self.ring.submit_and_wait(if self.starved.is_empty() { timeout_ns } else { 0 })
    }

    #[inline]
    fn next(&mut self) -> Option<Event<Piece>> {
        self.receive_next();
        while let Some(completion) = self.held.pop_front().or_else(|| self.ring.take()) {
            if let Some(event) = self.interpret(completion) {
                return Some(event);
            }
        }
        self.receive_starved();
        None
    }

    #[inline]
    fn bytes<'a>(&'a self, piece: &'a Piece) -> &'a [u8] {
        self.ring.bytes(piece)
    }

    #[inline]
    fn bytes_mut<'a>(&'a mut self, piece: &'a mut Piece) -> &'a mut [u8] {
        self.ring.bytes_mut(piece)
    }

    #[inline]
    fn release(&mut self, piece: Piece) {
        self.ring.release(piece);
    }
}
