//! I/O over `io_uring`: multishot receives into a ring of buffers, one system call per turn.

mod sending;
#[cfg(test)]
mod tests;

use crate::backend::{
    Backend, Event, HEAD_SIZE, HEADS_AFTER_LARGE, Kernel, RingSize, Unsent, WORTH_COUNTING, What,
    WhenSent,
};
use crate::route::{Address, Route, SocketBuffers};
use crate::socket::{self, Opened};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use volley_ring::{Completion, GENERATIONS, Key, Operation, Piece, Ring, Settings, Socket};

/// So few that what small answers touch of them stays in a core's first two caches; so large that a
/// large answer takes few receives. A turn of the kernel's delivers some 20 pieces.
const BUFFERS: u16 = 64;
const BUFFER_SIZE: u32 = 64 * 1024;

/// Whether a ring of the kind that we need can be had.
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
    /// The slot whose receive has ended with the last event. What it receives next is known once that is handled.
    to_receive: Option<usize>,
}

/// What is accepted completes under this key.
const LISTENER: Key = Key { slot: u32::MAX, generation: 0 };

#[derive(Debug, Default)]
struct Slot {
    socket: Option<Socket>,
    /// Counts the sockets that were here: separates completions of a former one from this one's.
    generation: u32,
    /// A receive is going on, or the wait for the connection.
    awaits: bool,
    /// Bytes to come that may be counted.
    countable: u64,
    /// So many of the next receives read a head: the answer may be large. Outlives the socket.
    heads: u8,
    /// The socket has no room for all of what is being sent.
    is_full: bool,
    /// A send has met a reset. The kernel reports it once: the receive would find a plain end.
    was_reset: bool,
    /// What is being sent.
    sending: Option<Unsent>,
    /// What is to be sent next. One at a time: else a part could overtake the rest of another.
    queued: VecDeque<Unsent>,
    when_sent: WhenSent,
    /// The last socket that was retired here.
    retired: Option<Former>,
}

/// A socket that was taken out of its slot, and what holds it until the kernel is done with it.
#[derive(Debug)]
struct Former {
    socket: Socket,
    key: Key,
    /// A receive is going on, or the wait for the connection.
    awaits: bool,
    /// Sends that are going on.
    sends: usize,
    /// The last of them waits for room, which never comes where the server reads no more.
    is_full: bool,
}

impl Uring {
    fn key(&self, slot: usize) -> Key {
        let number = u32::try_from(slot).expect("fewer connections than 2³²");
        Key { slot: number, generation: self.slots[slot].generation }
    }

    fn receive(&mut self, slot: usize) {
        let key = self.key(slot);
        let slot = &mut self.slots[slot];
        let Some(socket) = &slot.socket else { return };
        slot.awaits = true;
        if slot.countable > 0 {
            self.ring.count(socket, key, slot.countable);
        } else if slot.heads > 0 {
            slot.heads -= 1;
            self.ring.receive_once(socket, key, HEAD_SIZE);
        } else {
            self.ring.receive(socket, key);
        }
    }

    /// Goes on receiving where the last event has ended it, unless that has closed the socket.
    #[inline]
    fn receive_next(&mut self) {
        if let Some(slot) = self.to_receive.take()
            && !self.slots[slot].awaits
        {
            self.receive(slot);
        }
    }

    /// A retired socket is done with a send; or its server has closed it, and so do we.
    fn on_retired(
        &mut self,
        key: Key,
        operation: Operation,
        result: Result<u32, Errno>,
        goes_on: bool,
    ) {
        let slot = &mut self.slots[key.slot as usize];
        let Some(retired) = slot.retired.as_mut().filter(|retired| retired.key == key) else {
            return;
        };
        match operation {
            Operation::Send | Operation::SendOwned => retired.sends -= 1,
            Operation::Receive | Operation::Count if goes_on => {}
            Operation::Receive | Operation::Count if result.is_ok_and(|length| length > 0) => {
                self.ring.receive(&retired.socket, key);
            }
            Operation::Receive | Operation::Count => {
                retired.awaits = false;
                let retired = slot.retired.take();
                self.close_former(retired);
            }
            _ => {}
        }
    }

