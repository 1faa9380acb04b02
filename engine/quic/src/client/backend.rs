//! The engine's interface to connections of QUIC.

use super::{Kind, Quic, Ready, Records};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;
use volley_net::socket::Opened;
use volley_net::{Agreed, Backend, Datagrams, Event, Route};

impl Backend for Quic {
    type Piece = Records;

    const SHAKES_HANDS: bool = true;

    fn agreed(&self, slot: usize) -> Option<Agreed> {
        self.slots[slot].agreed
    }

    fn datagrams(&self) -> Option<Datagrams> {
        let mut all = self.former;
        for open in self.slots.iter().filter_map(|place| place.open.as_ref()) {
            all.add(&open.line.datagrams());
        }
        Some(all)
    }

    /// Connections are made here, never accepted.
    fn listen(&mut self, _: OwnedFd) -> Result<(), Errno> {
        Err(Errno::OPNOTSUPP)
    }

    fn accepted(&mut self) -> Option<Result<OwnedFd, Errno>> {
        None
    }

    fn connect(
        &mut self,
        slot: usize,
        route: &Route,
        nth: u64,
        _: Option<Range<usize>>,
    ) -> Result<bool, Errno> {
        self.start(slot, route, nth)
    }

    /// A socket without its route is not a connection.
    fn open(&mut self, _: usize, _: Opened) -> Result<(), Errno> {
        Err(Errno::OPNOTSUPP)
    }

    /// Does nothing: the bytes of the outbox are not datagrams.
    fn send(&mut self, _: usize, _: Range<usize>) {}

    #[inline]
    fn send_part_of(&mut self, slot: usize, bytes: Arc<[u8]>, part: Range<usize>) {
        let place = &mut self.slots[slot];
        let Some(open) = &mut place.open else { return };
        if open.line.write(&bytes[part]) {
            let generation = place.generation;
            self.ready.push_back(Ready { slot, generation, what: Kind::News });
        }
        self.soil(slot);
    }

    /// QUIC ends each stream separately.
    fn end_sending(&mut self, _: usize) {}

    fn close(&mut self, slot: usize) {
        self.leave(slot);
    }

    fn close_when_sent(&mut self, slot: usize) {
        self.leave(slot);
    }

    fn may_retire(&self, slot: usize) -> bool {
        self.slots[slot].open.as_ref().is_none_or(|open| !open.line.awaits_ticket() || open.lost)
    }

    /// The side that closes first holds no port.
    fn retire(&mut self, slot: usize) {
        self.leave(slot);
    }

    fn close_retired(&mut self) -> io::Result<()> {
        Ok(())
    }

    #[inline]
    fn hand_over(&mut self) -> io::Result<()> {
        self.flush();
        Ok(())
    }

    #[inline]
    fn turn(&mut self) -> io::Result<()> {
        self.flush();
        if self.ready.is_empty() { self.poll() } else { Ok(()) }
    }

    #[inline]
    fn has_news(&mut self) -> io::Result<bool> {
        self.turn()?;
        Ok(!self.ready.is_empty() || !self.events.is_empty())
    }

    fn wait(&mut self, timeout_ns: u64) -> io::Result<()> {
        self.flush();
        let left = self.timers.next().map(|at| at.saturating_duration_since(Instant::now()));
        let left_ns =
            left.map_or(u64::MAX, |left| u64::try_from(left.as_nanos()).unwrap_or(u64::MAX));
        let has_more = !self.ready.is_empty() || !self.events.is_empty();
        let timeout_ns = if has_more { 0 } else { timeout_ns.min(left_ns) };
        self.queue.wait(timeout_ns)?;
        self.poll()
    }

    /// The datagrams that the former event caused are sent first.
    #[inline]
    fn next(&mut self) -> Option<Event<Records>> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            self.flush();
            if self.events.is_empty() {
                let ready = self.ready.pop_front()?;
                self.advance(ready);
            }
        }
    }

    #[inline]
    fn bytes<'a>(&'a self, _: &'a Records) -> &'a [u8] {
        &self.records
    }

    fn bytes_mut<'a>(&'a mut self, _: &'a mut Records) -> &'a mut [u8] {
        &mut self.records
    }

    fn release(&mut self, _: Records) {}
}
