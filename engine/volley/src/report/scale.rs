//! Figures and messages as text for people.

/// 1234567 as 1,234,567.
pub(super) fn grouped(count: u64) -> String {
    group(&count.to_string())
}

fn group(digits: &str) -> String {
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A rate, or a level of a stage.
pub(super) fn rate(per_s: f64) -> String {
    if per_s < 100.0 && per_s.fract() != 0.0 {
        format!("{per_s:.1}")
    } else {
        group(&format!("{per_s:.0}"))
    }
}

/// A latency.
pub(super) fn time(us: f64) -> String {
    match us {
        _ if us < 1e3 => format!("{us:.1} µs"),
        _ if us < 1e6 => format!("{:.2} ms", us / 1e3),
        _ => format!("{:.2} s", us / 1e6),
    }
}

pub(super) fn bytes(count: f64) -> String {
    match count {
        _ if count < 1024.0 => format!("{count:.0} B"),
        _ if count < 1_048_576.0 => format!("{:.1} KiB", count / 1024.0),
        _ if count < 1_073_741_824.0 => format!("{:.1} MiB", count / 1_048_576.0),
        _ => format!("{:.2} GiB", count / 1_073_741_824.0),
    }
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// The number of shown lines of a message.
const LINES: usize = 6;

/// The number of shown characters of a line.
const WIDTH: usize = 72;

/// A message's first lines, with bytes that have no glyph escaped.
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

/// Control characters could do anything to a terminal.
fn printable(c: char) -> impl Iterator<Item = char> {
    let escape = c.is_control().then(|| c.escape_default());
    escape.into_iter().flatten().chain((!c.is_control()).then_some(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_scaled_for_people() {
        let grouped = [0, 999, 1000, 1_234_567].map(grouped);
        assert_eq!(grouped, ["0", "999", "1,000", "1,234,567"]);
        let rates = [0.0, 0.5, 64.0, 99.96, 1234.5].map(rate);
        assert_eq!(rates, ["0", "0.5", "64", "100.0", "1,234"]);
        assert_eq!(
            [0.5, 999.94, 1000.0, 2.5e6].map(time),
            ["0.5 µs", "999.9 µs", "1.00 ms", "2.50 s"]
        );
        let sizes = [10.0, 2048.0, 3_145_728.0, 2_147_483_648.0].map(bytes);
        assert_eq!(sizes, ["10 B", "2.0 KiB", "3.0 MiB", "2.00 GiB"]);
        assert_eq!(percent(0.314), "31 %");
    }

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
