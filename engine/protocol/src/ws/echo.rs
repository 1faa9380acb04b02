//! Compares received messages with the one that was sent, piece by piece, without keeping them.

use super::Message;
use super::message::Number;
use crate::verdict::{self, Verdict};

/// By how many bytes a message may exceed the one that was sent.
pub const MESSAGE_LIMIT: u64 = 1 << 20;

const NOT_UTF8: &str = "a message of text that is not UTF-8";

/// A message in progress and the expected one.
#[derive(Debug, Default)]
pub(crate) struct Echo {
    is_text: bool,
    length: u64,
    /// The first bytes.
    number: Number,
    /// The first difference, and the byte there.
    difference: Option<(usize, u8)>,
    /// The offset from which it differs from an expected text.
    text: Option<Text>,
}

impl Echo {
    /// Begins a new message.
    pub(crate) fn begin(&mut self, is_text: bool, expected: &Message) {
        let text = (is_text && !expected.is_text()).then(Text::default);
        *self = Self { is_text, text, ..Self::default() };
    }

    /// Announces this many bytes, if they are allowed.
    pub(crate) fn announce(&self, length: u64, expected: &Message) -> Result<(), &'static str> {
        if length > most(expected) - self.length {
            return Err("a message of more than 1048576 bytes");
        }
        Ok(())
    }

    /// Takes the next bytes.
    pub(crate) fn push(&mut self, piece: &[u8], expected: &Message) -> Result<(), &'static str> {
        let from = usize::try_from(self.length).unwrap_or(usize::MAX);
        self.number.iter_mut().skip(from).zip(piece).for_each(|(mine, &byte)| *mine = byte);
        self.length += piece.len() as u64;
        if let Some(text) = &mut self.text {
            text.push(piece)?;
        }
        let all = expected.bytes();
        let right = &all[from.min(all.len())..];
        let right = &right[..right.len().min(piece.len())];
        if self.difference.is_some() || right == piece {
            return Ok(());
        }
        let same = right.iter().zip(piece).take_while(|(right, got)| right == got).count();
        if same < right.len() {
            self.difference = Some((from + same, piece[same]));
        }
        if self.is_text && self.text.is_none() {
            let text = self.text.insert(Text::behind(&all[..from + same]));
            text.push(&piece[same..])?;
        }
        Ok(())
    }

    /// The message is complete.
    pub(crate) fn end(&self, expected: &Message) -> Result<Verdict, &'static str> {
        let length = usize::try_from(self.length).unwrap_or(usize::MAX);
        let is_cut = match &self.text {
            Some(text) => text.is_within_character(),
            None => self.is_text && Text::behind(&expected.bytes()[..length]).is_within_character(),
        };
        if is_cut {
            return Err(NOT_UTF8);
        }
        Ok(if self.is_text != expected.is_text() {
            Verdict::Body
        } else if length != expected.bytes().len() {
            Verdict::Length
        } else if self.difference.is_some() {
            Verdict::Body
        } else {
            Verdict::Right
        })
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// The number, if it is a message to a room.
    pub(crate) fn number(&self) -> Number {
        self.number
    }

    /// What is wrong, as a message.
    pub(crate) fn describe(&self, verdict: Verdict, expected: &Message) -> String {
        let (got, right) = (self.length, expected.bytes().len());
        let kind = |is_text| if is_text { "text" } else { "binary" };
        match (verdict, self.difference) {
            (Verdict::Length, _) => format!("the echo has {got} bytes, expected {right}"),
            (Verdict::Body, _) if self.is_text != expected.is_text() => {
                let [got, right] = [self.is_text, expected.is_text()].map(kind);
                format!("the echo is {got}, expected {right}")
            }
            (Verdict::Body, Some((at, got))) => {
                let (expected, got) = (verdict::show(expected.bytes()[at]), verdict::show(got));
                format!("the echo differs at byte {at}: expected {expected}, got {got}")
            }
            _ => "as expected".into(),
        }
    }
}

/// The most bytes of an echo.
pub(super) fn most(expected: &Message) -> u64 {
    MESSAGE_LIMIT.max(expected.bytes().len() as u64)
}

/// Text that arrives in pieces.
#[derive(Debug, Default)]
struct Text {
    /// The bytes of an incomplete character.
    cut: Vec<u8>,
}

