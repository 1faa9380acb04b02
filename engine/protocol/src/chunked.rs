//! The chunked coding (RFC 9112, section 7.1), in pieces of any size. Extensions are
//! checked and skipped; trailers, too, are bounded.

/// The most bytes of a chunk-size line, and of the trailers in all.
const LINE_LIMIT: u32 = 16 * 1024;

/// A size of this many digits always fits 64 bits.
const PLAIN_DIGITS: usize = 15;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// In the size; false before its first digit.
    Size(bool),
    /// In white space before the `;` of an extension.
    Gap,
    /// After that `;`, before the extension's name.
    NameStart,
    Name,
    /// In white space after the name: `=` or the next `;` follows.
    NameEnd,
    /// After the `=`.
    ValueStart,
    Value,
    Quoted,
    /// After a backslash within quotes.
    Escaped,
    /// After the closing quote.
    QuotedEnd,
    /// After the CR of the size's line.
    SizeLf,
    Data,
    DataCr,
    DataLf,
    /// At the start of a line after the last chunk; whether a field may continue there (obs-fold).
    TrailerStart(bool),
    TrailerName,
    TrailerValue,
    TrailerLf,
    /// After the CR of the final empty line.
    LastLf,
}

/// Progress within a chunked body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chunked {
    state: State,
    /// Bytes left in this chunk; while in its size, the size so far.
    left: u64,
    /// Bytes of this line so far; in the trailers, of all lines.
    line: u32,
}

impl Chunked {
    pub(crate) fn new() -> Self {
        Self { state: State::Size(false), left: 0, line: 0 }
    }

    /// Takes `bytes`, passes their data to `data`, and appends the trailers, line by line, to
    /// `trailers`. `Ok(Some(n))`: the body ended after `n` of them. `Err`: the error, and the
    /// offset of its byte.
    pub(crate) fn feed(
        &mut self,
        bytes: &[u8],
        trailers: &mut Vec<u8>,
        mut data: impl FnMut(&[u8]),
    ) -> Result<Option<usize>, (&'static str, usize)> {
        let mut at = 0;
        while at < bytes.len() {
            if self.state == State::Data {
                let rest = &bytes[at..];
                let take = usize::try_from(self.left).map_or(rest.len(), |n| n.min(rest.len()));
                data(&rest[..take]);
                self.left -= take as u64;
                at += take;
                if self.left == 0 {
                    self.state = State::DataCr;
                }
                continue;
            }
            match (self.state, &bytes[at..]) {
                (State::DataCr, [b'\r', b'\n', ..]) => {
                    *self = Self::new();
                    at += 2;
                }
                (State::TrailerStart(false), [b'\r', b'\n', ..]) => return Ok(Some(at + 2)),
                (State::Size(false), rest) if let Some(length) = self.plain_size(rest) => {
                    at += length;
                }
                _ if self.byte(bytes[at]).map_err(|what| (what, at))? => return Ok(Some(at + 1)),
                _ => {
                    use State::{TrailerLf, TrailerName, TrailerStart, TrailerValue};
                    if let TrailerStart(true) | TrailerName | TrailerValue | TrailerLf = self.state
                    {
                        trailers.push(bytes[at]);
                    }
                    at += 1;
                }
            }
        }
        Ok(None)
    }

    /// Takes a whole line with a size and nothing else, which is the usual case: its length.
    #[inline]
    fn plain_size(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut size = 0;
        for (at, &byte) in bytes.iter().enumerate().take(PLAIN_DIGITS + 1) {
            if let Some(digit) = char::from(byte).to_digit(16) {
                size = size << 4 | u64::from(digit);
                continue;
            }
            let is_whole = at > 0 && byte == b'\r' && bytes.get(at + 1) == Some(&b'\n');
            if !is_whole || at > PLAIN_DIGITS {
                return None;
            }
            self.left = size;
            self.state = if size == 0 { State::TrailerStart(false) } else { State::Data };
            return Some(at + 2);
        }
        None
    }

