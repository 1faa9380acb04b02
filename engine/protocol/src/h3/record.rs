//! The contents of QUIC's streams as one run of bytes: a head that names the stream, and its bytes.
//!
//! [`Protocol`](crate::Protocol) has one run of bytes in either direction. QUIC has many, each in
//! its own order, so that callers that speak QUIC pass records, which are complete at the end of
//! each call.

/// Bytes of a record's head.
pub const HEAD_LENGTH: usize = 16;

/// A record's head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// The stream's number (RFC 9000, section 2.1).
    pub stream: u64,
    /// The kind of record.
    pub kind: Kind,
    /// The number of bytes after the head.
    pub length: u32,
}

/// The meaning of a record for its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The stream's next bytes.
    Bytes,
    /// The stream's last bytes.
    Last,
    /// The stream's end without the rest; the bytes are the error code, in QUIC's encoding. A
    /// client that sends it does not want an answer either.
    Reset,
    /// To the client: this stream may not be opened yet, nor any after it. All other streams of
    /// requests may.
    Limit,
    /// From the client: the connection is closed with the error code that is in the bytes.
    Close,
}

impl Record {
    /// Reads a head; an unknown kind becomes [`Kind::Bytes`].
    #[inline]
    pub fn read(head: &[u8; HEAD_LENGTH]) -> Self {
        let [stream @ .., l0, l1, l2, l3, kind, _, _, _] = *head;
        let kind = match kind {
            1 => Kind::Last,
            2 => Kind::Reset,
            3 => Kind::Limit,
            4 => Kind::Close,
            _ => Kind::Bytes,
        };
        let length = u32::from_le_bytes([l0, l1, l2, l3]);
        Self { stream: u64::from_le_bytes(stream), kind, length }
    }

    /// Appends a head.
    #[inline]
    pub fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.head());
    }

    fn head(self) -> [u8; HEAD_LENGTH] {
        let mut head = [0; HEAD_LENGTH];
        head[..8].copy_from_slice(&self.stream.to_le_bytes());
        head[8..12].copy_from_slice(&self.length.to_le_bytes());
        head[12] = match self.kind {
            Kind::Bytes => 0,
            Kind::Last => 1,
            Kind::Reset => 2,
            Kind::Limit => 3,
            Kind::Close => 4,
        };
        head
    }

    /// Appends a record with the bytes that `write` appends.
    #[inline]
    pub fn write_by(out: &mut Vec<u8>, stream: u64, kind: Kind, write: impl FnOnce(&mut Vec<u8>)) {
        let start = out.len();
        out.extend_from_slice(&[0; HEAD_LENGTH]);
        write(out);
        let length = out.len() - start - HEAD_LENGTH;
        let length = u32::try_from(length).expect("a record is shorter than 4 GiB");
        let head = Self { stream, kind, length }.head();
        out[start..start + HEAD_LENGTH].copy_from_slice(&head);
    }

    /// Makes the record at the beginning of `bytes` its stream's last.
    #[inline]
    pub fn set_last(bytes: &mut [u8]) {
        bytes[12] = 1;
    }

    /// The record at the beginning of `bytes`: its head, its bytes, and the bytes after it. `None`:
    /// it is incomplete.
    #[inline]
    pub fn first(bytes: &[u8]) -> Option<(Self, &[u8], &[u8])> {
        let (head, rest) = bytes.split_first_chunk()?;
        let record = Self::read(head);
        let (bytes, rest) = rest.split_at_checked(record.length as usize)?;
        Some((record, bytes, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back() {
        let mut out = Vec::new();
        let kinds = [Kind::Bytes, Kind::Last, Kind::Reset, Kind::Limit, Kind::Close];
        for (nth, kind) in kinds.into_iter().enumerate() {
            let stream = (1 << 61) + nth as u64;
            Record::write_by(&mut out, stream, kind, |out| out.resize(out.len() + nth, 7));
        }
        let mut rest = &out[..];
        for (nth, kind) in kinds.into_iter().enumerate() {
            let (record, bytes, behind) = Record::first(rest).unwrap();
            assert_eq!((record.kind, record.stream), (kind, (1 << 61) + nth as u64));
            assert_eq!(bytes, vec![7; nth]);
            rest = behind;
        }
        assert_eq!(Record::first(rest), None);
        assert_eq!(Record::first(&out[HEAD_LENGTH + HEAD_LENGTH..out.len() - 1][..20]), None);
    }
}
