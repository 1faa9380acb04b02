//! The kernel's counters of UDP in this network namespace.

use std::fs;

/// How many datagrams the namespace has dropped so far because a socket had no room for them.
/// `None`: the kernel does not report it.
pub fn dropped() -> Option<u64> {
    let v4 = of_v4(&fs::read_to_string("/proc/net/snmp").ok()?)?;
    let v6 = fs::read_to_string("/proc/net/snmp6").ok();
    Some(v4 + v6.and_then(|text| of_v6(&text)).unwrap_or(0))
}

/// A line of names and one of numbers.
fn of_v4(text: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("Udp: "));
    let at = lines.next()?.split(' ').position(|name| name == "RcvbufErrors")?;
    lines.next()?.split(' ').nth(at)?.parse().ok()
}

/// A name and a number on each line.
fn of_v6(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("Udp6RcvbufErrors"))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_are_found_by_their_names() {
        let v4 = "Tcp: A B\nTcp: 1 2\nUdp: InDatagrams RcvbufErrors SndbufErrors\nUdp: 5 7 9\n";
        assert_eq!(of_v4(v4), Some(7));
        assert_eq!(of_v4("Udp: InDatagrams\nUdp: 5\n"), None);
        assert_eq!(of_v6("Udp6InErrors   \t3\nUdp6RcvbufErrors    \t4\n"), Some(4));
        assert_eq!(of_v6(""), None);
    }
}
