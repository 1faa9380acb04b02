//! One request's times.

use std::time::SystemTime;
use volley_net::clock;

/// The times in µs.
#[expect(clippy::struct_field_names, reason = "units come last")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Record {
    /// When it began, from any fixed origin.
    pub(super) start_us: i64,
    /// The time until it was connected.
    pub(super) connect_us: i64,
    /// The time to the complete answer.
    pub(super) total_us: i64,
    /// From the request's last byte to the answer's first.
    pub(super) wait_us: i64,
}

impl Record {
    /// The time from the connection to the complete answer.
    pub(super) fn processing_us(&self) -> i64 {
        self.total_us - self.connect_us
    }
}

/// The time in µs, from the origin of the engine's clock.
#[inline]
pub(super) fn now_us() -> i64 {
    i64::try_from(clock::now_ns() / 1000).unwrap_or(i64::MAX)
}

/// The offset from such a time to one since 1970.
pub(super) fn epoch_offset_us() -> i64 {
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_1970.as_micros()).unwrap_or(i64::MAX) - now_us()
}
