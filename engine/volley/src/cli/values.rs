//! Parsers of single values. Each error describes a valid one.

use std::net::Ipv4Addr;
use std::str::FromStr;
use std::time::Duration;
use volley_load::schedule::Stage;
use volley_net::url::{Authority, Url};
use volley_protocol::{BodyRule, JsonShape, LengthRule};
use volley_tls::Config;

/// Higher rates are typing errors: no machine sends them.
const MAX_RATE: f64 = 1e9;

/// The value of one `--stage`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StageArg {
    /// Duration and levels.
    pub stage: Stage,
    /// The unit of the levels.
    pub unit: Unit,
}

/// The unit of a stage's levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Requests per second.
    PerSecond,
    /// Connections.
    Connections,
}

impl StageArg {
    /// Reads `TIME:LEVEL` or `TIME:FROM-TO`, with a trailing `c` for connections.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || "it takes TIME:LEVEL or TIME:FROM-TO, like 10s:1000 or 10s:8-64c".to_owned();
        let (duration, levels) = text.split_once(':').ok_or_else(wrong)?;
        let (levels, unit) = match levels.strip_suffix('c') {
            Some(levels) => (levels, Unit::Connections),
            None => (levels, Unit::PerSecond),
        };
        let (from, to) = levels.split_once('-').unwrap_or((levels, levels));
        let level = |text| match (number(text), unit) {
            (Some(level), Unit::PerSecond) if level <= MAX_RATE => Ok(level),
            (Some(level), Unit::Connections) if level.fract() == 0.0 => Ok(level),
            _ => Err(wrong()),
        };
        let duration_ns = nanoseconds(time(duration).map_err(|_| wrong())?);
        let stage = Stage { duration_ns, from: level(from)?, to: level(to)? };
        Ok(Self { stage, unit })
    }
}

/// The addresses of `--source`, including the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceRange {
    /// The first address.
    pub first: Ipv4Addr,
    /// The last address, not below the first.
    pub last: Ipv4Addr,
}

impl SourceRange {
    /// Reads `ADDRESS` or `FIRST-LAST`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (first.parse(), last.parse()) {
            (Ok(first), Ok(last)) if first <= last => Ok(Self { first, last }),
            _ => Err("it takes an IPv4 address or a rising range of them, like 127.0.0.2 or \
                      127.0.0.2-127.0.0.9"
                .into()),
        }
    }
}

/// A count.
pub(super) fn at_least_1<N: FromStr + Default + PartialOrd>(text: &str) -> Result<N, String> {
    match text.parse() {
        Ok(number) if number > N::default() => Ok(number),
        _ => Err("it takes a whole number, 1 or more".into()),
    }
}

/// Requests per second.
pub(super) fn rate(text: &str) -> Result<f64, String> {
    number(text)
        .filter(|&rate| rate > 0.0 && rate <= MAX_RATE)
        .ok_or_else(|| "it takes requests per second above 0, like 1000 or 0.5".into())
}

/// A time span: a number of seconds, or with a unit of ms, s, m or h.
pub(super) fn time(text: &str) -> Result<Duration, String> {
    span(text)
        .filter(|&time| time >= Duration::from_millis(1))
        .ok_or_else(|| "it takes a time above 0, like 10, 10s, 500ms or 2m".into())
}

/// The same, or zero.
pub(super) fn time_or_0(text: &str) -> Result<Duration, String> {
    span(text).ok_or_else(|| "it takes a time, like 0, 200ms or 2s".into())
}

/// A share of packets that is less than all.
pub(super) fn loss(text: &str) -> Result<f64, String> {
    text.strip_suffix('%')
        .and_then(number)
        .map(|percent| percent / 100.0)
        .filter(|&share| share < 1.0)
        .ok_or_else(|| "it takes a share of packets below 100%, like 0.1%".into())
}

