//! The null server on `io_uring`.

use super::debt::{Answers, Debt};
use super::{PATIENCE_NS, POLL};
use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::io::Errno;
use std::io::{Error, Result};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use volley_ring::{Completion, Key, Operation, Ring, Settings};

const SETTINGS: Settings =
    Settings { submissions: 1024, completions: 32_768, buffers: 1024, buffer_size: 2048 };

struct Connection {
    socket: OwnedFd,
    debt: Debt,
    is_sending: bool,
    /// The peer sends no more. What it is owed still goes out.
    has_ended: bool,
}

struct Server<'a> {
    ring: Ring,
    listener: &'a TcpListener,
    answers: Answers,
    /// By the socket's number, which the kernel keeps small.
    connections: Vec<Option<Connection>>,
}

/// Whether `io_uring` works here.
pub(super) fn probe() -> Result<()> {
    let small = Settings { submissions: 1, completions: 2, buffers: 1, buffer_size: 1 };
    Ring::new(small, Arc::from(&b""[..])).map(drop)
}

pub(super) fn run(listener: &TcpListener, answers: Answers, stop: &AtomicBool) -> Result<()> {
    let ring = Ring::new(SETTINGS, answers.outbox.clone())?;
    let mut server = Server { ring, listener, answers, connections: Vec::new() };
    server.accept();
    while !stop.load(Ordering::Relaxed) {
        server.turn()?;
    }
    Ok(())
}

impl Server<'_> {
    fn accept(&mut self) {
        self.ring.accept(self.listener.as_fd(), Key { slot: 0, generation: 0 });
    }

    fn turn(&mut self) -> Result<()> {
        self.ring.submit()?;
        if !self.ring.has_work() {
            self.wait()?;
        }
        while let Some(completion) = self.ring.take() {
            match completion.operation {
                Operation::Accept => self.on_accept(completion)?,
                Operation::Receive => self.on_receive(completion),
                Operation::Send => self.on_sent(&completion),
                Operation::Writable | Operation::SendOwned | Operation::Cancel => {}
            }
        }
        Ok(())
    }

    fn wait(&mut self) -> Result<()> {
        let from = Instant::now();
        while !self.ring.has_work() {
            if from.elapsed() > POLL {
                return self.ring.submit_and_wait(PATIENCE_NS.into());
            }
            std::hint::spin_loop();
        }
        self.ring.submit()
    }

    fn on_accept(&mut self, completion: Completion) -> Result<()> {
        match (completion.accepted, completion.result) {
            (Some(socket), _) => self.open(socket),
            (None, Err(errno)) if errno != Errno::CONNABORTED => return Err(Error::from(errno)),
            (None, _) => {}
        }
        if !completion.goes_on {
            self.accept();
        }
        Ok(())
    }

    fn open(&mut self, socket: OwnedFd) {
        let slot = socket.as_raw_fd().cast_unsigned();
        self.ring.receive(socket.as_fd(), Key { slot, generation: 0 });
        let connection =
            Connection { socket, debt: Debt::default(), is_sending: false, has_ended: false };
        if self.connections.len() <= slot as usize {
            self.connections.resize_with(slot as usize + 1, || None);
        }
        self.connections[slot as usize] = Some(connection);
    }

    #[inline]
    fn on_receive(&mut self, completion: Completion) {
        let slot = completion.key.slot as usize;
        let Some(connection) = self.connections[slot].as_mut() else { return };
        match completion.piece {
            Some(piece) => {
                connection.debt.receive(piece.length(), &self.answers);
                self.ring.give_back(piece);
            }
            None => connection.has_ended = completion.result != Err(Errno::NOBUFS),
        }
        if !completion.goes_on && !connection.has_ended {
            self.ring.receive(connection.socket.as_fd(), completion.key);
        }
        if !connection.is_sending {
            self.send(completion.key);
        }
    }

    #[inline]
    fn on_sent(&mut self, completion: &Completion) {
        let slot = completion.key.slot as usize;
        let Some(connection) = self.connections[slot].as_mut() else { return };
        connection.is_sending = false;
        match completion.result {
            Ok(bytes) => {
                connection.debt.pay(bytes as usize, &self.answers);
                self.send(completion.key);
            }
            // The receive ends as well; it closes the connection unless it has ended already.
            Err(_) if connection.has_ended => self.close(slot),
            Err(_) => connection.debt = Debt::default(),
        }
    }

    /// Sends what is owed. A connection that has ended and is owed nothing is closed.
    #[inline]
    fn send(&mut self, key: Key) {
        let slot = key.slot as usize;
        let Some(connection) = self.connections[slot].as_mut() else { return };
        let part = connection.debt.part(&self.answers);
        if !part.is_empty() {
            self.ring.send(connection.socket.as_fd(), key, part);
            connection.is_sending = true;
        } else if connection.has_ended {
            self.close(slot);
        }
    }

    fn close(&mut self, slot: usize) {
        if let Some(connection) = self.connections[slot].take() {
            self.ring.close_ended(connection.socket);
        }
    }
}
