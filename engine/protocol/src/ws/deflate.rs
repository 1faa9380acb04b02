//! permessage-deflate (RFC 7692), each message by itself: no message refers to earlier ones.

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

/// The offer. Without contexts a message is compressed once and sent many times, and all servers do
/// the same work.
pub(super) const OFFER: &str =
    "permessage-deflate; client_no_context_takeover; server_no_context_takeover";

/// The end of every message, which is not sent (section 7.2.1).
const TAIL: [u8; 4] = [0, 0, 0xff, 0xff];

/// How many bytes are inflated at a time.
const PIECE: usize = 16 * 1024;

pub(super) const TOO_LONG: &str = "a compressed message of more than 1048576 bytes";

/// Whether a server's answer to the [`OFFER`] keeps to it.
pub(super) fn is_agreement(value: &[u8]) -> bool {
    let mut parts = value.split(|&byte| byte == b';').map(<[u8]>::trim_ascii);
    let is_ours = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(b"permessage-deflate"));
    let given: Vec<_> = parts.collect();
    let is_known = |part: &&[u8]| match *part {
        b"server_no_context_takeover" | b"client_no_context_takeover" => true,
        // A smaller window of its own can be inflated with the largest (section 7.1.2.1).
        part => part
            .strip_prefix(b"server_max_window_bits=")
            .is_some_and(|bits| matches!(bits, [b'8' | b'9'] | [b'1', b'0'..=b'5'])),
    };
    let is_once = given.iter().enumerate().all(|(at, part)| !given[..at].contains(part));
    is_ours
        && is_once
        && given.iter().all(is_known)
        && given.contains(&&b"server_no_context_takeover"[..])
}

/// A message in the form in which it is sent.
pub(super) fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut compress = Compress::new(Compression::default(), false);
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 64 + 64);
    compress.compress_vec(bytes, &mut out, FlushCompress::Sync).expect("deflate takes any bytes");
    assert!(
        compress.total_in() == bytes.len() as u64 && out.ends_with(&TAIL),
        "there is room for it"
    );
    out.truncate(out.len() - TAIL.len());
    out
}

/// A compressed message in progress.
#[derive(Debug)]
pub(super) struct Inflater {
    state: Decompress,
    piece: Box<[u8]>,
    /// Bytes that were announced, in their compressed form.
    length: u64,
}

impl Default for Inflater {
    fn default() -> Self {
        Self { state: Decompress::new(false), piece: vec![0; PIECE].into(), length: 0 }
    }
}

impl Inflater {
    /// Begins a new message.
    pub(super) fn begin(&mut self) {
        self.state.reset(false);
        self.length = 0;
    }

    /// Announces this many bytes, if they are allowed: blocks without content inflate to nothing,
    /// endlessly.
    pub(super) fn announce(&mut self, length: u64, most: u64) -> Result<(), &'static str> {
        self.length = self.length.saturating_add(length);
        if self.length > 2 * most { Err(TOO_LONG) } else { Ok(()) }
    }

    /// Takes the next bytes; `push` gets them inflated.
    pub(super) fn push(
        &mut self,
        mut bytes: &[u8],
        push: &mut impl FnMut(&[u8]) -> Result<(), &'static str>,
    ) -> Result<(), &'static str> {
        loop {
            let (taken, given) = (self.state.total_in(), self.state.total_out());
            let status = self.state.decompress(bytes, &mut self.piece, FlushDecompress::Sync);
            let (taken, given) = (self.state.total_in() - taken, self.state.total_out() - given);
            bytes = &bytes[bounded(taken)..];
            // The bytes that were inflated before a fault count first, however the input was cut.
            push(&self.piece[..bounded(given)])?;
            let status = status.map_err(|_| "a compressed message that can't be inflated")?;
            if status == Status::StreamEnd {
                // A final block may be followed by others (section 7.2.3.4).
                self.state.reset(false);
            } else if taken == 0 && given == 0 {
                return Ok(());
            }
        }
    }

    /// The message is complete.
    pub(super) fn end(
        &mut self,
        push: &mut impl FnMut(&[u8]) -> Result<(), &'static str>,
    ) -> Result<(), &'static str> {
        self.push(&TAIL, push)
    }
}

/// Converts a count that is at most a slice's length.
fn bounded(count: u64) -> usize {
    usize::try_from(count).expect("it is of a slice")
}
