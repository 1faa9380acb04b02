//! A target's turn: opening its connections, and what to do when something is due or ready.

use crate::clock::now_ns;
use crate::connection::State;
use crate::epoll::Ready;
use crate::errors::{ErrorKind, system_words};
use crate::pace::{Window, pause_ns};
use crate::pool::{Pool, Scratch};
use crate::socket;
use crate::tally::Tally;
use rustix::io::{Errno, Result};
use rustix::net::RecvFlags;

/// How long to poll before sleeping.
///
/// It is the server that pays for waking a sleeping generator, within its own send: nginx with 64
/// connections took 12.5 µs of CPU per request with a generator that slept at once (0.4 sleeps per
/// request) and 10.4 µs with one that polled for 50 µs (0.001 sleeps), and so was a quarter faster.
const POLL_NS: u64 = 50_000;

/// The state of one target's turn.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    pub(crate) pool: &'a mut Pool,
    pub(crate) scratch: &'a mut Scratch,
    pub(crate) tally: Tally,
    pub(crate) window: Window,
    /// Connections that are being established or wait for an answer.
    pub(crate) active: usize,
    /// No connection is due before.
    next_due_ns: u64,
}

impl<'a> Turn<'a> {
    /// With a closed window: connections may be opened, but nothing is sent.
    pub(crate) fn new(pool: &'a mut Pool, scratch: &'a mut Scratch) -> Self {
        let tally = Tally::default();
        Self { pool, scratch, tally, window: Window::CLOSED, active: 0, next_due_ns: 0 }
    }

    /// Finds the connections that the server closed between the turns.
    pub(crate) fn drop_closed(&mut self) -> Result<()> {
        loop {
            self.pool.epoll.wait(0, &mut self.scratch.ready)?;
            if self.scratch.ready.is_empty() {
                return Ok(());
            }
            self.dispatch();
        }
    }

    /// Begins to open up to `count` of the connections that are closed.
    pub(crate) fn open(&mut self, count: usize) {
        for index in 0..count {
            if self.pool.connections[index].state == State::Closed {
                self.connect(index, now_ns());
            }
        }
    }

    /// Sends the first request on every open connection and opens the others.
    pub(crate) fn kick_off(&mut self) {
        for index in 0..self.pool.connections.len() {
            if self.pool.connections[index].state == State::Idle {
                self.send(index, now_ns());
            }
        }
        self.sweep(now_ns());
    }

    /// Waits for events until `until_ns` at the latest, and handles what is ready or due.
    pub(crate) fn step(&mut self, until_ns: u64) -> Result<u64> {
        self.pool.epoll.wait(0, &mut self.scratch.ready)?;
        if self.scratch.ready.is_empty() {
            self.wait_for_work(until_ns.min(self.next_due_ns))?;
        }
        self.dispatch();
        let now_ns = now_ns();
        if now_ns >= self.next_due_ns {
            self.sweep(now_ns);
        }
        Ok(now_ns)
    }

    /// Polls for a short while, then sleeps until there is an event or `until_ns`.
    fn wait_for_work(&mut self, until_ns: u64) -> Result<()> {
        let from_ns = now_ns();
        let (mut now_ns, mut slept) = (from_ns, false);
        while self.scratch.ready.is_empty() && now_ns < until_ns && !slept {
            slept = now_ns - from_ns >= POLL_NS;
            let patience_ns = if slept { until_ns - now_ns } else { 0 };
            self.pool.epoll.wait(patience_ns, &mut self.scratch.ready)?;
            now_ns = crate::clock::now_ns();
        }
        self.tally.waited_ns += self.window.overlap_ns(from_ns, now_ns);
        Ok(())
    }

    fn dispatch(&mut self) {
        let mut ready = std::mem::take(&mut self.scratch.ready);
        ready.drain(..).for_each(|event| self.on_ready(event));
        self.scratch.ready = ready;
    }

    #[expect(clippy::cast_possible_truncation, reason = "masked to 32 bits, as `connect` made it")]
    fn on_ready(&mut self, event: Ready) {
        let index = (event.key & u64::from(u32::MAX)) as usize;
        let connection = &self.pool.connections[index];
        if u64::from(connection.generation) != event.key >> 32 {
            return; // Of a socket that is about to be closed.
        }
        if connection.state == State::Connecting && event.writable {
            self.on_connect_end(index);
        }
        let connection = &self.pool.connections[index];
        let unwritten = connection.written < self.pool.target.request.len();
        if connection.state == State::Waiting && unwritten && event.writable {
            self.write(index);
        }
        match self.pool.connections[index].state {
            State::Waiting if event.readable => self.read(index, event.hangup),
            State::Idle if event.readable => self.on_idle_ready(index),
            _ => {}
        }
    }

