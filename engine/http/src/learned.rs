//! The fast path: a server's heads are nearly always the same bytes but for the date.
//!
//! The last head that the full parser accepted is remembered with its outcome. A head that is equal
//! to it outside the value of `Date`, and plain text inside, would parse to that same outcome, so it
//! need not be parsed. Anything else goes to the full parser. So the two cannot disagree, whatever
//! the server sends.

use crate::head::{Framing, Head, Parsed};
use std::ops::Range;

/// The remembered head of one target.
#[derive(Debug, Default)]
pub struct Learned {
    bytes: Vec<u8>,
    date: Range<usize>,
    head: Option<Head>,
}

impl Learned {
    /// The outcome for a head at the beginning of `bytes` and its length, if it is the known one.
    #[inline]
    pub(crate) fn recognise(&self, bytes: &[u8]) -> Option<(Head, usize)> {
        let head = self.head?;
        let got = bytes.get(..self.bytes.len())?;
        let same = got[..self.date.start] == self.bytes[..self.date.start]
            && got[self.date.end..] == self.bytes[self.date.end..]
            && got[self.date.clone()].iter().all(|byte| matches!(byte, b' '..=b'~'));
        same.then_some((head, self.bytes.len()))
    }

    /// Remembers a head that the full parser accepted. Interim answers are not worth it.
    pub(crate) fn learn(&mut self, bytes: &[u8], (head, date): &Parsed) {
        if head.status < 200 || head.framing == Framing::UntilClose {
            return;
        }
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        self.date = date.clone();
        self.head = Some(*head);
    }
}