    /// Closes a socket, and ends what still holds it.
    fn close_former(&mut self, former: Option<Former>) {
        let Some(Former { socket, key, awaits, sends, is_full }) = former else { return };
        if sends == 0 && !awaits {
            return self.ring.close_ended(socket);
        }
        // Where room came and went, the kernel is about to try again, or leaves the rest to a thread
        // that blocks: a send that is found in neither place can't be cancelled.
        if sends > 0 && is_full {
            self.ring.end_sending(&socket);
        }
        self.ring.close(socket, key);
    }

    /// A socket that only the ring knows, on its way; `None` where that takes system calls.
    fn connect_directly(&mut self, slot: usize, route: &Route, nth: u64) -> Option<Socket> {
        let Address::Tcp(address) = route.address else { return None };
        let source = socket::source(route.sources, nth);
        // Any other source the kernel may refuse, and would connect from another one.
        let is_sure = source.is_none_or(|source| source.is_loopback());
        let is_plain = matches!(route.buffers, SocketBuffers { send: None, receive: None });
        if !is_sure || !is_plain || slot >= self.slots.len() {
            return None;
        }
        self.ring.connect(address, source, self.key(slot))
    }

    /// What a completion means for its slot, if anything.
    #[inline]
    fn interpret(&mut self, completion: Completion) -> Option<Event<Piece>> {
        if completion.key.slot as usize >= self.slots.len() {
            self.take_accepted(completion);
            return None;
        }
        let Completion { operation, key, result, goes_on, more_to_read, piece, .. } = completion;
        let index = key.slot as usize;
        let slot = &mut self.slots[index];
        let event = |what| Some(Event { slot: index, what });
        if slot.generation != key.generation || slot.socket.is_none() {
            // Of a socket that is closed or retired.
            if let Some(piece) = piece {
                self.ring.release(piece);
            }
            self.on_retired(key, operation, result, goes_on);
            return None;
        }
        match (operation, result) {
            (Operation::Receive, Ok(1..)) => {
                slot.countable = 0;
                if !goes_on {
                    slot.awaits = false;
                    self.to_receive = Some(index);
                }
                let more = more_to_read;
                piece.and_then(|piece| event(What::Bytes { piece, more }))
            }
            (Operation::Count, Ok(length @ 1..)) => {
                let length = u64::from(length);
                slot.countable -= length;
                slot.awaits = false;
                self.to_receive = Some(index);
                event(What::Counted { length, more: more_to_read })
            }
            (Operation::Receive | Operation::Count, Ok(0)) => {
                slot.awaits = false;
                if let Some(piece) = piece {
                    self.ring.release(piece);
                }
                let reset = std::mem::take(&mut slot.was_reset);
                event(if reset { What::Failed(Errno::CONNRESET.into()) } else { What::End })
            }
            // By the time that this is read, the buffers before it have been given back. Were all lost,
            // a receive would find none again and again.
            (
                Operation::Receive | Operation::Count,
                Err(Errno::NOBUFS | Errno::INTR | Errno::AGAIN | Errno::CANCELED),
            ) if !self.ring.is_starved() => {
                self.receive(index);
                None
            }
            (Operation::Receive | Operation::Count, Err(errno)) => {
                slot.awaits = false;
                event(What::Failed(errno.into()))
            }
            (Operation::Send | Operation::SendOwned, result) => match self.sent(index, result) {
                Ok(()) => None,
                Err(errno) => event(What::Failed(errno.into())),
            },
            (Operation::Writable, Err(errno)) => event(self.connected(index, Err(errno))),
            (Operation::Writable, Ok(_)) => {
                let fd = slot.socket.as_ref().and_then(|socket| self.ring.descriptor(socket))?;
                let result = rustix::net::sockopt::socket_error(fd).flatten();
                event(self.connected(index, result))
            }
            (Operation::Connect, result) => event(self.connected(index, result.map(|_| ()))),
            (Operation::Accept, _) => None,
        }
    }