fn span(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (count, unit) = text.split_at(digits);
    let seconds = match unit {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    let time = Duration::try_from_secs_f64(number(count)? * seconds).ok()?;
    (time.as_secs() < 1_000_000_000).then_some(time)
}

/// A time in nanoseconds; all values of flags fit.
pub fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Digits with or without a point, and nothing else.
fn number(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if plain { text.parse().ok() } else { None }
}

pub(super) fn header(text: &str) -> Result<(String, String), String> {
    match text.split_once(':') {
        Some((name, value)) => Ok((name.to_owned(), value.trim().to_owned())),
        None => Err("it takes NAME: VALUE".into()),
    }
}

pub(super) fn cookie(text: &str) -> Result<String, String> {
    match text.split_once('=') {
        Some((name, _)) if !name.is_empty() => Ok(text.to_owned()),
        _ => Err("it takes NAME=VALUE".into()),
    }
}

pub(super) fn user(text: &str) -> Result<String, String> {
    if text.contains(':') { Ok(text.to_owned()) } else { Err("it takes NAME:PASSWORD".into()) }
}

pub(super) fn status(text: &str) -> Result<u16, String> {
    match text.parse() {
        Ok(status @ 100..600) => Ok(status),
        _ => Err("it takes a status from 100 to 599".into()),
    }
}

/// A number of bytes, or a range of it.
pub(super) fn length(text: &str) -> Result<LengthRule, String> {
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    match (least.parse(), most.parse()) {
        (Ok(least), Ok(most)) if least == most => Ok(LengthRule::Exactly(least)),
        (Ok(least), Ok(most)) if least < most => Ok(LengthRule::Between(least, most)),
        _ => Err("it takes a number of bytes or a rising range, like 13 or 10-2000".into()),
    }
}

pub(super) fn shape(text: &str) -> Result<JsonShape, String> {
    JsonShape::parse(text).map_err(|error| format!("it takes a shape in JSON: {error}"))
}

pub(super) fn sha256(text: &str) -> Result<BodyRule, String> {
    BodyRule::from_hex(text).ok_or_else(|| "it takes 64 hexadecimal digits".into())
}

/// The names that a certificate may be for.
pub(super) fn server_name(text: &str) -> Result<String, String> {
    if Config::is_name(text) {
        Ok(text.to_owned())
    } else {
        Err("it takes a host's name or address, like a.example or 127.0.0.1".into())
    }
}

/// A host and a port.
pub(super) fn place(text: &str) -> Result<Authority, String> {
    let authority = Authority::parse(text)?;
    match authority.port {
        Some(_) => Ok(authority),
        None => Err("it takes HOST:PORT, like 127.0.0.1:8080".into()),
    }
}

/// `http://host:port` without a path.
pub(super) fn proxy(text: &str) -> Result<Authority, String> {
    let url = Url::parse(text)?;
    if url.path == "/" && !url.is_tls && !url.is_websocket {
        Ok(url.authority)
    } else {
        Err("it takes http://HOST:PORT, without a path".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volley_net::clock::S;

    #[test]
    fn times_have_units() {
        let ms = |text| time(text).map(|time| time.as_millis());
        let right = [("10", 10_000), ("10s", 10_000), ("500ms", 500), ("2m", 120_000)];
        for (text, expected) in right {
            assert_eq!(ms(text), Ok(expected), "{text}");
        }
        assert_eq!((ms("0.25"), ms("1.5h")), (Ok(250), Ok(5_400_000)));
        for text in ["", "s", "0", "-1", "1d", "1 s", "1.2.3", "1e9", "99999999999999", "nan", "ms"]
        {
            assert!(time(text).is_err(), "{text:?}");
        }
        assert_eq!(time_or_0("0"), Ok(Duration::ZERO));
    }

    #[test]
    fn a_loss_is_a_share_with_its_sign() {
        assert_eq!((loss("0%"), loss("0.1%"), loss("50%")), (Ok(0.0), Ok(0.001), Ok(0.5)));
        for text in ["", "%", "0.1", "-1%", "100%", "1e1%", "nan%", "1 %"] {
            assert!(loss(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_stage_counts_requests_or_connections() {
        let stage = |text| {
            let StageArg { stage: Stage { duration_ns, from, to }, unit } =
                StageArg::parse(text).unwrap();
            (duration_ns / S, from.to_string(), to.to_string(), unit)
        };
        let is = |seconds, from: &str, to: &str, unit| (seconds, from.into(), to.into(), unit);
        assert_eq!(stage("10s:1000"), is(10, "1000", "1000", Unit::PerSecond));
        assert_eq!(stage("30:0-0.5"), is(30, "0", "0.5", Unit::PerSecond));
        assert_eq!(stage("2m:64c"), is(120, "64", "64", Unit::Connections));
        assert_eq!(stage("1h:512-64c"), is(3600, "512", "64", Unit::Connections));
    }

    #[test]
    fn a_source_is_one_address_or_a_range() {
        let range = |text| SourceRange::parse(text).map(|range| (range.first, range.last));
        let address = |last| Ipv4Addr::new(127, 0, 0, last);
        assert_eq!(range("127.0.0.2"), Ok((address(2), address(2))));
        assert_eq!(range("127.0.0.2-127.0.0.9"), Ok((address(2), address(9))));
    }
}
