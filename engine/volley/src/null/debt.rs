//! How many answers a connection is owed, and which bytes of the outbox pay them.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

/// The outbox holds the answer this often, so that answers that are due at once go out at once.
const COPIES: usize = 64;

/// But it is no larger than this, or than one answer: more would not fit a socket anyway.
const OUTBOX_BYTES: usize = 256 * 1024;

/// What is answered, and to what.
#[derive(Debug)]
pub(super) struct Answers {
    /// The answer, again and again.
    pub(super) outbox: Arc<[u8]>,
    length: usize,
    request_length: Option<NonZeroUsize>,
}

impl Answers {
    /// With a length, each so many bytes are a request; without one, whatever a receive brings.
    pub(super) fn new(answer: &[u8], request_length: Option<NonZeroUsize>) -> Self {
        let copies = (OUTBOX_BYTES / answer.len()).clamp(1, COPIES);
        Self { outbox: answer.repeat(copies).into(), length: answer.len(), request_length }
    }
}

/// What one connection is owed.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Debt {
    /// Bytes of a request that is not complete.
    received: usize,
    /// Answers not yet sent.
    answers: usize,
    /// Bytes of the first of them that have been sent.
    sent: usize,
}

impl Debt {
    /// So many bytes were received at once.
    #[inline]
    pub(super) fn receive(&mut self, bytes: usize, to: &Answers) {
        match to.request_length {
            None => self.answers += 1,
            Some(length) => {
                self.received += bytes;
                self.answers += self.received / length;
                self.received %= length;
            }
        }
    }

    /// The part of the outbox to send next; empty if nothing is owed.
    #[inline]
    pub(super) fn part(&self, to: &Answers) -> Range<usize> {
        self.sent..(self.answers * to.length).min(to.outbox.len())
    }

    /// So many bytes of the part were sent.
    #[inline]
    pub(super) fn pay(&mut self, bytes: usize, to: &Answers) {
        self.sent += bytes;
        while self.sent >= to.length {
            self.sent -= to.length;
            self.answers -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes that a connection gets for receives of these lengths, at most `most` in one send.
    fn answered(to: &Answers, receives: &[usize], most: usize) -> Vec<u8> {
        let (mut debt, mut bytes) = (Debt::default(), Vec::new());
        for &receive in receives {
            debt.receive(receive, to);
            let part = debt.part(to);
            let sent = part.len().min(most);
            bytes.extend_from_slice(&to.outbox[part][..sent]);
            debt.pay(sent, to);
        }
        while !debt.part(to).is_empty() {
            let part = debt.part(to);
            let sent = part.len().min(most);
            bytes.extend_from_slice(&to.outbox[part][..sent]);
            debt.pay(sent, to);
        }
        bytes
    }

    #[test]
    fn without_a_length_each_receive_has_its_answer() {
        let to = Answers::new(b"abc", None);
        assert_eq!(answered(&to, &[1, 700, 3], usize::MAX), b"abcabcabc");
    }

    #[test]
    fn with_a_length_each_whole_request_has_its_answer_however_it_is_cut() {
        let to = Answers::new(b"abc", NonZeroUsize::new(10));
        for receives in [&[25, 5][..], &[9, 1, 9, 2, 9], &[30], &[1; 39]] {
            for most in [1, 2, 3, 4, 5, usize::MAX] {
                assert_eq!(answered(&to, receives, most), b"abcabcabc", "{receives:?} {most}");
            }
        }
    }

    #[test]
    fn more_answers_than_the_outbox_holds_are_sent_one_after_the_other() {
        let to = Answers::new(b"abc", NonZeroUsize::new(1));
        assert_eq!(to.outbox.len(), 3 * COPIES);
        for most in [7, usize::MAX] {
            assert_eq!(answered(&to, &[1000], most), b"abc".repeat(1000));
        }
    }

    #[test]
    fn a_large_answer_is_held_once() {
        let answer = vec![b'x'; 1_000_000];
        assert_eq!(Answers::new(&answer, None).outbox.len(), 1_000_000);
    }
}