    /// What came of connecting. Behind a failure, the slot still is the caller's to close.
    fn connected(&mut self, index: usize, result: Result<(), Errno>) -> What<Piece> {
        match result {
            Ok(()) => {
                self.receive(index);
                What::Established
            }
            Err(errno) => What::Unconnected(errno.into()),
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
        let (awaits, is_full) = (slot.awaits, slot.is_full);
        let sends = usize::from(slot.sending.is_some());
        slot.generation = (slot.generation + 1) % GENERATIONS;
        slot.awaits = false;
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
            // One of each slot, and one retired.
            sockets: u32::try_from(slots).unwrap_or(u32::MAX).saturating_mul(2).saturating_add(1),
        };
        let slots = (0..slots).map(|_| Slot::default()).collect();
        Ok(Self {
            ring: Ring::new(settings, outbox)?,
            slots,
            listener: None,
            accepted: VecDeque::new(),
            to_receive: None,
        })
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

    fn connect(&mut self, slot: usize, route: &Route, nth: u64) -> Result<bool, Errno> {
        if let Some(socket) = self.connect_directly(slot, route, nth) {
            self.slots[slot].awaits = true;
            self.slots[slot].socket = Some(socket);
            return Ok(false);
        }
        let opened = socket::open(route, nth)?;
        let established = opened.established;
        self.open(slot, opened)?;
        Ok(established)
    }

    fn open(&mut self, slot: usize, opened: Opened) -> Result<(), Errno> {
        self.slots.resize_with(self.slots.len().max(slot + 1), Slot::default);
        let socket = self.ring.adopt(opened.fd);
        if !opened.established {
            self.ring.await_writable(&socket, self.key(slot));
            self.slots[slot].awaits = true;
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
    fn send_owned(&mut self, slot: usize, bytes: Arc<[u8]>) {
        self.queue(slot, Unsent::all(bytes));
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
        // Its last words need not wait for the report that those before are sent: the answer to them
        // is there. Where the socket is full, part of a request is missing, and they are worth nothing.
        let full = self.slots[slot].is_full;
        let last = std::mem::take(&mut self.slots[slot].queued);
        let mut sends = 0;
        for last in last.into_iter().filter(|_| !full) {
            self.start_sending(slot, last);
            sends += 1;
        }
        if !self.slots[slot].awaits {
            self.receive(slot); // Its end.
        }
        if let Some(former) = self.take(slot) {
            let retired = Former { sends: former.sends + sends, ..former };
            let before = self.slots[slot].retired.replace(retired);
            self.close_former(before);
        }
    }

    fn close_retired(&mut self) -> io::Result<()> {
        for slot in 0..self.slots.len() {
            let retired = self.slots[slot].retired.take();
            self.close_former(retired);
        }
        // A socket lives as long as a request names it, so what is cancelled has to end, too.
        self.ring.settle()
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
        Ok(self.ring.has_work())
    }

    fn wait(&mut self, timeout_ns: u64) -> io::Result<()> {
        self.ring.submit_and_wait(timeout_ns)
    }

    #[inline]
    fn next(&mut self) -> Option<Event<Piece>> {
        self.receive_next();
        loop {
            let completion = self.ring.take()?;
            if let Some(event) = self.interpret(completion) {
                return Some(event);
            }
        }
    }

    #[inline]
    fn bytes<'a>(&'a self, piece: &'a Piece) -> &'a [u8] {
        self.ring.bytes(piece)
    }

    #[inline]
    fn release(&mut self, piece: Piece) {
        self.ring.release(piece);
    }
}
