//! The instructions of the other side's encoder and decoder (RFC 9204, sections 4.3 and 4.4), where
//! neither side has a table.

/// Whether the encoder's instructions add nothing to a table: only its capacity of 0 may be set.
pub fn fills_nothing(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte == 0x20)
}

/// The decoder's instructions: no head waits for a stream that is canceled (section 4.4.2). All
/// other ones concern a table.
#[derive(Debug, Default)]
pub struct Canceled {
    /// The number of a stream goes on.
    is_in_number: bool,
}

impl Canceled {
    /// Whether the next bytes say no more than which streams are canceled.
    pub fn is_all_of(&mut self, bytes: &[u8]) -> bool {
        bytes.iter().all(|byte| {
            let most = if self.is_in_number { 0x80 } else { 0x3f };
            let is_canceled = self.is_in_number || byte & 0xc0 == 0x40;
            self.is_in_number = byte & most == most;
            is_canceled
        })
    }
}
