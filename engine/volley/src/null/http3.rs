//! HTTP/3 for a server that answers every right request alike (RFC 9114).

use super::SLEEP_NS;
use std::io::Result;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use volley_protocol::h3::frame::{self, kind};
use volley_protocol::h3::record::{Kind, Record};
use volley_protocol::h3::server::{Client, Fault, KnownRequest};
use volley_protocol::h3::{qpack, varint};
use volley_quic::Server;

/// The first stream that a server opens for itself.
const CONTROL: u64 = 3;

/// The most bytes of a request's head.
const HEAD_LIMIT: usize = 64 * 1024;

/// Answers each request on its stream with the same head and body.
#[derive(Debug)]
pub(super) struct Http3 {
    head: Vec<u8>,
    /// The answer's head and body.
    whole: Vec<u8>,
}

/// The state of the connections.
#[derive(Debug, Default)]
struct State {
    /// By their numbers.
    clients: Vec<Client>,
    known: KnownRequest,
}

impl Http3 {
    pub(super) fn new(body: &[u8]) -> Self {
        let (mut block, mut head) = (Vec::new(), Vec::new());
        qpack::write_prefix(&mut block);
        let length = body.len().to_string();
        for (name, value) in
            [(":status", "200"), ("content-type", "text/plain"), ("content-length", &length)]
        {
            qpack::write_field(&mut block, name, value, false);
        }
        frame::write(&mut head, kind::HEADERS, &block);
        let mut whole = head.clone();
        if !body.is_empty() {
            frame::write(&mut whole, kind::DATA, body);
        }
        Self { head, whole }
    }

    /// The bytes of an answer.
    pub(super) fn length(&self) -> usize {
        self.whole.len()
    }

    /// Answers until `stop` is set.
    pub(super) fn serve(&self, mut server: Server, stop: &AtomicBool) -> Result<()> {
        let mut state = State::default();
        while !stop.load(Ordering::Relaxed) {
            server.turn(Duration::from_nanos(SLEEP_NS), |connection, is_new, records, out| {
                if is_new {
                    let count = state.clients.len().max(connection + 1);
                    state.clients.resize_with(count, Client::default);
                    state.clients[connection] = Client::default();
                    Record::write_by(out, CONTROL, Kind::Bytes, |out| {
                        frame::write_control(out, HEAD_LIMIT);
                    });
                }
                self.receive(&mut state, connection, records, out)
            })?;
        }
        Ok(())
    }

    /// Returns the error code with which the connection is to be closed.
    fn receive(
        &self,
        state: &mut State,
        connection: usize,
        mut records: &[u8],
        out: &mut Vec<u8>,
    ) -> Option<u64> {
        let client = &mut state.clients[connection];
        while let Some((record, bytes, rest)) = Record::first(records) {
            records = rest;
            match client.take(record, bytes, &mut state.known) {
                Ok(None) => {}
                Ok(Some(is_head)) => {
                    let answer = if is_head { &self.head } else { &self.whole };
                    Record::write_by(out, record.stream, Kind::Last, |out| {
                        out.extend_from_slice(answer);
                    });
                }
                Err(Fault::Stream(code)) => {
                    Record::write_by(out, record.stream, Kind::Reset, |out| {
                        varint::write(out, code);
                    });
                }
                Err(Fault::Connection(code)) => return Some(code),
            }
        }
        None
    }
}
