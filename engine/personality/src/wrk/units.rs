//! Numbers with units, as wrk reads and prints them.

/// A ladder of units, each `scale` times the one before.
struct Units {
    scale: u64,
    base: &'static str,
    steps: &'static [&'static str],
}

const METRIC: Units = Units { scale: 1000, base: "", steps: &["k", "M", "G", "T", "P"] };
const BINARY: Units = Units { scale: 1024, base: "", steps: &["K", "M", "G", "T", "P"] };
const MICROSECONDS: Units = Units { scale: 1000, base: "us", steps: &["ms", "s"] };
const SECONDS: Units = Units { scale: 60, base: "s", steps: &["m", "h"] };

/// A count such as `100`, `10k` or `1M`.
pub(crate) fn read_count(text: &str) -> Option<u64> {
    read(text, &METRIC)
}

/// A time in seconds such as `10`, `10s`, `2m` or `1h`.
pub(crate) fn read_seconds(text: &str) -> Option<u64> {
    read(text, &SECONDS)
}

/// Digits and at most two characters of unit, as in C's `%lu%2s`: a sign is not an error.
fn read(text: &str, units: &Units) -> Option<u64> {
    let text = text.trim_start();
    let is_negative = text.starts_with('-');
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    if digits.is_empty() {
        return None;
    }
    let number: u64 = digits.parse().unwrap_or(u64::MAX);
    let number = if is_negative { number.wrapping_neg() } else { number };
    let unit: String = rest.trim_start().chars().take(2).take_while(|c| *c != ' ').collect();
    if unit.is_empty() || unit.eq_ignore_ascii_case(units.base) {
        return Some(number);
    }
    let step = units.steps.iter().position(|step| step.eq_ignore_ascii_case(&unit))?;
    let factor = units.scale.pow(u32::try_from(step).unwrap_or(0) + 1);
    Some(number.wrapping_mul(factor))
}

/// A number of things, in thousands: `49.50k`.
pub(crate) fn count(number: f64) -> String {
    show(number, &METRIC, 2)
}

/// A number of bytes, in powers of 1024, without its `B`: `7.71M`.
pub(crate) fn bytes(number: f64) -> String {
    show(number, &BINARY, 2)
}

/// A time in µs: `1.23ms`. It never gets to hours.
pub(crate) fn time_us(number: f64) -> String {
    if number >= 1e6 { show(number / 1e6, &SECONDS, 2) } else { show(number, &MICROSECONDS, 2) }
}

/// A whole time in seconds: `10s`.
pub(crate) fn time_s(number: f64) -> String {
    show(number, &SECONDS, 0)
}

/// A value moves on to the next unit from 0.85 of it on. The last unit is never reached.
fn show(number: f64, units: &Units, decimals: usize) -> String {
    let (scale, mut amount, mut unit) = (units.scale as f64, number, units.base);
    for step in &units.steps[..units.steps.len() - 1] {
        if amount.is_nan() || amount < scale * 0.85 {
            break;
        }
        amount /= scale;
        unit = step;
    }
    format!("{amount:.decimals$}{unit}")
}

/// A figure in a column: aligned right, with room for two letters of a unit.
pub(crate) fn column(figure: &str, width: usize) -> String {
    let letters = figure.bytes().rev().take(2).filter(u8::is_ascii_alphabetic).count();
    let pad = 2 - letters;
    let shown: String = figure.chars().take(width - pad).collect();
    format!("{shown:>room$}{:pad$}", "", room = width - pad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_times_are_read() {
        for (text, expected) in [
            ("100", Some(100)),
            ("10k", Some(10_000)),
            ("1M", Some(1_000_000)),
            ("2g", Some(2_000_000_000)),
            (" 5 k", Some(5000)),
            ("+5", Some(5)),
            ("-5", Some(u64::MAX - 4)),
            ("1.5", None),
            ("5x", None),
            ("5kk", None),
            ("5s", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(read_count(text), expected, "{text:?}");
        }
        for (text, expected) in [
            ("10", Some(10)),
            ("10s", Some(10)),
            ("10S", Some(10)),
            ("2m", Some(120)),
            ("1h", Some(3600)),
            ("10ms", None),
            ("0.5s", None),
        ] {
            assert_eq!(read_seconds(text), expected, "{text:?}");
        }
    }

    #[test]
    fn figures_get_the_unit_from_85_percent_of_it_on() {
        for (number, shown) in [
            (0.0, "0.00"),
            (849.0, "849.00"),
            (850.0, "0.85k"),
            (1e6, "1.00M"),
            (9e16, "90000.00T"),
        ] {
            assert_eq!(count(number), shown);
        }
        for (number, shown) in
            [(99.0, "99.00us"), (850.0, "0.85ms"), (999_999.0, "1000.00ms"), (1e6, "1.00s")]
        {
            assert_eq!(time_us(number), shown);
        }
        assert_eq!([time_us(51e6), time_us(7200e6)], ["0.85m", "120.00m"]);
        assert_eq!([time_s(10.0), time_s(60.0), time_s(51.0)], ["10s", "1m", "1m"]);
        assert_eq!([count(f64::NAN), time_us(f64::NAN)], ["NaN", "NaNus"]);
        assert_eq!([bytes(1023.0), bytes(8_084_521.0)], ["1.00K", "7.71M"]);
    }

    #[test]
    fn columns_keep_room_for_units() {
        for (figure, width, shown) in [
            ("1.23ms", 8, "  1.23ms"),
            ("49.50k", 8, " 49.50k "),
            ("0.00", 8, "  0.00  "),
            ("1.02s", 10, "    1.02s "),
            ("123456789.00us", 8, "12345678"),
        ] {
            assert_eq!(column(figure, width), shown);
        }
    }
}
