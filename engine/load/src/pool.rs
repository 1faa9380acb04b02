//! One thread's share of a target's connections, kept from slice to slice.

use crate::rooms::Room;
use crate::target::Target;
use std::collections::VecDeque;
use std::io::Result;
use std::ops::Range;
use std::sync::Arc;
use volley_net::{Address, Backend, Route};
use volley_protocol::{Protocol, Ticket};
use volley_requests::{Book, Chain};

/// The state of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Not connected; it may be opened from `alarm_ns` on.
    Closed,
    /// Not connected; it is opened for a request that becomes due, and carries that one only.
    Offered,
    /// Not established yet; given up at `alarm_ns`.
    Connecting,
    /// Established, but the server's announcement has not arrived; given up at `alarm_ns`.
    Greeting,
    /// Established, and sends the requests that the file wants once per connection; given up at
    /// `alarm_ns`.
    Once,
    /// Established, and holds a stream whose next event is due before `alarm_ns`.
    Streaming,
    /// Established, and carries no request.
    Idle,
    /// Established, with requests in flight; given up at `alarm_ns`.
    Busy,
    /// Its last answer is complete, and more is there to read, or on its way: the server's end, bytes
    /// that were not requested, or a ticket. Nothing is sent before that is known.
    Lingering,
}

impl State {
    /// Whether the connection awaits something from the server: a slice does not end before.
    #[inline]
    fn is_active(self) -> bool {
        !matches!(self, Self::Closed | Self::Offered | Self::Streaming | Self::Idle)
    }

    /// Whether requests may be sent.
    #[inline]
    pub(crate) fn is_open(self) -> bool {
        matches!(self, Self::Idle | Self::Busy)
    }
}

/// A request in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flight {
    /// When it was due: by the schedule in open loop, else when it was sent.
    pub(crate) due_ns: u64,
    /// When it was sent; where a connection carries one request, when the connection was opened.
    pub(crate) sent_ns: u64,
    /// Its number in the book.
    pub(crate) message: usize,
}

impl Flight {
    /// The due time of requests that belong to no window, whenever they are sent.
    pub(crate) fn uncounted(message: usize) -> Self {
        Self { due_ns: u64::MAX, sent_ns: u64::MAX, message }
    }
}

impl Ticket for Flight {
    #[inline]
    fn next(self) -> Self {
        Self { message: self.message + 1, ..self }
    }
}

/// How far a connection is with its chain, and the values that it has taken from the answers.
#[derive(Debug)]
pub(crate) struct Beginning {
    /// Which draw of the chain.
    pub(crate) draw: usize,
    /// The step that is in flight, or comes next.
    pub(crate) step: usize,
    pub(crate) values: Vec<String>,
}

/// One of a target's connections. It may be closed and opened many times.
#[derive(Debug)]
pub(crate) struct Connection<P> {
    pub(crate) state: State,
    /// When the connection needs attention unless an event comes first.
    pub(crate) alarm_ns: u64,
    /// The requests that it carries.
    pub(crate) protocol: P,
    /// The request that it is being opened for, where it carries one only.
    pub(crate) waiting: Option<Flight>,
    /// Where connections begin with a chain, from its first request on.
    pub(crate) beginning: Option<Box<Beginning>>,
    /// Requests sent on the present connection, except those of the chain.
    pub(crate) sent: u64,
    /// Failures since the last answer.
    pub(crate) failures: u32,
}

impl<P: Default> Connection<P> {
    pub(crate) fn new() -> Self {
        Self {
            state: State::Closed,
            alarm_ns: 0,
            protocol: P::default(),
            waiting: None,
            beginning: None,
            sent: 0,
            failures: 0,
        }
    }
}

impl<P: Protocol<Flight>> Connection<P> {
    /// Takes a request that will not be answered.
    pub(crate) fn take_unanswered(&mut self) -> Option<Flight> {
        self.waiting.take().or_else(|| self.protocol.take_unanswered())
    }
}

