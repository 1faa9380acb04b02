//! Batches and their answers: a thread's hot path.

use super::pacing::Pacing;
use super::thread::{RunError, Thread};
use std::cmp::Reverse;
use volley_net::Kernel;
use volley_net::clock::now_ns;
use volley_protocol::{Message, Step};
use volley_tls::wire::Received;

impl<B: Kernel, M: Pacing> Thread<'_, B, M> {
    /// Takes received bytes. Returns true at the end of the connection.
    #[inline]
    pub(super) fn on_bytes(
        &mut self,
        slot: usize,
        piece: &Received<B::Piece>,
    ) -> Result<bool, RunError> {
        let now_ns = now_ns();
        let length = self.wire.bytes(piece).len();
        let (mut at, mut is_answered) = (0, false);
        while at < length {
            let bytes = &self.wire.bytes(piece)[at..];
            let connection = &mut self.connections[slot];
            let step = connection.decoder.feed(bytes, false, &mut self.learned);
            let (taken, complete) = match step {
                Step::Incomplete => (bytes.len(), None),
                Step::Complete(answer) => (answer.consumed, Some(answer)),
                // HTTP/1 has neither refusals nor announced ends.
                Step::Malformed(_) | Step::Refused { .. } | Step::Lost(_) => {
                    self.counts.errors.read += 1;
                    return Ok(true);
                }
            };
            if self.wants_answers {
                connection.answer.extend_from_slice(&bytes[..taken]);
            }
            at += taken;
            if let Some(answer) = complete {
                connection.decoder.reset();
                self.on_answer(slot, answer.status, now_ns)?;
                is_answered = true;
                if !answer.keep_alive {
                    self.counts.bytes += length as u64;
                    return Ok(true);
                }
            }
        }
        self.counts.bytes += length as u64;
        if is_answered && self.connections[slot].pending == 0 {
            self.go_on(slot, now_ns)?;
        }
        Ok(false)
    }

    #[inline]
    pub(super) fn on_answer(
        &mut self,
        slot: usize,
        status: u16,
        now_ns: u64,
    ) -> Result<(), RunError> {
        let connection = &mut self.connections[slot];
        self.counts.complete += 1;
        self.counts.redirects += u64::from((300..400).contains(&status));
        self.counts.errors.status += u64::from(status > 399);
        if self.wants_answers {
            if let Some(message) = Message::read(&connection.answer) {
                let headers = message.headers.iter().map(|(name, value)| (*name, &value[..]));
                self.script.response(status, headers, &message.body)?;
            }
            connection.answer.clear();
        }
        connection.pending = connection.pending.saturating_sub(1);
        let (start_ns, is_last) = (connection.start_ns, connection.pending == 0);
        self.pacing.on_answer(slot, start_ns, now_ns, is_last, &mut self.counts.errors);
        Ok(())
    }

    /// Sends the next batch on a connection, now or with the required delay.
    #[inline]
    pub(super) fn go_on(&mut self, slot: usize, now_ns: u64) -> Result<(), RunError> {
        let next_ns = self.pacing.next_ns(slot, now_ns, self.script)?;
        if next_ns <= now_ns {
            return self.send(slot, now_ns);
        }
        self.delayed.push(Reverse((next_ns, slot, self.connections[slot].generation)));
        Ok(())
    }

    #[inline]
    pub(super) fn send(&mut self, slot: usize, now_ns: u64) -> Result<(), RunError> {
        let connection = &mut self.connections[slot];
        connection.start_ns = now_ns;
        connection.pending = self.work.depth;
        self.pacing.on_sent(slot, now_ns);
        if self.work.is_fixed {
            self.wire.send(slot, 0..self.batch.len());
        } else {
            self.script.request(&mut self.batch)?;
            self.wire.send_owned(slot, &self.batch);
        }
        Ok(())
    }
}
