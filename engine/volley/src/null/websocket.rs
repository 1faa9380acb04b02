//! WebSocket for a server that echoes: it inspects the heads of frames, and removes the masks.

use super::speaker::{Due, Speaker};
use std::mem;
use volley_protocol::ws::frame::{FrameHead, opcode};
use volley_protocol::ws::{handshake, mask};

const EXTENSION: &[u8] = b"permessage-deflate";

/// Agrees to each upgrade, and sends each frame back. A request without an upgrade ends its
/// connection.
#[derive(Debug)]
pub(super) struct WebSocket;

/// The state of one connection.
#[derive(Debug, Default)]
pub(super) struct Connection {
    is_upgraded: bool,
    /// An incomplete upgrade or head of a frame.
    held: Vec<u8>,
    /// The length of the rest of a payload, with its key.
    left: u64,
    key: [u8; 4],
    /// The connection ends after that payload.
    closes: bool,
}

impl Connection {
    /// Takes the head that begins or continues in `bytes`, and returns the bytes after it.
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

/// A head that was taken: its length, and its facts about the payload after it.
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
        // A frame that is returned unchanged keeps its compression.
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
    // The received head, without its key.
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
