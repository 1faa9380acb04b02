//! The chunked coding, in pieces of any size. Extensions and trailers are skipped, but bounded.

/// The most bytes of a chunk-size line, and of the trailers in all.
const LINE_LIMIT: u32 = 16 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// In the size; false before its first digit.
    Size(bool),
    /// In white space or an extension behind the size.
    Extension,
    /// Behind the CR of the size's line.
    SizeLf,
    Data,
    DataCr,
    DataLf,
    /// At the start of a line behind the last chunk.
    TrailerStart,
    /// In a trailer field; whether its colon has come.
    Trailer(bool),
    TrailerLf,
    /// Behind the CR of the empty line that ends it all.
    LastLf,
}

/// Progress within a chunked body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chunked {
    state: State,
    /// Bytes left in this chunk; while in its size, the size so far.
    left: u64,
    /// Bytes of this line so far; of all lines, in the trailers.
    line: u32,
}

impl Chunked {
    pub(crate) fn new() -> Self {
        Self { state: State::Size(false), left: 0, line: 0 }
    }

    /// Takes `bytes`, gives their data to `data`. `Ok(Some(n))`: the body ended after `n` of them.
    /// `Err`: what is wrong, and at which byte.
    pub(crate) fn feed(
        &mut self,
        bytes: &[u8],
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
            if self.byte(bytes[at]).map_err(|what| (what, at))? {
                return Ok(Some(at + 1));
            }
            at += 1;
        }
        Ok(None)
    }

    /// One byte outside the data; true at the end of the body.
    fn byte(&mut self, byte: u8) -> Result<bool, &'static str> {
        self.line += 1;
        if self.line > LINE_LIMIT {
            return Err("a chunk's size line or the trailers are larger than 16384 bytes");
        }
        self.state = match (self.state, byte) {
            (State::Size(_), _) if byte.is_ascii_hexdigit() => self.digit(byte)?,
            (State::Size(true), b' ' | b'\t' | b';') => State::Extension,
            (State::Size(true) | State::Extension, b'\r') => State::SizeLf,
            (State::Size(_), _) => return Err("the chunk size is not a hexadecimal number"),
            (State::Extension | State::Trailer(_), 0..=8 | 10..=31 | 127) if byte != b'\r' => {
                return Err("a control character in the lines of the chunked coding");
            }
            (State::Extension, _) => State::Extension,
            (State::SizeLf, b'\n') if self.left == 0 => {
                self.line = 0;
                State::TrailerStart
            }
            (State::SizeLf, b'\n') => State::Data,
            (State::DataCr, b'\r') => State::DataLf,
            (State::DataLf, b'\n') => {
                *self = Self::new();
                State::Size(false)
            }
            (State::TrailerStart, b'\r') => State::LastLf,
            (State::TrailerStart, b'!'..=b'9' | b';'..=b'~') => State::Trailer(false),
            (State::Trailer(_), b':') => State::Trailer(true),
            (State::Trailer(true), b'\r') => State::TrailerLf,
            (State::Trailer(colon), _) if byte != b'\r' => State::Trailer(colon),
            (State::TrailerLf, b'\n') => State::TrailerStart,
            (State::LastLf, b'\n') => return Ok(true),
            (State::DataCr | State::DataLf, _) => {
                return Err("no CR LF behind the data of a chunk");
            }
            (State::SizeLf | State::TrailerLf | State::LastLf, _) => {
                return Err("a CR without its LF in the chunked coding");
            }
            (State::TrailerStart | State::Trailer(_) | State::Data, _) => {
                return Err("a trailer that is not NAME: VALUE");
            }
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
}
