//! The head of an answer, and the heads that are known without decoding.

use super::Wrong;
use super::frame::code;
use super::hpack::Decoder;
use crate::fields::{Decoded, Head, LARGE, Lines, MANY};
use crate::known::KnownHead;
use std::rc::Rc;

/// Decodes a head into `text`: a status line and a line for each field. Trailers add their lines to
/// those of the head. `room`: its limit of cost.
pub(super) fn decode(
    decoder: &mut Decoder,
    block: &[u8],
    is_trailer: bool,
    room: usize,
    text: &mut Vec<u8>,
) -> Result<Decoded, Wrong> {
    let mut lines = Lines::new("HTTP/2", is_trailer, room, text);
    let mut field = Ok(());
    let outcome = decoder.decode(block, |name, value| {
        field = lines.take(name, value);
        field
    });
    outcome.map_err(|what| match field {
        Ok(()) => (code::COMPRESSION_ERROR, what),
        Err(LARGE | MANY) => (code::ENHANCE_YOUR_CALM, what),
        Err(_) => (code::PROTOCOL_ERROR, what),
    })?;
    Ok(lines.end()?)
}

/// The last head of one connection for one expectation, by its bytes.
///
/// Equal bytes have equal fields as long as the decoder's table has not changed, or if they name no
/// field that was added to it. Fields that they add to it themselves, as nginx does each time, are
/// added again. So a known head would decode to the very same outcome.
#[derive(Debug, Default)]
pub(super) struct Known {
    head: KnownHead,
    /// The state of the decoder's table; `None` if any state will do.
    version: Option<u64>,
    /// The names and values that it adds to the table, and their lengths.
    added: Vec<(usize, usize)>,
    added_bytes: Vec<u8>,
}

impl Known {
    /// The outcome of an equal head, its cost, and its text. The decoder goes on as if it had
    /// decoded it. `room`: its limit of cost.
    #[inline]
    pub(super) fn recognise(
        &self,
        block: &[u8],
        to_head: bool,
        decoder: &mut Decoder,
        room: usize,
    ) -> Option<(Head, usize, &Rc<Vec<u8>>)> {
        let head = self.head.recognise(block, to_head, room)?;
        if self.version.is_some_and(|version| version != decoder.version()) {
            return None;
        }
        let mut rest = &self.added_bytes[..];
        for &(name_length, value_length) in &self.added {
            let (name, behind) = rest.split_at(name_length);
            let (value, behind) = behind.split_at(value_length);
            decoder.add(name, value);
            rest = behind;
        }
        Some(head)
    }

    /// Remembers a final head that was just decoded, if its next outcome is certain. `before`: the
    /// state of the decoder's table before it.
    pub(super) fn learn(
        &mut self,
        block: &[u8],
        to_head: bool,
        (decoder, before): (&Decoder, u64),
        head: (Head, usize, &[u8]),
    ) {
        let changes = usize::try_from(decoder.version() - before).unwrap_or(usize::MAX);
        if changes > 0 && !decoder.stands_alone() {
            return;
        }
        let Some(latest) = decoder.latest(changes) else { return };
        self.added.clear();
        self.added_bytes.clear();
        for (name, value) in latest {
            self.added.push((name.len(), value.len()));
            self.added_bytes.extend_from_slice(name);
            self.added_bytes.extend_from_slice(value);
        }
        self.version = (!decoder.stands_alone()).then_some(before);
        self.head.learn(block, to_head, head);
    }

    pub(super) fn forget(&mut self) {
        self.head.forget();
    }
}