impl Text {
    /// The state after these bytes, with which a text begins.
    fn behind(bytes: &[u8]) -> Self {
        let tail = &bytes[bytes.len().saturating_sub(4)..];
        let first = tail.iter().rposition(|byte| byte & 0xc0 != 0x80).unwrap_or(tail.len());
        let is_whole = str::from_utf8(&tail[first..]).is_ok();
        Self { cut: if is_whole { Vec::new() } else { tail[first..].to_vec() } }
    }

    fn push(&mut self, mut piece: &[u8]) -> Result<(), &'static str> {
        while !self.cut.is_empty()
            && let Some((&byte, rest)) = piece.split_first()
        {
            self.cut.push(byte);
            piece = rest;
            match str::from_utf8(&self.cut) {
                Ok(_) => self.cut.clear(),
                Err(wrong) if wrong.error_len().is_none() => {}
                Err(_) => return Err(NOT_UTF8),
            }
        }
        if let Err(wrong) = str::from_utf8(piece) {
            if wrong.error_len().is_some() {
                return Err(NOT_UTF8);
            }
            self.cut.extend_from_slice(&piece[wrong.valid_up_to()..]);
        }
        Ok(())
    }

    fn is_within_character(&self) -> bool {
        !self.cut.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn compare<'a>(
        expected: &Message,
        is_text: bool,
        pieces: impl Iterator<Item = &'a [u8]>,
    ) -> Result<(Verdict, String), &'static str> {
        let mut echo = Echo::default();
        echo.begin(is_text, expected);
        for piece in pieces {
            echo.announce(piece.len() as u64, expected)?;
            echo.push(piece, expected)?;
        }
        let verdict = echo.end(expected)?;
        Ok((verdict, echo.describe(verdict, expected)))
    }

    fn of(expected: &str, got: &[u8]) -> Result<(Verdict, String), &'static str> {
        let expected = Message::new(expected.into(), true).unwrap();
        compare(&expected, true, got.chunks(3))
    }

    #[test]
    fn an_echo_is_right_or_it_is_named_what_is_wrong() {
        for (got, verdict, part) in [
            ("häßlich", Verdict::Right, "as expected"),
            ("hübsch", Verdict::Length, "7 bytes, expected 9"),
            ("häßlichst", Verdict::Length, "11 bytes"),
            ("", Verdict::Length, "0 bytes"),
            ("häßlicH", Verdict::Body, "byte 8: expected \"h\", got \"H\""),
            ("hößlich", Verdict::Body, "byte 2: expected 0xa4, got 0xb6"),
        ] {
            let (found, words) = of("häßlich", got.as_bytes()).unwrap();
            assert_eq!(found, verdict, "{got}");
            assert!(words.contains(part), "{got}: {words}");
        }
        let binary = Message::new(vec![1, 2], false).unwrap();
        let (verdict, words) = compare(&binary, true, [&[1, 2][..]].into_iter()).unwrap();
        assert_eq!((verdict, &*words), (Verdict::Body, "the echo is text, expected binary"));
    }

    #[test]
    fn a_message_without_a_bound_is_not_read() {
        let long = vec![b'x'; 1 << 16];
        let pieces = std::iter::repeat_n(&long[..], 17);
        let expected = Message::new(b"x".to_vec(), true).unwrap();
        assert!(compare(&expected, true, pieces.clone()).is_err());
        let expected = Message::new(long.repeat(17), true).unwrap();
        assert_eq!(compare(&expected, true, pieces).unwrap().0, Verdict::Right);
    }

    proptest! {
        /// Text is refused if the whole of it is not UTF-8, wherever it is cut and whatever was
        /// expected.
        #[test]
        fn text_is_utf8_however_it_comes(
            expected in "[aä€🎈]{0,6}", is_text in any::<bool>(), at in 0_usize..20, by in any::<u8>(),
            keep in 0_usize..24, more in prop::collection::vec(any::<u8>(), 0..3), size in 1_usize..6,
        ) {
            let mut got = expected.clone().into_bytes();
            if let Some(byte) = got.get_mut(at) {
                *byte = by;
            }
            got.truncate(keep);
            got.extend(more);
            let expected = Message::new(expected.into(), is_text).unwrap();
            let found = compare(&expected, true, got.chunks(size));
            prop_assert_eq!(found.is_ok(), str::from_utf8(&got).is_ok(), "{:?}", found);
            if let Ok((verdict, _)) = found {
                let is_right = is_text && got == expected.bytes();
                prop_assert_eq!(verdict == Verdict::Right, is_right);
            }
        }
    }
}
