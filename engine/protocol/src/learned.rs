//! The fast path: a server's heads are nearly always the same bytes except for the date.
//!
//! The last head that the full parser accepted is remembered with its outcome. A head that is equal
//! to it outside the value of `Date`, and plain text inside, would parse to that same outcome, so
//! it need not be parsed. Any other head goes to the full parser. So the two cannot disagree,
//! whatever the server sends.
//!
//! If a head names a length, and a short body follows of which all bytes are known or none matters,
//! the whole answer is known: one comparison shows that it is right.

use crate::body::Known;
use crate::check::{BodyRule, Expectation};
use crate::head::{Framing, Head, Parsed};
use std::ops::Range;
use std::sync::Arc;

/// What answers are compared with, and what was learned from right ones: the last head, and the
/// body where only its hash was given.
///
/// The outcome of a head depends on the expectation, so what was learned under one must not be used
/// under another. For this reason the two are one value.
#[derive(Debug)]
pub struct HeadCache {
    expectation: Arc<Expectation>,
    /// The last head. Where a whole answer is known, also the right body that follows it.
    bytes: Vec<u8>,
    date: Range<usize>,
    to_head: bool,
    head: Option<Head>,
    head_length: usize,
    /// The length of an answer that is known to be right, if it begins with `bytes`. 0: there is
    /// none.
    whole_length: usize,
    pub(crate) body: Known,
}

/// The longest body of an answer that is compared as a whole.
const WHOLE_LIMIT: usize = 4096;

impl HeadCache {
    /// Nothing is learned yet.
    pub fn new(expectation: Arc<Expectation>) -> Self {
        Self {
            expectation,
            bytes: Vec::new(),
            date: 0..0,
            to_head: false,
            head: None,
            head_length: 0,
            whole_length: 0,
            body: Known::default(),
        }
    }

    /// Which answer is right.
    #[inline]
    pub fn expectation(&self) -> &Expectation {
        &self.expectation
    }

    /// The outcome for a head at the beginning of `bytes` and its length, if it is the known one.
    #[inline]
    pub(crate) fn recognise(&mut self, bytes: &[u8], to_head: bool) -> Option<(Head, usize)> {
        let head = self.head?;
        let same = to_head == self.to_head && self.is_same(bytes, self.head_length);
        same.then_some((head, self.head_length))
    }

    /// The status and the length of the answer at the beginning of `bytes`, if it is complete and
    /// known to be right.
    #[inline]
    pub(crate) fn recognise_whole(&mut self, bytes: &[u8], to_head: bool) -> Option<(u16, usize)> {
        let same = self.whole_length > 0
            && self.whole_length <= bytes.len()
            && to_head == self.to_head
            && self.is_same(bytes, self.bytes.len());
        same.then_some((self.head?.status, self.whole_length))
    }

    /// Whether the first bytes, this many, are the known ones except for another date.
    #[inline]
    fn is_same(&mut self, bytes: &[u8], length: usize) -> bool {
        bytes.get(..length).is_some_and(|got| *got == self.bytes[..length] || self.is_later(got))
    }

    /// The same for bytes that differ. Their date becomes the known one.
    fn is_later(&mut self, got: &[u8]) -> bool {
        let date = &got[self.date.clone()];
        let same = got[..self.date.start] == self.bytes[..self.date.start]
            && got[self.date.end..] == self.bytes[self.date.end..got.len()]
            && date.iter().all(|byte| matches!(byte, b' '..=b'~'));
        if same {
            self.bytes[self.date.clone()].copy_from_slice(date);
        }
        same
    }

