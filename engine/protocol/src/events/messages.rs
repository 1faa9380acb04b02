//! Messages of a streaming gRPC call, each after its flag and its length.

use super::EVENT_LIMIT;
use crate::grpc::PREFIX;

/// Reads one stream, which may be cut anywhere.
#[derive(Debug, Default)]
pub(crate) struct MessageReader {
    /// The beginning of an incomplete message, with its prefix.
    begun: Vec<u8>,
}

impl MessageReader {
    /// Takes the next bytes, and passes on the messages that end in them. An error, a message, is
    /// final.
    pub(crate) fn feed(
        &mut self,
        mut bytes: &[u8],
        mut on_message: impl FnMut(&[u8]),
    ) -> Result<(), &'static str> {
        while !bytes.is_empty() {
            let (piece, rest) = bytes.split_at(bytes.len().min(self.wanted()? - self.begun.len()));
            self.begun.extend_from_slice(piece);
            bytes = rest;
            if self.begun.len() >= PREFIX && self.begun.len() == self.wanted()? {
                on_message(&self.begun[PREFIX..]);
                self.begun.clear();
            }
        }
        Ok(())
    }

    /// Whether the end of the stream would cut off a message.
    pub(crate) fn is_within_message(&self) -> bool {
        !self.begun.is_empty()
    }

    /// The length of the prefix, or of prefix and message once it is known.
    fn wanted(&self) -> Result<usize, &'static str> {
        let Some(&[flag, ref length @ ..]) = self.begun.first_chunk::<PREFIX>() else {
            return Ok(PREFIX);
        };
        match (flag, u32::from_be_bytes(*length) as usize) {
            (0, length @ 0..=EVENT_LIMIT) => Ok(PREFIX + length),
            (0, _) => Err("a message of more than 1048576 bytes"),
            (1, _) => Err("a compressed message, which was not offered"),
            _ => Err("a message whose flag is neither 0 nor 1"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grpc::framed;

    #[test]
    fn a_stream_may_be_cut_anywhere() {
        let messages = ["", "hi", "", "hello"];
        let stream: Vec<u8> =
            messages.iter().flat_map(|text| framed(text.as_bytes()).unwrap()).collect();
        for cut in 0..=stream.len() {
            let (mut reader, mut came) = (MessageReader::default(), Vec::new());
            for piece in [&stream[..cut], &stream[cut..]] {
                reader.feed(piece, |message| came.push(message.to_vec())).unwrap();
            }
            assert_eq!(came, messages.map(|text| text.as_bytes().to_vec()), "{cut}");
            assert!(!reader.is_within_message());
        }
    }

    #[test]
    fn what_is_no_message_is_refused_by_its_prefix() {
        let long = u32::try_from(EVENT_LIMIT + 1).unwrap().to_be_bytes();
        for (prefix, words) in [
            ([&[1], &[0; 4][..]].concat(), "a compressed message, which was not offered"),
            ([&[2], &[0; 4][..]].concat(), "a message whose flag is neither 0 nor 1"),
            ([&[0], &long[..]].concat(), "a message of more than 1048576 bytes"),
        ] {
            let mut reader = MessageReader::default();
            assert_eq!(reader.feed(&prefix, |_| panic!("{words}")), Err(words));
        }
        let mut reader = MessageReader::default();
        reader.feed(&framed(b"hi").unwrap()[..6], |_| panic!("it isn't all there")).unwrap();
        assert!(reader.is_within_message());
    }
}