/// Some of a target's connections. Each pool has its own I/O, so that events of other targets
/// between their turns do not wake the generator.
pub(crate) struct Pool<B, P: Protocol<Flight>> {
    pub(crate) target: Arc<Target>,
    /// The target's route, from sources that have ports left.
    pub(crate) route: Route,
    /// Connections from this one on hold streams.
    pub(crate) held_from: usize,
    /// Connections that may still be made anew because the system had no port for them.
    other_sources: usize,
    pub(crate) book: Arc<Book>,
    pub(crate) connections: Vec<Connection<P>>,
    pub(crate) io: B,
    /// The rooms of its connections, if there are any.
    pub(crate) rooms: Vec<Room>,
    /// The connections' common state.
    pub(crate) shared: P::Shared,
    /// Bytes that a connection's protocol has written but that are not sent yet. Empty between
    /// events. Where the protocol sends the book's bytes, only requests that depend on their
    /// connection use it.
    pub(crate) out: Vec<u8>,
    /// Connections that may take a due request, the longest waiting first (open loop). Some of them
    /// may no longer be able to.
    pub(crate) available: VecDeque<usize>,
    /// The book's message that is sent next.
    next_message: usize,
    /// The draw of the chain that the next connection begins with.
    next_draw: usize,
    /// Whether bodies that no rule needs may be counted. On Unix sockets the kernel would copy
    /// them.
    pub(crate) counts: bool,
    /// Whether answers are streams of events.
    pub(crate) streams_events: bool,
    /// Connections opened so far: the number selects the source address.
    pub(crate) opened: u64,
    /// Connections that await something.
    active: usize,
}

/// The number of a thread among all. Connection k, counted from 0, belongs to thread k modulo the
/// number of threads, and request k to connection k modulo theirs. A thread with more connections
/// has more requests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share {
    pub(crate) thread: usize,
    pub(crate) threads: usize,
}

impl Share {
    /// How many of `all` connections are this thread's.
    pub(crate) fn of(self, all: u64) -> u64 {
        let (thread, threads) = (self.thread as u64, self.threads as u64);
        all / threads + u64::from(thread < all % threads)
    }

    /// How many of `all` requests are this thread's.
    pub(crate) fn of_requests(self, all: u64, connections: u64) -> u64 {
        all / connections * self.of(connections) + self.of(all % connections)
    }

    /// How many requests after one of its `connection` this thread's next one comes, and on which
    /// connection.
    #[inline]
    pub(crate) fn next(self, connection: u64, connections: u64) -> (u64, u64) {
        let (thread, threads) = (self.thread as u64, self.threads as u64);
        let next = connection + threads;
        if next < connections {
            (threads, next)
        } else {
            (connections - connection + thread, thread)
        }
    }
}

impl<B: Backend, P: Protocol<Flight>> Pool<B, P> {
    /// A pool whose connections are not opened yet. `io`: takes the number of slots and the bytes
    /// of the book.
    pub(crate) fn new(
        target: &Arc<Target>,
        share: Share,
        io: impl FnOnce(usize, Arc<[u8]>) -> Result<B>,
    ) -> Result<Self> {
        let book = target.books[share.thread % target.books.len()].clone();
        let size = target.room.unwrap_or(1);
        let units = share.of(target.units() as u64);
        let count = usize::try_from(units).expect("it was a usize") * size;
        let held = usize::try_from(share.of(target.held as u64)).expect("it was a usize");
        let mut connections: Vec<_> = (0..count + held).map(|_| Connection::new()).collect();
        for (slot, connection) in connections.iter_mut().enumerate() {
            let Connection::<P> { protocol, .. } = connection;
            protocol.enter_room(target.first_room + slot / size * share.threads + share.thread);
        }
        let rooms = if target.room.is_some() { count / size } else { 0 };
        let shared = P::shared(book.expectations(), book.requests());
        let of_requests = book.expectations().len() - usize::from(book.held().is_some());
        let of_requests = &book.expectations()[..of_requests];
        let streams_events = of_requests.iter().any(|expectation| expectation.events().is_some());
        let draws = book.chain().map_or(0, Chain::draws);
        Ok(Self {
            target: target.clone(),
            route: target.route.clone(),
            other_sources: count + held,
            held_from: count,
            io: io(count + held, book.outbox().clone())?,
            // Threads that share a book begin at different places of it.
            next_message: book.cycle() * share.thread / share.threads,
            next_draw: draws * share.thread / share.threads,
            book,
            connections,
            rooms: (0..rooms).map(|_| Room::default()).collect(),
            shared,
            out: Vec::new(),
            available: VecDeque::new(),
            streams_events,
            counts: target.counts_bodies && matches!(target.route.address, Address::Tcp(_)),
            opened: share.thread as u64,
            active: 0,
        })
    }

