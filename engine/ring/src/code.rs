//! The number that a request and its completion share: the kind of request, and its owner.

use crate::{GENERATIONS, Key};

/// The kind of a request, which decides how its completion is reported.
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
    /// The request that comes before a [`Code::Connect`].
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
