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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::head;

    const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 20:55:18 GMT\r\n\
        Content-Length: 13\r\n\r\n";

    fn learned() -> Learned {
        let mut learned = Learned::default();
        learned.learn(HEAD, &head::parse(HEAD, false).unwrap());
        learned
    }

    #[test]
    fn another_date_is_the_same_head() {
        let (head, length) = learned().recognise(HEAD).unwrap();
        assert_eq!((head.framing, length), (Framing::Length(13), HEAD.len()));
        let mut later = HEAD.to_vec();
        later[41] = b'9';
        later.extend_from_slice(b"Hello, World!");
        assert!(learned().recognise(&later).is_some());
    }

    #[test]
    fn any_other_difference_is_for_the_full_parser() {
        let date = 23..52;
        assert_eq!(HEAD[date.clone()], *b"Sat, 21 Nov 2026 20:55:18 GMT");
        for at in 0..HEAD.len() {
            let mut other = HEAD.to_vec();
            other[at] ^= 1;
            assert_eq!(learned().recognise(&other).is_some(), date.contains(&at), "byte {at}");
            other[at] = b'\r';
            let same = HEAD[at] == b'\r';
            assert_eq!(learned().recognise(&other).is_some(), same, "byte {at}");
        }
        assert!(learned().recognise(&HEAD[..HEAD.len() - 1]).is_none());
        assert!(Learned::default().recognise(HEAD).is_none());
    }

    #[test]
    fn heads_that_say_little_are_not_learned() {
        for head in [b"HTTP/1.1 200 OK\r\n\r\n" as &[u8], b"HTTP/1.1 100 Continue\r\n\r\n"] {
            let mut learned = learned();
            learned.learn(head, &head::parse(head, false).unwrap());
            assert!(learned.recognise(head).is_none() && learned.recognise(HEAD).is_some());
        }
    }
}
