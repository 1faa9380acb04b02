//! URLs as ab parses them: a host, perhaps a port, and everything from the first slash on.

use std::net::Ipv6Addr;

/// A URL's parts.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Url {
    pub(super) is_tls: bool,
    /// Without the brackets of an IPv6 address.
    pub(super) host: String,
    pub(super) port: u16,
    /// Path, query and fragment.
    pub(super) path: Vec<u8>,
    /// The URL as typed, for a proxy.
    pub(super) typed: Vec<u8>,
}

impl Url {
    /// Returns `None` if this is not a URL.
    pub(super) fn parse(typed: &[u8]) -> Option<Self> {
        let after = |scheme: &[u8]| typed.strip_prefix(scheme).filter(|rest| !rest.is_empty());
        let (is_tls, rest) = match (after(b"http://"), after(b"https://")) {
            (Some(rest), _) => (false, rest),
            (None, Some(rest)) => (true, rest),
            (None, None) => (false, typed),
        };
        let slash = rest.iter().position(|&byte| byte == b'/')?;
        let (authority, path) = rest.split_at(slash);
        let (host, port) = split_port(&String::from_utf8_lossy(authority))?;
        let port = port.unwrap_or(if is_tls { 443 } else { 80 });
        Some(Self { is_tls, host, port, path: path.to_vec(), typed: typed.to_vec() })
    }

    /// The value of `Host`.
    pub(super) fn host_field(&self) -> String {
        let Self { host, port, .. } = self;
        let host = if host.contains(':') && host.parse::<Ipv6Addr>().is_ok() {
            format!("[{host}]")
        } else {
            host.clone()
        };
        if *port == if self.is_tls { 443 } else { 80 } { host } else { format!("{host}:{port}") }
    }
}

/// A host and the port after its last colon, as apr separates them.
fn split_port(text: &str) -> Option<(String, Option<u16>)> {
    let host_and_colon = text.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let digits = &text[host_and_colon.len()..];
    let (host, port) = match host_and_colon.strip_suffix(':') {
        _ if host_and_colon.is_empty() => return None,
        Some(host) if !digits.is_empty() => {
            (host, Some(digits.parse().ok().filter(|&port: &u16| port > 0)?))
        }
        _ => (text, None),
    };
    let host = match host.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']').filter(|host| host.parse::<Ipv6Addr>().is_ok())?,
        None => host,
    };
    (!host.is_empty()).then(|| (host.to_owned(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_a_host_perhaps_a_port_and_all_from_the_first_slash() {
        for (typed, host, port, path, field) in [
            ("http://h/", "h", 80, "/", "h"),
            ("h/", "h", 80, "/", "h"),
            ("h:8080/a?b#c", "h", 8080, "/a?b#c", "h:8080"),
            ("https://h/", "h", 443, "/", "h"),
            ("https://h:80/", "h", 80, "/", "h:80"),
            ("http://[::1]:81/", "::1", 81, "/", "[::1]:81"),
            ("[::1]/", "::1", 80, "/", "[::1]"),
            ("ftp://h/", "ftp:", 80, "//h/", "ftp:"),
            ("http://", "http:", 80, "//", "http:"),
            ("http://me@h/", "me@h", 80, "/", "me@h"),
            ("HTTP://h/", "HTTP:", 80, "//h/", "HTTP:"),
        ] {
            let url = Url::parse(typed.as_bytes()).unwrap_or_else(|| panic!("{typed}"));
            let read = (url.host.as_str(), url.port, url.path.as_slice());
            assert_eq!(read, (host, port, path.as_bytes()), "{typed}");
            assert_eq!(url.host_field(), field, "{typed}");
            assert_eq!(url.typed, typed.as_bytes());
        }
    }
}
