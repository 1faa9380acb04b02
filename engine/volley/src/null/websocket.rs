//! WebSocket for a server that echoes: it looks at the heads of frames, and takes the masks off.

use super::speaker::{Due, Speaker};
use std::mem;
use volley_protocol::ws::frame::{FrameHead, opcode};
use volley_protocol::ws::{handshake, mask};

const EXTENSION: &[u8] = b"permessage-deflate";

/// Agrees to each upgrade, and sends each frame back. What is no upgrade ends its connection.
#[derive(Debug)]
pub(super) struct WebSocket;

/// How far one connection has come.
#[derive(Debug, Default)]
pub(super) struct Connection {
    is_upgraded: bool,
    /// An upgrade or the head of a frame that is not all there.
    held: Vec<u8>,
    /// The payload that is not all there: so many bytes, with this key.
    left: u64,
    key: [u8; 4],
    /// Nothing follows that payload.
    closes: bool,
}

impl Connection {
    /// Takes the head that `bytes` go on with or begin with, and returns what is behind it.
    fn take_head<'a>(&mut self, bytes: &'a [u8], due: &mut Due) -> &'a [u8] {
        let before = self.held.len();
        self.held.extend_from_slice(bytes);
        let all = if before == 0 { bytes } else { &self.held };
        let taken = if self.is_upgraded { frame(all, due) } else { upgrade(all, due) };
        let Some(Taken { length, left, key, closes }) = taken else { return &[] };
        *self = Self { is_upgraded: true, held: mem::take(&mut self.held), left, key, closes };
        self.held.clear();
        &bytes[length - before..]
    }
}

/// A head that was taken: how long it is, and what it says of the payload behind it.
#[derive(Default)]
struct Taken {
    length: usize,
    left: u64,
    key: [u8; 4],
    closes: bool,
}

fn upgrade(bytes: &[u8], due: &mut Due) -> Option<Taken> {
    let end = bytes.windows(4).position(|part| part == b"\r\n\r\n")? + 4;
    let key = bytes[..end].split(|&byte| byte == b'\n').find_map(|line| {
        let (name, value) = line.split_at(line.iter().position(|&byte| byte == b':')?);
        name.eq_ignore_ascii_case(b"sec-websocket-key").then_some(value[1..].trim_ascii())
    });
    let Some(key) = key else {
        due.bytes.extend_from_slice(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        return Some(Taken { length: bytes.len(), closes: true, ..Taken::default() });
    };
    due.bytes.extend_from_slice(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
          Sec-WebSocket-Accept: ",
    );
    due.bytes.extend_from_slice(&handshake::accept(key));
    if bytes[..end].windows(EXTENSION.len()).any(|part| part == EXTENSION) {
        // A frame that goes back as it came is compressed as it was.
        due.bytes.extend_from_slice(b"\r\nSec-WebSocket-Extensions: ");
        due.bytes.extend_from_slice(EXTENSION);
        due.bytes.extend_from_slice(b"; server_no_context_takeover");
    }
    due.bytes.extend_from_slice(b"\r\n\r\n");
    Some(Taken { length: end, ..Taken::default() })
}

fn frame(bytes: &[u8], due: &mut Due) -> Option<Taken> {
    let (head, length) = FrameHead::read(bytes)?;
    let key = head.key.unwrap_or_default();
    let opcode = if head.opcode == opcode::PING { opcode::PONG } else { head.opcode };
    // The head that came, without its key.
    due.bytes.extend_from_slice(&[bytes[0] & 0xf0 | opcode, bytes[1] & 0x7f]);
    let digits = length - if head.key.is_some() { 4 } else { 0 };
    due.bytes.extend_from_slice(&bytes[2..digits]);
    Some(Taken { length, left: head.length, key, closes: head.opcode == opcode::CLOSE })
}

impl Speaker for WebSocket {
    type Connection = Connection;

    fn receive(&self, connection: &mut Connection, mut bytes: &[u8], due: &mut Due) {
        while !bytes.is_empty() {
            if connection.left == 0 {
                bytes = connection.take_head(bytes, due);
            }
            let room = usize::try_from(connection.left).unwrap_or(usize::MAX).min(bytes.len());
            let start = due.bytes.len();
            due.bytes.extend_from_slice(&bytes[..room]);
            mask(&mut due.bytes[start..], connection.key);
            connection.left -= room as u64;
            connection.key.rotate_left(room % 4);
            bytes = &bytes[room..];
            due.ends |= connection.closes && connection.left == 0;
        }
    }
}
