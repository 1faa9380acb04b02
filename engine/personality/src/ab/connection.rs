//! One connection, from request to request.

use super::answer::Answer;
use super::record::Record;

/// Times are in µs. A step that a request did not reach keeps the time of the request before it.
#[derive(Debug, Default)]
pub(super) struct Connection {
    pub(super) answer: Answer,
    pub(super) start_us: i64,
    pub(super) connected_us: i64,
    pub(super) written_us: i64,
    pub(super) first_byte_us: i64,
    /// The turn in which the request was written.
    pub(super) written_in_turn: u64,
    /// It was refused, and has been opened again since.
    pub(super) was_refused: bool,
}

impl Connection {
    /// The record of the request that ends now.
    pub(super) fn record(&self, now_us: i64) -> Record {
        Record {
            start_us: self.start_us,
            connect_us: (self.connected_us - self.start_us).max(0),
            total_us: (now_us - self.start_us).max(0),
            wait_us: (self.first_byte_us - self.written_us).max(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_an_earlier_request_are_no_times_of_this_one() {
        let connection = Connection {
            start_us: 100,
            connected_us: 60,
            written_us: 140,
            first_byte_us: 90,
            ..Connection::default()
        };
        let record = Record { start_us: 100, connect_us: 0, total_us: 55, wait_us: 0 };
        assert_eq!(connection.record(155), record);
    }
}
