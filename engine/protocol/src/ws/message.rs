//! The message that is sent, and has to come back, or to reach all of a room.

use super::Keys;
use super::deflate::deflated;
use super::frame::{self, opcode};

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    is_text: bool,
    bytes: Vec<u8>,
    /// The compressed form, if it is compressed.
    deflated: Option<Vec<u8>>,
    /// Its first bytes, if it is for a room.
    number: Option<Number>,
}

/// The number of a message to a room, in hexadecimal: by it a listener's second copy is known.
pub(crate) type Number = [u8; 4];

impl Message {
    /// Text, or binary data. `None`: the bytes are not UTF-8, so they are not text.
    pub fn new(bytes: Vec<u8>, is_text: bool) -> Option<Self> {
        (!is_text || str::from_utf8(&bytes).is_ok()).then_some(Self {
            is_text,
            bytes,
            deflated: None,
            number: None,
        })
    }

    /// The same message to a room, behind this number and a space.
    #[must_use]
    pub fn numbered(&self, number: u16) -> Self {
        let digits = format!("{number:04x} ");
        let bytes = [digits.as_bytes(), &self.bytes].concat();
        Self {
            is_text: self.is_text,
            deflated: self.deflated.is_some().then(|| deflated(&bytes)),
            number: bytes.first_chunk().copied(),
            bytes,
        }
    }

    /// Its number, if it is for a room.
    pub(crate) fn number(&self) -> Option<Number> {
        self.number
    }

    /// The same message, sent compressed; its echo may be compressed, too.
    #[must_use]
    pub fn compressed(self) -> Self {
        Self { deflated: Some(deflated(&self.bytes)), ..self }
    }

    /// Whether it is sent compressed.
    pub fn is_compressed(&self) -> bool {
        self.deflated.is_some()
    }

    /// Whether it is text.
    pub fn is_text(&self) -> bool {
        self.is_text
    }

    /// Its content.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes that a client sends, in one frame.
    pub fn masked(&self, keys: &mut Keys) -> Vec<u8> {
        self.frame(Some(keys.mask()))
    }

    /// The bytes that a server sends, in one frame.
    pub(crate) fn plain(&self) -> Vec<u8> {
        self.frame(None)
    }

    fn frame(&self, key: Option<[u8; 4]>) -> Vec<u8> {
        let payload = self.deflated.as_ref().unwrap_or(&self.bytes);
        let mut bytes = Vec::with_capacity(frame::HEAD_LIMIT + payload.len());
        let opcode = if self.is_text { opcode::TEXT } else { opcode::BINARY };
        frame::write(&mut bytes, opcode, payload, key);
        if self.is_compressed() {
            bytes[0] |= frame::COMPRESSED;
        }
        bytes
    }
}
