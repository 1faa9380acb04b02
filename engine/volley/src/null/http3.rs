//! HTTP/3 for a server that inspects a head only for HEAD (RFC 9114).

use super::SLEEP_NS;
use std::collections::HashMap;
use std::io::Result;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use volley_protocol::h3::frame::{self, kind};
use volley_protocol::h3::record::{Kind, Record};
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
struct Requests {
    /// Unfinished requests, by connection and stream: the beginnings of their heads, until these
    /// are complete.
    open: HashMap<(usize, u64), Begun>,
    /// The last head, and whether its method is HEAD.
    known: (Vec<u8>, bool),
}

#[derive(Debug)]
enum Begun {
    Head(Vec<u8>),
    Body { is_head: bool },
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

    /// Answers until `stop` is set.
    pub(super) fn serve(&self, mut server: Server, stop: &AtomicBool) -> Result<()> {
        let mut requests = Requests::default();
        while !stop.load(Ordering::Relaxed) {
            server.turn(Duration::from_nanos(SLEEP_NS), |connection, is_new, records, out| {
                if is_new {
                    requests.open.retain(|&(other, _), _| other != connection);
                    Record::write_by(out, CONTROL, Kind::Bytes, |out| {
                        frame::write_control(out, HEAD_LIMIT);
                    });
                }
                self.receive(&mut requests, connection, records, out);
            })?;
        }
        Ok(())
    }

    fn receive(
        &self,
        requests: &mut Requests,
        connection: usize,
        mut records: &[u8],
        out: &mut Vec<u8>,
    ) {
        while let Some((record, bytes, rest)) = Record::first(records) {
            records = rest;
            let key = (connection, record.stream);
            match record.kind {
                // A client's own streams contain nothing of interest.
                _ if record.stream % 4 != 0 => {}
                Kind::Limit => {}
                Kind::Reset => drop(requests.open.remove(&key)),
                Kind::Bytes => requests.add(key, bytes),
                Kind::Last => {
                    let is_head = match requests.open.remove(&key) {
                        None => requests.is_head(bytes),
                        Some(Begun::Head(kept)) => requests.is_head(&[&kept[..], bytes].concat()),
                        Some(Begun::Body { is_head }) => Some(is_head),
                    };
                    let answer = if is_head == Some(true) { &self.head } else { &self.whole };
                    Record::write_by(out, record.stream, Kind::Last, |out| {
                        out.extend_from_slice(answer);
                    });
                }
            }
        }
    }
}

impl Requests {
    /// More bytes of an unfinished request.
    fn add(&mut self, key: (usize, u64), bytes: &[u8]) {
        let kept = match self.open.remove(&key) {
            None => bytes.to_vec(),
            Some(Begun::Head(kept)) => [&kept[..], bytes].concat(),
            Some(body @ Begun::Body { .. }) => return drop(self.open.insert(key, body)),
        };
        let begun = match self.is_head(&kept) {
            Some(is_head) => Begun::Body { is_head },
            None if kept.len() > HEAD_LIMIT => Begun::Body { is_head: false },
            None => Begun::Head(kept),
        };
        self.open.insert(key, begun);
    }

    /// Whether a request that begins with these bytes is HEAD. `None`: its head is incomplete.
    fn is_head(&mut self, bytes: &[u8]) -> Option<bool> {
        let (_, rest) = varint::read(bytes)?;
        let (length, rest) = varint::read(rest)?;
        let block = rest.get(..usize::try_from(length).ok()?)?;
        if self.known.0 != block {
            self.known = (block.to_vec(), false);
            let is_head = &mut self.known.1;
            // A wrong head is not HEAD.
            let _ = qpack::decode(block, |name, value| {
                *is_head |= name == b":method" && value == b"HEAD";
                Ok(())
            });
        }
        Some(self.known.1)
    }
}
