//! The number that a request and its completion share: what it is, and whose.

use crate::{GENERATIONS, Key};

/// What a request is: what its completion says, or who passes it over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Code {
    Receive,
    Count,
    Send,
    Writable,
    Accept,
    SendOwned,
    Connect,
    /// What comes before a [`Code::Connect`].
    Prepare,
    Cancel,
    Close,
    /// Its slot is the socket's place.
    Shutdown,
}

#[inline]
pub(crate) fn pack(code: Code, key: Key) -> u64 {
    u64::from(key.slot) << 32 | u64::from(key.generation % GENERATIONS) << 8 | u64::from(code as u8)
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "it takes apart what `pack` put together")]
pub(crate) fn unpack(number: u64) -> (Code, Key) {
    let code = match number as u8 {
        0 => Code::Receive,
        1 => Code::Count,
        2 => Code::Send,
        3 => Code::Writable,
        4 => Code::Accept,
        5 => Code::SendOwned,
        6 => Code::Connect,
        7 => Code::Prepare,
        8 => Code::Cancel,
        9 => Code::Close,
        _ => Code::Shutdown,
    };
    let key = Key { slot: (number >> 32) as u32, generation: (number as u32) >> 8 };
    (code, key)
}
