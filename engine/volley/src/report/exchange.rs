//! The first exchange that went wrong, for people and for programs.

use crate::errors::ErrorKind;
use crate::tally::Bad;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

/// Lines of a message that are shown.
const LINES: usize = 6;

/// Characters of a line that are shown.
const WIDTH: usize = 72;

/// For programs: whole, or as much as was kept.
#[derive(Debug, Serialize)]
pub(super) struct BadExchange {
    kind: ErrorKind,
    detail: String,
    request_base64: String,
    response_base64: String,
}

impl From<&Bad> for BadExchange {
    fn from(bad: &Bad) -> Self {
        Self {
            kind: bad.kind,
            detail: bad.detail.clone(),
            request_base64: STANDARD.encode(&bad.request),
            response_base64: STANDARD.encode(&bad.response),
        }
    }
}

/// For people: a message's first lines, with what has no glyph escaped.
pub(super) fn first_lines(message: &[u8]) -> Vec<String> {
    if message.is_empty() {
        return vec!["none".into()];
    }
    let trimmed = message.trim_ascii_end();
    let mut lines = trimmed.split(|&byte| byte == b'\n');
    let mut shown: Vec<String> = lines.by_ref().take(LINES).map(escaped).collect();
    if lines.next().is_some() {
        shown.push("…".into());
    }
    shown
}

fn escaped(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let text: String = match std::str::from_utf8(line) {
        Ok(text) => text.chars().flat_map(printable).collect(),
        Err(_) => line.escape_ascii().to_string(),
    };
    match text.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Control characters would do as they like with a terminal.
fn printable(c: char) -> impl Iterator<Item = char> {
    let escape = c.is_control().then(|| c.escape_default());
    escape.into_iter().flatten().chain((!c.is_control()).then_some(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_shown_by_its_first_lines() {
        let answer = b"HTTP/1.1 404 Not Found\r\nContent-Length: 6\r\n\r\nna\xc3\xafve\n";
        assert_eq!(
            first_lines(answer),
            ["HTTP/1.1 404 Not Found", "Content-Length: 6", "", "naïve"]
        );
        assert_eq!(first_lines(b""), ["none"]);
        assert_eq!(first_lines(b"1\n2\n3\n4\n5\n6\n7").join(" "), "1 2 3 4 5 6 …");
    }

    #[test]
    fn what_has_no_glyph_is_escaped_and_long_lines_are_cut() {
        assert_eq!(first_lines(b"a\x1b[31m\tb"), ["a\\u{1b}[31m\\tb"]);
        assert_eq!(first_lines(b"\xff\x00"), ["\\xff\\x00"]);
        let long = first_lines(&[b'x'; 500]);
        assert_eq!(long, [format!("{}…", "x".repeat(WIDTH))]);
    }
}