    /// One byte outside the data; true at the end of the body.
    fn byte(&mut self, byte: u8) -> Result<bool, &'static str> {
        self.line += 1;
        if self.line > LINE_LIMIT {
            return Err("a chunk's size line or the trailers are larger than 16384 bytes");
        }
        self.state = match (self.state, byte) {
            (State::Size(_), _) if byte.is_ascii_hexdigit() => self.digit(byte)?,
            (State::Size(true) | State::Name | State::Value | State::QuotedEnd, b'\r') => {
                State::SizeLf
            }
            (State::SizeLf, b'\n') if self.left == 0 => {
                self.line = 0;
                State::TrailerStart(false)
            }
            (State::SizeLf, b'\n') => State::Data,
            (State::DataCr, b'\r') => State::DataLf,
            (State::DataLf, b'\n') => {
                *self = Self::new();
                State::Size(false)
            }
            (State::TrailerStart(_), b'\r') => State::LastLf,
            (State::LastLf, b'\n') => return Ok(true),
            (State::TrailerStart(_) | State::TrailerName | State::TrailerValue, _)
            | (State::TrailerLf, b'\n') => self.trailer(byte)?,
            (State::DataCr | State::DataLf, _) => {
                return Err("no CR LF behind the data of a chunk");
            }
            (State::SizeLf | State::TrailerLf | State::LastLf, _) => {
                return Err("a CR without its LF in the chunked coding");
            }
            (State::Size(false), _) => return Err(NO_SIZE),
            (state, _) => extension(state, byte)?,
        };
        Ok(false)
    }

    fn digit(&mut self, byte: u8) -> Result<State, &'static str> {
        let digit = char::from(byte).to_digit(16).map_or(0, u64::from);
        if self.left >> 60 != 0 {
            return Err("the chunk size does not fit 64 bits");
        }
        self.left = self.left << 4 | digit;
        Ok(State::Size(true))
    }

    /// One byte of a trailer, which has the form of a field in a head.
    fn trailer(&self, byte: u8) -> Result<State, &'static str> {
        Ok(match (self.state, byte) {
            (State::TrailerStart(true), b' ' | b'\t') => State::TrailerValue,
            (State::TrailerStart(_) | State::TrailerName, _) if is_token(byte) => {
                State::TrailerName
            }
            (State::TrailerName, b':') => State::TrailerValue,
            (State::TrailerValue, b'\r') => State::TrailerLf,
            (State::TrailerValue, _) if is_text(byte) => State::TrailerValue,
            (State::TrailerLf, _) => State::TrailerStart(true),
            (State::TrailerValue, _) => return Err("a byte that a trailer's value may not have"),
            _ => return Err("a trailer that is not NAME: VALUE"),
        })
    }
}

const NO_SIZE: &str = "the chunk size is not a hexadecimal number";

/// One byte after a chunk's size: `*( BWS ";" BWS name [ BWS "=" BWS value ] )`, where the value is
/// a token or in quotes (RFC 9112, section 7.1.1).
fn extension(state: State, byte: u8) -> Result<State, &'static str> {
    Ok(match (state, byte) {
        (State::Quoted, b'"') => State::QuotedEnd,
        (State::Quoted, b'\\') => State::Escaped,
        (State::Quoted | State::Escaped, _) if is_text(byte) => State::Quoted,
        (State::NameStart | State::Name, _) if is_token(byte) => State::Name,
        (State::ValueStart | State::Value, _) if is_token(byte) => State::Value,
        (State::ValueStart, b'"') => State::Quoted,
        (State::Name | State::NameEnd, b'=') => State::ValueStart,
        (State::Name | State::NameEnd, b' ' | b'\t') => State::NameEnd,
        (State::NameStart | State::ValueStart, b' ' | b'\t') => state,
        (State::Size(_) | State::Gap | State::Value | State::QuotedEnd, b' ' | b'\t') => State::Gap,
        (State::NameStart | State::ValueStart | State::Quoted | State::Escaped, _) => {
            return Err("a chunk's extension that is not NAME or NAME=VALUE");
        }
        (_, b';') => State::NameStart,
        (State::Size(_), _) => return Err(NO_SIZE),
        _ => return Err("a chunk's size or extension with something behind it"),
    })
}

/// Whether a token may contain it (RFC 9110, section 5.6.2).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Whether a field's value may contain it, and quotes.
fn is_text(byte: u8) -> bool {
    byte == b'\t' || byte >= b' ' && byte != 127
}
