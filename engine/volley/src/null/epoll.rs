//! The null server on epoll.

use super::debt::{Answers, Debt};
use super::{PATIENCE_NS, POLL};
use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, SocketFlags, accept_with, recv, send};
use std::io::Result;
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// So many events are taken at a time.
const EVENTS: usize = 256;

/// So many bytes are received at a time.
const BUFFER: usize = 64 * 1024;

/// Events of the listener come under this key, those of connections under their socket's number.
const LISTENER: u64 = u64::MAX;

struct Connection {
    socket: OwnedFd,
    debt: Debt,
    /// The peer sends no more. What it is owed still goes out.
    has_ended: bool,
}

struct Server<'a> {
    epoll: OwnedFd,
    events: Vec<Event>,
    buffer: Vec<u8>,
    listener: &'a TcpListener,
    answers: Answers,
    /// By the socket's number, which the kernel keeps small.
    connections: Vec<Option<Connection>>,
}

pub(super) fn run(listener: &TcpListener, answers: Answers, stop: &AtomicBool) -> Result<()> {
    let epoll = epoll::create(CreateFlags::CLOEXEC)?;
    epoll::add(&epoll, listener, EventData::new_u64(LISTENER), EventFlags::IN)?;
    let (events, buffer) = (Vec::with_capacity(EVENTS), vec![0; BUFFER]);
    let mut server = Server { epoll, events, buffer, listener, answers, connections: Vec::new() };
    while !stop.load(Ordering::Relaxed) {
        server.turn()?;
    }
    Ok(())
}

impl Server<'_> {
    #[expect(clippy::cast_possible_truncation, reason = "a socket's number, as `open` made it")]
    fn turn(&mut self) -> Result<()> {
        self.wait()?;
        for index in 0..self.events.len() {
            let Event { flags, data } = self.events[index];
            match data.u64() {
                LISTENER => self.accept_all()?,
                slot => self.on_ready(slot as usize, flags),
            }
        }
        Ok(())
    }

    /// Polls for a short while, then sleeps.
    fn wait(&mut self) -> Result<()> {
        self.events.clear();
        let from = Instant::now();
        let mut timeout = Timespec { tv_sec: 0, tv_nsec: 0 };
        loop {
            let slept = timeout.tv_nsec > 0;
            match epoll::wait(&self.epoll, spare_capacity(&mut self.events), Some(&timeout)) {
                Ok(0) if !slept => {}
                Ok(_) | Err(Errno::INTR) => return Ok(()),
                Err(errno) => return Err(errno.into()),
            }
            if from.elapsed() > POLL {
                timeout.tv_nsec = PATIENCE_NS.into();
            }
        }
    }

    fn accept_all(&mut self) -> Result<()> {
        loop {
            match accept_with(self.listener, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
                Ok(socket) => self.open(socket)?,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::CONNABORTED | Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
    }

    fn open(&mut self, socket: OwnedFd) -> Result<()> {
        let slot = socket.as_raw_fd().cast_unsigned();
        let flags = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
        epoll::add(&self.epoll, &socket, EventData::new_u64(u64::from(slot)), flags)?;
        let connection = Connection { socket, debt: Debt::default(), has_ended: false };
        if self.connections.len() <= slot as usize {
            self.connections.resize_with(slot as usize + 1, || None);
        }
        self.connections[slot as usize] = Some(connection);
        Ok(())
    }

    #[inline]
    fn on_ready(&mut self, slot: usize, flags: EventFlags) {
        let Some(connection) = self.connections[slot].as_mut() else { return };
        let ended = EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR;
        if flags.intersects(EventFlags::IN | ended) {
            connection.receive(&mut self.buffer, &self.answers, flags.intersects(ended));
        }
        if connection.send(&self.answers) && connection.has_ended {
            self.connections[slot] = None;
        }
    }
}

impl Connection {
    /// Takes what there is. The queue tells of an end only once: then it is read up to.
    #[inline]
    fn receive(&mut self, buffer: &mut [u8], answers: &Answers, to_end: bool) {
        while !self.has_ended {
            match recv(self.socket.as_fd(), &mut *buffer, RecvFlags::empty()) {
                Ok((0, _)) => self.has_ended = true,
                Ok((length, _)) => {
                    self.debt.receive(length, answers);
                    if length < buffer.len() && !to_end {
                        return;
                    }
                }
                Err(Errno::AGAIN) => return,
                Err(Errno::INTR) => {}
                Err(_) => self.has_ended = true,
            }
        }
    }

    /// Sends what is owed, as far as the socket takes it. True if nothing is owed any more.
    #[inline]
    fn send(&mut self, answers: &Answers) -> bool {
        loop {
            let part = self.debt.part(answers);
            if part.is_empty() {
                return true;
            }
            match send(self.socket.as_fd(), &answers.outbox[part], SendFlags::NOSIGNAL) {
                Ok(bytes) => self.debt.pay(bytes, answers),
                Err(Errno::AGAIN) => return false,
                Err(Errno::INTR) => {}
                Err(_) => {
                    self.has_ended = true;
                    return true;
                }
            }
        }
    }
}
