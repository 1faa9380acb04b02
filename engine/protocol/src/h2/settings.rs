//! The announcements of both sides at the beginning (RFC 9113, section 6.5).

use super::Wrong;
use super::frame::{self, DEFAULT_FRAME_SIZE, DEFAULT_WINDOW, WINDOW_LIMIT, code, setting};
use super::hpack::TABLE_SIZE;
use crate::head::HEAD_LIMIT;
use crate::protocol::Announced;
use crate::stream::ensure;

/// Bytes of DATA that a server may send on a stream before we allow more: flow control is not
/// measured, so it is never the limit.
pub(super) const WINDOW: u32 = (1 << 30) - 1;

/// The same for the connection, as large as allowed.
pub(super) const CONNECTION_WINDOW: u32 = WINDOW_LIMIT;

/// The first bytes of a connection (section 3.4).
pub(super) fn greet(out: &mut Vec<u8>) {
    out.extend_from_slice(frame::PREFACE);
    frame::write_settings(
        out,
        &[
            (setting::HEADER_TABLE_SIZE, u32::try_from(TABLE_SIZE).expect("it is 4096")),
            (setting::ENABLE_PUSH, 0),
            (setting::INITIAL_WINDOW_SIZE, WINDOW),
            (setting::MAX_FRAME_SIZE, DEFAULT_FRAME_SIZE),
            (setting::MAX_HEADER_LIST_SIZE, u32::try_from(HEAD_LIMIT).expect("it is 65536")),
        ],
    );
    frame::write_window_update(out, 0, CONNECTION_WINDOW - DEFAULT_WINDOW);
}

/// The values for a server that has not announced any yet.
pub(super) const UNSAID: Announced = Announced {
    max_concurrent_streams: None,
    initial_window: DEFAULT_WINDOW,
    header_table_size: 4096,
    max_frame_size: DEFAULT_FRAME_SIZE,
};

/// A server's announcements after the payload of one more SETTINGS.
pub(super) fn heed(before: Announced, payload: &[u8]) -> Result<Announced, Wrong> {
    let mut announced = before;
    for (name, value) in frame::settings(payload) {
        match name {
            setting::HEADER_TABLE_SIZE => announced.header_table_size = value,
            setting::ENABLE_PUSH if value != 0 => {
                return Err("a server's SETTINGS_ENABLE_PUSH is 0 or nothing".into());
            }
            setting::MAX_CONCURRENT_STREAMS => announced.max_concurrent_streams = Some(value),
            setting::INITIAL_WINDOW_SIZE if value > WINDOW_LIMIT => {
                let what = "SETTINGS_INITIAL_WINDOW_SIZE is more than 2147483647";
                return Err((code::FLOW_CONTROL_ERROR, what).into());
            }
            setting::INITIAL_WINDOW_SIZE => announced.initial_window = value,
            setting::MAX_FRAME_SIZE => {
                let is_right = (DEFAULT_FRAME_SIZE..=frame::FRAME_SIZE_LIMIT).contains(&value);
                ensure(is_right, "SETTINGS_MAX_FRAME_SIZE is not between 16384 and 16777215")?;
                announced.max_frame_size = value;
            }
            _ => {}
        }
    }
    Ok(announced)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heeded(settings: &[(u16, u32)]) -> Result<Announced, Wrong> {
        let mut bytes = Vec::new();
        frame::write_settings(&mut bytes, settings);
        heed(UNSAID, &bytes[frame::HEAD_LENGTH..])
    }

    #[test]
    fn what_a_server_says_is_heeded_and_the_unknown_ignored() {
        let said = heeded(&[(1, 0), (2, 0), (3, 7), (4, 1), (5, 16_385), (6, 1), (99, 5), (3, 8)]);
        let expected = Announced {
            max_concurrent_streams: Some(8),
            initial_window: 1,
            header_table_size: 0,
            max_frame_size: 16_385,
        };
        assert_eq!(said.unwrap(), expected, "the last of a kind holds");
        assert_eq!(heeded(&[]).unwrap(), UNSAID);
    }

    #[test]
    fn what_no_server_may_say_is_an_error() {
        for wrong in [(2, 1), (2, 2), (4, 1 << 31), (5, 16_383), (5, 1 << 24)] {
            assert!(heeded(&[wrong]).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_greeting_is_preface_settings_and_a_window() {
        let mut out = Vec::new();
        greet(&mut out);
        assert!(out.starts_with(frame::PREFACE));
        assert_eq!(out[24..33], [0, 0, 30, 4, 0, 0, 0, 0, 0]);
        assert_eq!(out[63..], *b"\0\0\x04\x08\0\0\0\0\0\x7f\xff\0\0");
    }
}
