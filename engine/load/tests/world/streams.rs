//! A server's side of HTTP/2 in a few lines: it decodes no head, and answers as a test requires.

use super::servers::BODY;
use std::io::{Read, Write};
use std::net::TcpStream;
use volley_protocol::h2::frame::{self, FrameHead, HEAD_LENGTH, PREFACE, flag, kind};

/// One connection.
pub struct Peer<S = TcpStream> {
    pub stream: S,
    rest: Vec<u8>,
    /// The number of acknowledgements of our PINGs.
    pub pongs: u64,
    /// The error code of the client's last GOAWAY.
    pub left: Option<u32>,
}

impl<S: Read + Write> Peer<S> {
    /// Reads a client's preface, without sending anything.
    pub fn silent(stream: S) -> Self {
        let mut peer = Self { stream, rest: Vec::new(), pongs: 0, left: None };
        while peer.rest.len() < PREFACE.len() && peer.read() {}
        assert!(peer.rest.starts_with(PREFACE), "{:?}", peer.rest);
        peer.rest.drain(..PREFACE.len());
        peer
    }

    /// The same, and sends SETTINGS.
    pub fn new(stream: S, settings: &[(u16, u32)]) -> Self {
        let mut peer = Self::silent(stream);
        let mut out = Vec::new();
        frame::write_settings(&mut out, settings);
        peer.say(&out);
        peer
    }

    /// Waits for bytes. Returns false if the client is gone.
    pub fn read(&mut self) -> bool {
        let mut buffer = [0; 16 * 1024];
        match self.stream.read(&mut buffer) {
            Ok(0) | Err(_) => false,
            Ok(length) => {
                self.rest.extend_from_slice(&buffer[..length]);
                true
            }
        }
    }

    /// The streams of the requests that have arrived, at least one; none at the end of the
    /// connection.
    pub fn requests(&mut self) -> Vec<u32> {
        loop {
            let mut streams = Vec::new();
            while let Some((head, payload)) = self.next_frame() {
                match head.kind {
                    kind::HEADERS => streams.push(head.stream),
                    kind::SETTINGS if !head.has(flag::ACK) => {
                        let mut out = Vec::new();
                        frame::write(&mut out, kind::SETTINGS, flag::ACK, 0, &[]);
                        self.say(&out);
                    }
                    kind::PING => {
                        assert!(head.has(flag::ACK) && payload == *b"12345678");
                        self.pongs += 1;
                    }
                    kind::GOAWAY => {
                        self.left = payload.last_chunk().copied().map(u32::from_be_bytes);
                    }
                    _ => {}
                }
            }
            if !streams.is_empty() || !self.read() {
                return streams;
            }
        }
    }

    /// The next frame, if it is complete.
    pub fn next_frame(&mut self) -> Option<(FrameHead, Vec<u8>)> {
        let head = FrameHead::read(self.rest.first_chunk::<HEAD_LENGTH>()?);
        let end = HEAD_LENGTH + head.length as usize;
        let payload = self.rest.get(HEAD_LENGTH..end)?.to_vec();
        self.rest.drain(..end);
        Some((head, payload))
    }

    /// Sends some bytes. Returns false if the client is gone.
    pub fn say(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).and_then(|()| self.stream.flush()).is_ok()
    }

    /// Sends a PING.
    pub fn ping(&mut self) -> bool {
        let mut out = Vec::new();
        frame::write(&mut out, kind::PING, 0, 0, b"12345678");
        self.say(&out)
    }
}

/// Appends the right answer, [`BODY`].
pub fn answer(out: &mut Vec<u8>, stream: u32) {
    // By the static table alone: `:status: 200`, and `content-length: 13` as a literal.
    let head = b"\x88\x0f\x0d\x0213";
    frame::write(out, kind::HEADERS, flag::END_HEADERS, stream, head);
    frame::write(out, kind::DATA, flag::END_STREAM, stream, BODY);
}
