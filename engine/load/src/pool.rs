//! One thread's share of a target's connections, kept from slice to slice.

use crate::target::Target;
use std::collections::VecDeque;
use std::io::Result;
use std::ops::Range;
use std::sync::Arc;
use volley_net::{Address, Backend, Route};
use volley_protocol::{Protocol, Ticket};
use volley_requests::{Book, Chain};

/// What a connection is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// There is none; it may be opened from `due_ns` on.
    Closed,
    /// Not established yet; given up at `due_ns`.
    Connecting,
    /// Established, but what the server announces of itself has not come; given up at `due_ns`.
    Greeting,
    /// Established, and sends what the file wants once on each connection; given up at `due_ns`.
    Once,
    /// Established, and carries no request.
    Idle,
    /// Established, with requests in flight; given up at `due_ns`.
    Busy,
    /// Its last answer is complete, and what follows is there already: the server's end, or bytes
    /// that nobody asked for. Nothing is sent before that is known.
    Held,
}

impl State {
    /// Whether something is awaited of the server: a slice does not end before.
    #[inline]
    fn is_active(self) -> bool {
        !matches!(self, Self::Closed | Self::Idle)
    }

    /// Whether requests may be sent.
    #[inline]
    pub(crate) fn is_open(self) -> bool {
        matches!(self, Self::Idle | Self::Busy)
    }
}

/// A request on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flight {
    /// When it was due: in open loop by the schedule, else when it was sent.
    pub(crate) due_ns: u64,
    /// When it was sent; where a connection carries one request, when that was opened.
    pub(crate) sent_ns: u64,
    /// Its number in the book.
    pub(crate) message: usize,
}

impl Flight {
    /// That belongs to no window, whenever it is sent.
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

/// How far a connection is with what it begins with, and what it has taken from the answers.
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
    /// When something has to be done about it unless an event comes first.
    pub(crate) due_ns: u64,
    /// What it carries.
    pub(crate) protocol: P,
    /// The request that it is being opened for, where it carries one only.
    pub(crate) waiting: Option<Flight>,
    /// Where connections begin with a chain, from its first request on.
    pub(crate) beginning: Option<Box<Beginning>>,
    /// Requests sent on the present connection, without those of the chain.
    pub(crate) sent: u64,
    /// Failures since the last answer.
    pub(crate) failures: u32,
}

impl<P: Default> Connection<P> {
    pub(crate) fn new() -> Self {
        Self {
            state: State::Closed,
            due_ns: 0,
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

/// Some of a target's connections. Each pool has I/O of its own, so that what other targets do
/// between their turns does not wake the generator.
pub(crate) struct Pool<B, P: Protocol<Flight>> {
    pub(crate) target: Arc<Target>,
    /// The target's, from sources that have ports left.
    pub(crate) route: Route,
    /// Connections that may still be made anew because the system had no port for them.
    other_sources: usize,
    pub(crate) book: Arc<Book>,
    pub(crate) connections: Vec<Connection<P>>,
    pub(crate) io: B,
    /// What the connections share.
    pub(crate) shared: P::Shared,
    /// What a connection has to say, until it is sent. Empty from event to event, and where the
    /// protocol sends the book's bytes but for requests that depend on their connection.
    pub(crate) out: Vec<u8>,
    /// Connections that may take a request that is due, the one that waits longest first (open
    /// loop). May hold some that no longer can.
    pub(crate) available: VecDeque<usize>,
    /// The book's message that is sent next.
    next_message: usize,
    /// The draw of the chain that the next connection begins with.
    next_draw: usize,
    /// Whether bodies may be counted that no rule looks at. On Unix sockets the kernel would copy them.
    pub(crate) counts: bool,
    /// Whether answers are streams of events.
    pub(crate) streams_events: bool,
    /// Connections opened so far: picks the source address.
    pub(crate) opened: u64,
    /// Connections of which something is awaited.
    active: usize,
}

/// Which thread of how many. Connection k, counted from 0, is that of thread k modulo their number, and
/// request k that of connection k modulo theirs. A thread with more connections has more requests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share {
    pub(crate) thread: usize,
    pub(crate) threads: usize,
}

impl Share {
    /// How many of so many connections are this thread's.
    pub(crate) fn of(self, all: u64) -> u64 {
        let (thread, threads) = (self.thread as u64, self.threads as u64);
        all / threads + u64::from(thread < all % threads)
    }

    /// How many of so many requests are.
    pub(crate) fn of_requests(self, all: u64, connections: u64) -> u64 {
        all / connections * self.of(connections) + self.of(all % connections)
    }

    /// How many requests behind one of its `connection` this thread's next one comes, and of which.
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
    /// No connection is opened yet.
    /// `io`: for so many slots and the bytes of such a book.
    pub(crate) fn new(
        target: &Arc<Target>,
        share: Share,
        io: impl FnOnce(usize, Arc<[u8]>) -> Result<B>,
    ) -> Result<Self> {
        let book = target.books[share.thread % target.books.len()].clone();
        let count = usize::try_from(share.of(target.connections as u64)).expect("it was a usize");
        let shared = P::shared(book.expectations(), book.requests());
        let streams_events =
            book.expectations().iter().any(|expectation| expectation.events().is_some());
        let draws = book.chain().map_or(0, Chain::draws);
        Ok(Self {
            target: target.clone(),
            route: target.route.clone(),
            other_sources: count,
            io: io(count, book.outbox().clone())?,
            // Threads that share a book begin at different places of it.
            next_message: book.cycle() * share.thread / share.threads,
            next_draw: draws * share.thread / share.threads,
            book,
            connections: (0..count).map(|_| Connection::new()).collect(),
            shared,
            out: Vec::new(),
            available: VecDeque::new(),
            streams_events,
            counts: target.counts_bodies && matches!(target.route.address, Address::Tcp(_)),
            opened: share.thread as u64,
            active: 0,
        })
    }

    /// The only place where a connection's state changes.
    #[inline]
    pub(crate) fn enter(&mut self, slot: usize, state: State) {
        let before = std::mem::replace(&mut self.connections[slot].state, state);
        self.active += usize::from(state.is_active());
        self.active -= usize::from(before.is_active());
    }

    /// Connections of which something is awaited: one that is to come, or an answer, or the server's end.
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

    /// The system had no port for a connection. Whether it may have one for another source.
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
            self.connections[slot].due_ns = 0;
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
