//! What the null server knows of a connection in HTTP/2.

use std::collections::BTreeMap;
use volley_protocol::h2::frame;

/// What is known of one connection.
#[derive(Debug)]
pub(in crate::null) struct Connection {
    /// The beginning of a frame that has not come to its end; or of the client's preface.
    pub(super) rest: Vec<u8>,
    pub(super) stage: Stage,
    /// The stream whose head goes on in CONTINUATION, and whether the request ends with it.
    pub(super) open_head: Option<(u32, bool)>,
    /// The highest stream so far.
    pub(super) last: u32,
    /// Requests that go on, and answers that wait for a window.
    pub(super) streams: BTreeMap<u32, Stream>,
    /// Bytes that the client takes: in all, on a new stream, in a frame.
    pub(super) window: i64,
    pub(super) new_window: i64,
    pub(super) frame_size: u32,
    /// Bytes of bodies that came since our window was filled up.
    pub(super) used: u32,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The client's first 24 bytes.
    Preface,
    /// Its first frame, which must be SETTINGS.
    First,
    Frames,
    /// We have said GOAWAY.
    Over,
}

#[derive(Debug)]
pub(super) struct Stream {
    /// Bytes that the client takes on it.
    pub(super) window: i64,
    /// Bytes of the answer's body that were sent; `None` while the request goes on.
    pub(super) sent: Option<usize>,
}

impl Default for Connection {
    fn default() -> Self {
        Self {
            rest: Vec::new(),
            stage: Stage::Preface,
            open_head: None,
            last: 0,
            streams: BTreeMap::new(),
            window: frame::DEFAULT_WINDOW.into(),
            new_window: frame::DEFAULT_WINDOW.into(),
            frame_size: frame::DEFAULT_FRAME_SIZE,
            used: 0,
        }
    }
}