    /// Handles connections whose time has come, and finds the next such time.
    fn sweep(&mut self, now_ns: u64) {
        self.next_due_ns = u64::MAX;
        for index in 0..self.pool.connections.len() {
            let connection = &self.pool.connections[index];
            let is_due = connection.due_ns <= now_ns;
            match connection.state {
                State::Closed if !self.window.sends(now_ns) => continue,
                State::Closed if is_due => self.connect(index, now_ns),
                State::Connecting if is_due => self.fail_connect(index, Errno::TIMEDOUT),
                State::Waiting if is_due => {
                    let timeout_ms = self.pool.target.request_timeout_ns / 1_000_000;
                    let detail = || format!("no complete answer within {timeout_ms} ms");
                    self.fail(index, ErrorKind::Timeout, 0, detail);
                }
                _ => {}
            }
            let connection = &self.pool.connections[index];
            if connection.state != State::Idle {
                self.next_due_ns = self.next_due_ns.min(connection.due_ns);
            }
        }
    }

    pub(crate) fn set_due(&mut self, index: usize, due_ns: u64) {
        self.pool.connections[index].due_ns = due_ns;
        self.next_due_ns = self.next_due_ns.min(due_ns);
    }

    /// Opens a connection. In close mode this is where a request starts.
    pub(crate) fn connect(&mut self, index: usize, now_ns: u64) {
        let Pool { target, connections, epoll, opened, .. } = &mut *self.pool;
        let connection = &mut connections[index];
        // A connection that is kept needs no port but its own.
        let source = if target.close { socket::source(target.address, *opened) } else { None };
        *opened += 1;
        connection.generation = connection.generation.wrapping_add(1);
        connection.state = State::Connecting;
        connection.started_ns = now_ns;
        self.active += 1;
        let key = u64::from(connection.generation) << 32 | index as u64;
        let socket = socket::open(target.address, source)
            .and_then(|opened| epoll.add(&opened.fd, key).map(|()| opened));
        let due_ns = now_ns.saturating_add(target.connect_timeout_ns);
        match socket {
            Ok(socket) => {
                connection.socket = Some(socket.fd);
                self.set_due(index, due_ns);
                if socket.established {
                    self.on_established(index);
                }
            }
            Err(errno) => self.fail_connect(index, errno),
        }
    }

    fn on_connect_end(&mut self, index: usize) {
        let Some(socket) = &self.pool.connections[index].socket else { return };
        match rustix::net::sockopt::socket_error(socket) {
            Ok(Ok(())) => self.on_established(index),
            Ok(Err(errno)) | Err(errno) => self.fail_connect(index, errno),
        }
    }

    fn on_established(&mut self, index: usize) {
        self.tally.connects += 1;
        let now_ns = now_ns();
        let started_ns = self.pool.connections[index].started_ns;
        self.active -= 1;
        self.pool.connections[index].state = State::Idle;
        if self.pool.target.close && self.window.sends(started_ns) {
            self.send(index, started_ns);
        } else if self.window.sends(now_ns) {
            self.send(index, now_ns);
        }
    }

    /// Something came on a connection that waits for nothing: the server closes it, or talks
    /// unasked. Some say why they close (408) before they do.
    fn on_idle_ready(&mut self, index: usize) {
        let Some(socket) = &self.pool.connections[index].socket else { return };
        let mut receive =
            || rustix::net::recv(socket, &mut *self.scratch.bytes, RecvFlags::empty());
        let received = match receive() {
            Err(Errno::AGAIN | Errno::INTR) => return,
            Err(_) | Ok((_, 0)) => 0,
            Ok((_, received)) => match receive() {
                Err(Errno::AGAIN) => received,
                _ => 0,
            },
        };
        if received > 0 {
            let detail = || "bytes that nobody asked for, after the answer".to_owned();
            self.active += 1; // As if a request were in flight: `fail` takes it away.
            self.fail(index, ErrorKind::Malformed, received, detail);
        } else {
            let connection = &mut self.pool.connections[index];
            connection.socket = None;
            connection.state = State::Closed;
            connection.due_ns = 0;
            if self.window.end_ns == 0 {
                self.tally.idle_closed += 1;
            }
        }
    }

    pub(crate) fn fail_connect(&mut self, index: usize, errno: Errno) {
        let address = self.pool.target.address;
        self.fail(index, ErrorKind::of_connect(errno), 0, || {
            format!("{address}: {}", system_words(errno))
        });
    }

    /// Gives an active connection up. `last`: how many of the bytes in the buffer are its own.
    pub(crate) fn fail(
        &mut self,
        index: usize,
        kind: ErrorKind,
        last: usize,
        detail: impl FnOnce() -> String,
    ) {
        let connection = &mut self.pool.connections[index];
        let (decoder, bytes) = (&connection.decoder, &self.scratch.bytes[..last]);
        self.tally.failed(kind, || (detail(), decoder.evidence(bytes)));
        let to_connect = connection.state == State::Connecting;
        connection.decoder.reset();
        connection.socket = None;
        connection.state = State::Closed;
        connection.failures = connection.failures.saturating_add(1);
        let pause_ns = pause_ns(connection.failures, to_connect);
        self.active -= 1;
        self.set_due(index, now_ns() + pause_ns);
    }
}
