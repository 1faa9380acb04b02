//! `http://host:port/path?query`, `https://…`, `ws://…` and `wss://…`, as far as a load generator
//! needs them.

use std::fmt;

/// A URL's parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// `https` or `wss`: requests travel in TLS.
    pub is_tls: bool,
    /// `ws` or `wss`: messages are sent, not requests.
    pub is_websocket: bool,
    /// The host and port of the server.
    pub authority: Authority,
    /// Path and query; never empty.
    pub path: String,
}

/// A host, with or without a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authority {
    /// The name or address alone, IPv6 without its brackets.
    pub host: String,
    /// As written.
    pub port: Option<u16>,
}

impl Url {
    /// Reads a URL. The error describes a valid one.
    pub fn parse(text: &str) -> Result<Self, String> {
        let Some((scheme, rest)) = text.split_once("://") else {
            return Err(format!("a URL starts with http:// or https://, as in http://{text}"));
        };
        let (is_tls, is_websocket) = match scheme.to_ascii_lowercase().as_str() {
            "http" => (false, false),
            "https" => (true, false),
            "ws" => (false, true),
            "wss" => (true, true),
            _ => {
                return Err(format!(
                    "{scheme}:// is not supported, only http:// and https://, ws:// and wss://"
                ));
            }
        };
        let rest = rest.split('#').next().unwrap_or_default();
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        if authority.contains('@') {
            return Err("user and password in the URL are not supported; use --user".into());
        }
        let authority = Authority::parse(authority)?;
        if let Some(wrong) = path.chars().find(|&c| !c.is_ascii_graphic()) {
            return Err(format!("the path holds {wrong:?}: write it percent-encoded"));
        }
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        Ok(Self { is_tls, is_websocket, authority, path })
    }

    /// The port as written, or the default port of the scheme.
    pub fn port(&self) -> u16 {
        self.authority.port.unwrap_or(if self.is_tls { 443 } else { 80 })
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_websocket { "ws" } else { "http" };
        let sealed = if self.is_tls { "s" } else { "" };
        write!(f, "{scheme}{sealed}://{}{}", self.authority, self.path)
    }
}

impl Authority {
    /// Reads `host`, `host:port`, `[v6]` or `[v6]:port`. The error describes a valid one.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (host, port) = split_authority(text)?;
        if host.is_empty() {
            return Err("the host is missing".into());
        }
        let port = match port {
            None | Some("") => None,
            Some(text) => match text.parse() {
                Ok(port) if port > 0 && text.bytes().all(|byte| byte.is_ascii_digit()) => {
                    Some(port)
                }
                _ => return Err(format!("port {text:?} is not a number from 1 to 65535")),
            },
        };
        Ok(Self { host: host.to_owned(), port })
    }
}

/// Host and port as written, of `host`, `host:port`, `[v6]` or `[v6]:port`.
pub fn split_authority(text: &str) -> Result<(&str, Option<&str>), String> {
    let Some(rest) = text.strip_prefix('[') else {
        let split = text.split_once(':');
        return Ok(split.map_or((text, None), |(host, port)| (host, Some(port))));
    };
    let (host, rest) = rest.split_once(']').ok_or("an IPv6 address ends with ]")?;
    match rest.strip_prefix(':') {
        None if !rest.is_empty() => Err(format!("{rest:?} behind the ]")),
        port => Ok((host, port)),
    }
}

impl fmt::Display for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port } = self;
        if host.contains(':') { write!(f, "[{host}]") } else { write!(f, "{host}") }?;
        port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

#[cfg(test)]
mod tests {
    use super::Url;

    #[test]
    fn reads_the_parts() {
        let parts = |text| {
            let url = Url::parse(text).unwrap();
            (url.authority.to_string(), url.authority.host.clone(), url.port(), url.path)
        };
        let is = |a: &str, h: &str, port, p: &str| (a.into(), h.into(), port, p.into());
        assert_eq!(parts("http://a"), is("a", "a", 80, "/"));
        assert_eq!(parts("HTTP://a:81/x?y#z"), is("a:81", "a", 81, "/x?y"));
        assert_eq!(parts("http://a?b"), is("a", "a", 80, "/?b"));
        assert_eq!(parts("http://[::1]:8/"), is("[::1]:8", "::1", 8, "/"));
        assert_eq!(parts("http://[::1]"), is("[::1]", "::1", 80, "/"));
        assert_eq!(parts("https://a"), is("a", "a", 443, "/"));
        assert_eq!(parts("HTTPS://a:80/x"), is("a:80", "a", 80, "/x"));
        assert_eq!(parts("ws://a"), is("a", "a", 80, "/"));
        assert_eq!(parts("wss://a/x"), is("a", "a", 443, "/x"));
    }

    #[test]
    fn the_scheme_is_kept() {
        for text in ["http://a:81/x", "https://a/x?y", "ws://a/", "wss://a/x"] {
            assert_eq!(Url::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn says_what_is_wrong() {
        for (text, part) in [
            ("localhost:80", "http://localhost:80"),
            ("ftp://a/", "ftp://"),
            ("http://", "host is missing"),
            ("http://:80/", "host is missing"),
            ("http://a:0/", "port \"0\""),
            ("http://a:+1/", "port \"+1\""),
            ("http://a:99999/", "65535"),
            ("http://[::1/", "]"),
            ("http://[::1]x/", "behind"),
            ("http://u:p@a/", "--user"),
            ("http://a/ b", "percent-encoded"),
            ("http://a/é", "percent-encoded"),
        ] {
            let error = Url::parse(text).unwrap_err();
            assert!(error.contains(part), "{text:?} gave {error:?}");
        }
    }
}
