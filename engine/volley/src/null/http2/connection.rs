//! The null server's state of a connection in HTTP/2.

use std::collections::BTreeMap;
use volley_protocol::h2::frame::{self, code};
use volley_protocol::h2::hpack::Decoder;

/// The state of one connection.
#[derive(Debug)]
pub(in crate::null) struct Connection {
    /// The beginning of an incomplete frame, or of the client's preface.
    pub(super) rest: Vec<u8>,
    pub(super) stage: Stage,
    /// The stream whose head continues in CONTINUATION, and whether the request ends with it.
    pub(super) open_head: Option<(u32, bool)>,
    /// The highest stream so far.
    pub(super) last: u32,
    pub(super) heads: Heads,
    /// Unfinished requests, and answers that wait for a window.
    pub(super) streams: BTreeMap<u32, Stream>,
    /// Bytes that the client accepts: in all, on a new stream, in a frame.
    pub(super) window: i64,
    pub(super) new_window: i64,
    pub(super) frame_size: u32,
    /// Bytes of bodies since our window was last renewed.
    pub(super) used: u32,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The client's first 24 bytes.
    Preface,
    /// Its first frame, which must be SETTINGS.
    First,
    Frames,
    /// We have sent GOAWAY.
    Over,
}

#[derive(Debug)]
pub(super) struct Stream {
    /// Bytes that the client accepts on it.
    pub(super) window: i64,
    /// Bytes of the answer's body that were sent; `None` while the request is unfinished.
    pub(super) sent: Option<usize>,
    /// The request is HEAD: its answer has no body.
    pub(super) is_head: bool,
}

/// Recognises HEAD. A head that is equal to the last is not decoded again while the table is the
/// same.
#[derive(Debug, Default)]
pub(super) struct Heads {
    decoder: Decoder,
    /// The head that continues in CONTINUATION.
    pub(super) parts: Vec<u8>,
    /// The last head; empty if it has changed the table.
    known: Vec<u8>,
    version: u64,
    is_head: bool,
}

impl Heads {
    /// Takes a complete head: whether its method is HEAD.
    #[inline]
    pub(super) fn take(&mut self, block: &[u8]) -> Result<bool, u32> {
        if self.known == block && self.version == self.decoder.version() && !block.is_empty() {
            return Ok(self.is_head);
        }
        self.decode(block)
    }

    #[cold]
    fn decode(&mut self, block: &[u8]) -> Result<bool, u32> {
        let before = self.decoder.version();
        self.is_head = false;
        let is_head = &mut self.is_head;
        let decoded = self.decoder.decode(block, |name, value| {
            *is_head |= name == b":method" && value == b"HEAD";
            Ok(())
        });
        decoded.map_err(|_| code::COMPRESSION_ERROR)?;
        self.version = self.decoder.version();
        self.known.clear();
        if self.version == before {
            self.known.extend_from_slice(block);
        }
        Ok(self.is_head)
    }

    /// The same for a head whose last part has arrived.
    pub(super) fn take_parts(&mut self) -> Result<bool, u32> {
        let parts = std::mem::take(&mut self.parts);
        self.decode(&parts)
    }
}

impl Default for Connection {
    fn default() -> Self {
        Self {
            rest: Vec::new(),
            stage: Stage::Preface,
            open_head: None,
            last: 0,
            heads: Heads::default(),
            streams: BTreeMap::new(),
            window: frame::DEFAULT_WINDOW.into(),
            new_window: frame::DEFAULT_WINDOW.into(),
            frame_size: frame::DEFAULT_FRAME_SIZE,
            used: 0,
        }
    }
}