    /// The number of a connection's room, if there are rooms.
    #[inline]
    pub(crate) fn room_of(&self, slot: usize) -> Option<usize> {
        self.target.room.map(|size| slot / size)
    }

    /// The connections of a room.
    pub(crate) fn slots_of(&self, room: usize) -> Range<usize> {
        let size = self.target.room.unwrap_or(1);
        room * size..(room + 1) * size
    }

    /// The only place where a connection's state changes.
    #[inline]
    pub(crate) fn enter(&mut self, slot: usize, state: State) {
        let before = std::mem::replace(&mut self.connections[slot].state, state);
        self.active += usize::from(state.is_active());
        self.active -= usize::from(before.is_active());
    }

    /// Connections that await something: their establishment, an answer, or the server's end.
    #[inline]
    pub(crate) fn active(&self) -> usize {
        self.active
    }

    /// Whether each connection carries one request only.
    #[inline]
    pub(crate) fn is_one_shot(&self) -> bool {
        self.target.requests_per_connection == Some(1)
    }

    /// Whether a connection that is opened for a request sends it without waiting for anything.
    #[inline]
    pub(crate) fn sends_at_once(&self) -> bool {
        !P::GREETS && !B::SHAKES_HANDS && self.is_one_shot() && self.book.is_fixed()
    }

    /// The system had no port for a connection. Returns whether it may have one for another source.
    pub(crate) fn use_other_sources(&mut self) -> bool {
        self.route.sources = self.route.sources.spread();
        let may_have = self.route.sources != self.target.route.sources && self.other_sources > 0;
        self.other_sources -= usize::from(may_have);
        may_have
    }

    /// Takes the next `count` messages: the number of the first, and all their bytes.
    #[inline]
    pub(crate) fn take_messages(&mut self, count: usize) -> (usize, Range<usize>) {
        let first = self.next_message;
        self.next_message = first + count;
        while self.next_message >= self.book.cycle() {
            self.next_message -= self.book.cycle();
        }
        (first, self.book.bytes(first, count))
    }

    /// Takes the next draw of the chain, if there is one.
    pub(crate) fn take_draw(&mut self) -> Option<usize> {
        let draws = self.book.chain()?.draws();
        let next = (self.next_draw + 1) % draws;
        Some(std::mem::replace(&mut self.next_draw, next))
    }

    /// Closes all connections. They may be opened again at once.
    pub(crate) fn hang_up(&mut self) -> Result<()> {
        for slot in 0..self.connections.len() {
            self.enter(slot, State::Closed);
            self.connections[slot].alarm_ns = 0;
            self.io.close(slot);
        }
        self.io.close_retired()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up() {
        for (all, threads) in [(5_u64, 2), (64, 3), (1, 4), (0, 2), (10, 1)] {
            let shares: Vec<u64> =
                (0..threads).map(|thread| Share { thread, threads }.of(all)).collect();
            assert_eq!(shares.iter().sum::<u64>(), all);
            assert!(shares.iter().max().unwrap() - shares.iter().min().unwrap() <= 1);
        }
    }

    #[test]
    fn requests_are_shared_as_connections_are() {
        for (all, threads, connections, expected) in [
            (2000, 2, 3, vec![1333, 667]),
            (2001, 2, 3, vec![1334, 667]),
            (2, 2, 3, vec![1, 1]),
            (1000, 2, 64, vec![500, 500]),
            (7, 3, 3, vec![3, 2, 2]),
        ] {
            let shares: Vec<u64> = (0..threads)
                .map(|thread| Share { thread, threads }.of_requests(all, connections))
                .collect();
            assert_eq!(shares, expected, "{all} requests, {threads} threads, {connections}");
        }
    }
}
