//! One request and its answer: the hot path. Read, parse, write the next, in one go.

use crate::clock::now_ns;
use crate::connection::State;
use crate::errors::ErrorKind;
use crate::turn::Turn;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};
use volley_http::{Answer, End, Step, Verdict};

/// Checking an answer this long takes a while, so the next request gets a time of its own.
const LONG_ANSWER: usize = 4096;

impl Turn<'_> {
    /// Starts a request on an idle connection. `started_ns`: where its latency begins.
    #[inline]
    pub(crate) fn send(&mut self, index: usize, started_ns: u64) {
        let due_ns = started_ns.saturating_add(self.pool.target.request_timeout_ns);
        let connection = &mut self.pool.connections[index];
        connection.state = State::Waiting;
        connection.started_ns = started_ns;
        connection.written = 0;
        self.active += 1;
        self.set_due(index, due_ns);
        self.write(index);
    }

    /// Writes as much of the request as the socket takes. If not all, an event says when to go on.
    #[inline]
    pub(crate) fn write(&mut self, index: usize) {
        let request = &self.pool.target.request;
        let connection = &mut self.pool.connections[index];
        let Some(socket) = &connection.socket else { return };
        while connection.written < request.len() {
            match rustix::net::send(socket, &request[connection.written..], SendFlags::NOSIGNAL) {
                Ok(written) => connection.written += written,
                Err(Errno::INTR) => {}
                // The server may have answered before it closed: the reader finds out, at the event
                // that comes with a reset.
                Err(Errno::AGAIN | Errno::PIPE | Errno::CONNRESET) => return,
                Err(errno) => {
                    let kind = ErrorKind::of_stream(errno);
                    return self.fail(index, kind, 0, || crate::errors::system_words(errno));
                }
            }
        }
    }

    /// Reads until the answer is complete or the socket empty. `hangup`: the server has closed, so
    /// this is the connection's last answer.
    #[inline]
    pub(crate) fn read(&mut self, index: usize, hangup: bool) {
        loop {
            let connection = &mut self.pool.connections[index];
            let Some(socket) = &connection.socket else { return };
            let received = rustix::net::recv(socket, &mut *self.scratch.bytes, RecvFlags::empty());
            let now_ns = now_ns();
            let length = match received {
                Ok((_, 0)) => return self.on_end(index, now_ns),
                Ok((_, length)) => length,
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => return,
                Err(errno) => {
                    let kind = ErrorKind::of_stream(errno);
                    return self.fail(index, kind, 0, || crate::errors::system_words(errno));
                }
            };
            if self.window.holds(now_ns) {
                self.tally.bytes += length as u64;
            }
            let (target, learned) = (&self.pool.target, &mut self.pool.learned);
            let bytes = &self.scratch.bytes[..length];
            match connection.decoder.feed(bytes, target.to_head, &target.expectation, learned) {
                Step::Complete(answer) if answer.consumed == length => {
                    return self.on_answer(index, &answer, length, now_ns, hangup);
                }
                Step::Complete(answer) => {
                    let extra = length - answer.consumed;
                    return self.fail(index, ErrorKind::Malformed, length, || {
                        format!("{extra} bytes that nobody asked for, after the answer")
                    });
                }
                Step::Malformed(bad) => {
                    return self.fail(index, ErrorKind::Malformed, length, || {
                        format!("at byte {}: {}", bad.at, bad.what)
                    });
                }
                Step::Incomplete if length < self.scratch.bytes.len() && !hangup => return,
                Step::Incomplete => {}
            }
        }
    }

    /// The server closed the connection while an answer was due.
    fn on_end(&mut self, index: usize, now_ns: u64) {
        let expectation = &self.pool.target.expectation;
        match self.pool.connections[index].decoder.end(expectation) {
            End::Complete(answer) => self.on_answer(index, &answer, 0, now_ns, true),
            End::Short(0) => {
                let detail = || "the server closed the connection instead of an answer".to_owned();
                self.fail(index, ErrorKind::EarlyClose, 0, detail);
            }
            End::Short(received) => self.fail(index, ErrorKind::EarlyClose, 0, || {
                format!("the server closed the connection after {received} bytes of the answer")
            }),
        }
    }

    /// An answer is complete: count it, and go on with the next request.
    #[inline]
    fn on_answer(&mut self, index: usize, answer: &Answer, last: usize, now_ns: u64, hangup: bool) {
        let connection = &mut self.pool.connections[index];
        self.tally.answered(&self.window, connection.started_ns, now_ns);
        if answer.verdict != Verdict::Right {
            let kind = match answer.verdict {
                Verdict::Status { .. } => ErrorKind::Status,
                _ => ErrorKind::Mismatch,
            };
            let (decoder, bytes) = (&connection.decoder, &self.scratch.bytes[..last]);
            let describe = || (answer.verdict.to_string(), decoder.evidence(bytes));
            self.tally.failed(kind, describe);
        }
        connection.decoder.reset();
        connection.failures = 0;
        connection.state = State::Idle;
        self.active -= 1;
        let next_ns = if last > LONG_ANSWER { crate::clock::now_ns() } else { now_ns };
        if hangup || !answer.keep_alive || self.pool.target.close {
            self.replace(index, hangup, next_ns);
        } else if self.window.sends(next_ns) {
            self.send(index, next_ns);
        }
    }

    /// Lets go of a connection after its last answer and opens the next in its place.
    fn replace(&mut self, index: usize, hangup: bool, now_ns: u64) {
        let connection = &mut self.pool.connections[index];
        connection.state = State::Closed;
        connection.due_ns = 0;
        if let (Some(socket), false) = (connection.socket.take(), hangup) {
            self.pool.retire(socket);
        }
        if self.window.sends(now_ns) {
            self.connect(index, now_ns);
        }
    }
}
