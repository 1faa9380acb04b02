//! Answers, from their first bytes to their end.

use super::super::answer::Step;
use super::super::exit::Exit;
use super::super::printer::print_progress;
use super::super::record::now_us;
use super::{READ_SIZE, Run};
use volley_net::Kernel;
use volley_tls::wire::Received;

impl<B: Kernel> Run<'_, B> {
    /// Takes bytes, in ab's read size: bytes after an answer belong to the next.
    pub(super) fn read(&mut self, slot: usize, piece: Received<B::Piece>) -> Result<(), Exit> {
        let done = self.take(slot, &piece);
        self.wire.release(piece);
        done
    }

    fn take(&mut self, slot: usize, piece: &Received<B::Piece>) -> Result<(), Exit> {
        let mut at = 0;
        loop {
            let bytes = &self.wire.bytes(piece)[at..];
            let bytes = &bytes[..bytes.len().min(READ_SIZE)];
            if bytes.is_empty() {
                return Ok(());
            }
            at += bytes.len();
            self.outcome.read_bytes += bytes.len() as u64;
            let connection = &mut self.connections[slot];
            if connection.answer.read == 0 {
                connection.first_byte_us = now_us();
            }
            let answer = &mut connection.answer;
            let was_body = answer.body;
            let step = answer.take(bytes, self.wanted);
            self.outcome.body_bytes += answer.body - was_body;
            match step {
                Step::Head => self.log_head(slot),
                Step::TooLong => {
                    self.log_head(slot);
                    self.wire.close(slot);
                    self.give_up_answer()?;
                    return self.open(slot);
                }
                Step::HeadIsWhole => {
                    self.log_head(slot);
                    self.take_head(slot)?;
                }
                Step::Body => {}
            }
            if self.connections[slot].answer.is_complete() {
                self.finish_kept(slot);
            }
        }
    }

    /// A head is complete.
    fn take_head(&mut self, slot: usize) -> Result<(), Exit> {
        let answer = &self.connections[slot].answer;
        let status = answer.status();
        if self.outcome.good == 0 {
            self.outcome.server = answer.server().to_vec();
        }
        if status[0] != b'2' {
            self.outcome.non_2xx += 1;
            self.outcome.redirects += u64::from(status[0] == b'3');
        }
        self.printer.log_status(status, self.options.verbosity);
        if !std::mem::replace(&mut self.has_spread, true) {
            for slot in 1..self.connections.len() {
                self.open(slot)?;
            }
        }
        Ok(())
    }

    fn log_head(&self, slot: usize) {
        if self.options.verbosity >= 2 {
            self.printer.log_head(self.connections[slot].answer.text());
        }
    }

    /// An answer is complete, and its connection takes the next request.
    fn finish_kept(&mut self, slot: usize) {
        self.outcome.good += 1;
        self.compare_length(slot);
        let now_us = now_us();
        if self.count(slot, now_us) {
            self.outcome.kept_alive += 1;
        }
        let connection = &mut self.connections[slot];
        connection.answer.reset();
        (connection.start_us, connection.connected_us) = (now_us, now_us);
        self.outcome.last_us = now_us;
        self.write(slot);
    }

    /// The server has closed a connection: for ab a good end of an answer, wherever it was.
    pub(super) fn end(&mut self, slot: usize) -> Result<(), Exit> {
        self.outcome.good += 1;
        let connection = &self.connections[slot];
        // The end was there when the request was written, to which the server replied with a reset.
        let never_read = connection.answer.read == 0 && connection.written_in_turn == self.turns;
        self.finish(slot)?;
        if never_read {
            self.except();
        }
        Ok(())
    }

    /// Ends a request with its connection, and begins the next.
    pub(super) fn finish(&mut self, slot: usize) -> Result<(), Exit> {
        self.compare_length(slot);
        let now_us = now_us();
        if self.count(slot, now_us) {
            self.outcome.last_us = now_us;
        }
        self.wire.close(slot);
        self.open(slot)
    }

    /// The first answer's length is right. If there were only failures, the last one's is.
    fn compare_length(&mut self, slot: usize) {
        let bytes = self.connections[slot].answer.body;
        if self.outcome.good == 1 {
            self.outcome.document_bytes = bytes;
        } else if bytes != self.outcome.document_bytes && !self.options.any_length {
            self.outcome.bad += 1;
            self.outcome.length_errors += 1;
        }
    }

    /// Counts a request, unless all have been counted. Returns whether it was counted.
    fn count(&mut self, slot: usize, now_us: i64) -> bool {
        let records = &mut self.outcome.records;
        if records.len() >= self.options.requests {
            return false;
        }
        records.push(self.connections[slot].record(now_us));
        let heartbeat = self.options.heartbeat;
        if heartbeat > 0 && records.len().is_multiple_of(heartbeat) {
            print_progress("Completed", records.len());
        }
        true
    }
}
