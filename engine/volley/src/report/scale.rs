//! Figures scaled for people.

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
}