    /// Remembers a head that the full parser accepted. Interim answers are not worth it, and an
    /// expectation of the date itself has to see every date.
    pub(crate) fn learn(&mut self, bytes: &[u8], to_head: bool, (head, date): &Parsed) {
        if matches!(head.status, 100..200)
            || head.framing == Framing::UntilClose
            || self.expectation.names("date")
        {
            return;
        }
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        self.date = date.clone();
        self.to_head = to_head;
        self.head = Some(*head);
        self.head_length = bytes.len();
        self.whole_length = 0;
        let Framing::Length(length) = head.framing else { return };
        let right = head.keep_alive
            && head.headers_right
            && self.expectation.status.allows(head.status)
            && self.expectation.wrong_length(length).is_none();
        let body: &[u8] = match &self.expectation.body {
            BodyRule::Any => &[],
            BodyRule::Exactly(body) => body,
            BodyRule::Sha256(_)
            | BodyRule::Holds(_)
            | BodyRule::Events(_)
            | BodyRule::Message(_) => return,
        };
        if let Ok(length @ 0..=WHOLE_LIMIT) = usize::try_from(length)
            && right
        {
            self.bytes.extend_from_slice(body);
            self.whole_length = self.head_length + length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::StatusRule;
    use crate::head;

    const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 20:55:18 GMT\r\n\
        Content-Length: 13\r\n\r\n";

    fn empty(headers: &[(&str, &str)]) -> HeadCache {
        let headers = headers.iter().map(|&(name, value)| (name.into(), value.into())).collect();
        let rule = StatusRule::Exactly(200);
        HeadCache::new(Arc::new(Expectation { headers, ..Expectation::of_status(rule) }))
    }

    fn learn(learned: &mut HeadCache, bytes: &[u8]) {
        let parsed = head::parse(bytes, false, learned.expectation()).unwrap();
        learned.learn(bytes, false, &parsed);
    }

    fn learned() -> HeadCache {
        let mut learned = empty(&[]);
        learn(&mut learned, HEAD);
        learned
    }

    #[test]
    fn another_date_is_the_same_head() {
        let (head, length) = learned().recognise(HEAD, false).unwrap();
        assert_eq!((head.framing, length), (Framing::Length(13), HEAD.len()));
        let mut later = HEAD.to_vec();
        later[41] = b'9';
        later.extend_from_slice(b"Hello, World!");
        assert!(learned().recognise(&later, false).is_some());
    }

    #[test]
    fn any_other_difference_is_for_the_full_parser() {
        let date = 23..52;
        assert_eq!(HEAD[date.clone()], *b"Sat, 21 Nov 2026 20:55:18 GMT");
        for at in 0..HEAD.len() {
            let mut other = HEAD.to_vec();
            other[at] ^= 1;
            let same = date.contains(&at);
            assert_eq!(learned().recognise(&other, false).is_some(), same, "byte {at}");
            other[at] = b'\r';
            let same = HEAD[at] == b'\r';
            assert_eq!(learned().recognise(&other, false).is_some(), same, "byte {at}");
        }
        assert!(learned().recognise(&HEAD[..HEAD.len() - 1], false).is_none());
        assert!(learned().recognise(HEAD, true).is_none());
        assert!(empty(&[]).recognise(HEAD, false).is_none());
    }

    #[test]
    fn heads_that_say_little_are_not_learned() {
        for head in [b"HTTP/1.1 200 OK\r\n\r\n" as &[u8], b"HTTP/1.1 100 Continue\r\n\r\n"] {
            let mut learned = learned();
            learn(&mut learned, head);
            assert!(learned.recognise(head, false).is_none());
            assert!(learned.recognise(HEAD, false).is_some());
        }
    }

    #[test]
    fn the_outcome_for_the_headers_is_learned_too() {
        for (value, right) in [("13", true), ("14", false)] {
            let mut learned = empty(&[("content-length", value)]);
            learn(&mut learned, HEAD);
            let (head, _) = learned.recognise(HEAD, false).unwrap();
            assert_eq!(head.headers_right, right, "{value}");
        }
    }

    #[test]
    fn an_expected_date_is_always_looked_at() {
        let mut learned = empty(&[("DATE", "Sat, 21 Nov 2026 20:55:18 GMT")]);
        learn(&mut learned, HEAD);
        assert!(learned.recognise(HEAD, false).is_none());
    }
}
