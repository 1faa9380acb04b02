//! A URL's parts, as wrk splits them.

use volley_net::url::split_authority;

/// `scheme://host:port/path`, each part as written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Url {
    pub(crate) scheme: String,
    /// IPv6 without its brackets.
    pub(crate) host: String,
    pub(crate) port: Option<String>,
    /// With query and fragment; `/` if there is no path, even if there is a query.
    pub(crate) path: String,
}

impl Url {
    /// `None`: this is not a URL, or has no scheme or host.
    pub(crate) fn parse(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let is_scheme = !scheme.is_empty() && scheme.bytes().all(|b| b.is_ascii_alphabetic());
        let is_shown = |text: &str| text.bytes().all(|b| b > b' ' && b != 0x7f);
        if !is_scheme || !is_shown(rest) {
            return None;
        }
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        // wrk ignores user and password.
        let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let (host, port) = split_authority(authority).ok()?;
        let is_name = |b: u8| b.is_ascii_alphanumeric() || b".-_".contains(&b);
        let is_v6 = authority.starts_with('[');
        let is_allowed = |b: u8| {
            if is_v6 { b.is_ascii_hexdigit() || b":.%".contains(&b) } else { is_name(b) }
        };
        if host.is_empty() || !host.bytes().all(is_allowed) {
            return None;
        }
        if let Some(port) = port {
            let digits = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
            let number: u32 = port.parse().ok().filter(|_| digits)?;
            if number > 0xffff {
                return None;
            }
        }
        Some(Self {
            scheme: scheme.to_owned(),
            host: host.to_owned(),
            port: port.map(str::to_owned),
            path: if path.starts_with('/') { path.to_owned() } else { "/".to_owned() },
        })
    }

    /// The port's number, or the scheme as its name.
    pub(crate) fn service(&self) -> &str {
        self.port.as_deref().unwrap_or(&self.scheme)
    }

    /// Whether it uses TLS.
    pub(crate) fn is_tls(&self) -> bool {
        self.scheme.starts_with("https")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_as_written() {
        for (text, scheme, host, service, path) in [
            ("http://a", "http", "a", "http", "/"),
            ("http://a:81/x?y#z", "http", "a", "81", "/x?y#z"),
            ("https://a_b?x", "https", "a_b", "https", "/"),
            ("http://u:p@a:5/", "http", "a", "5", "/"),
            ("http://[::1]:8080/", "http", "::1", "8080", "/"),
            ("ftp://127.0.0.1:21", "ftp", "127.0.0.1", "21", "/"),
        ] {
            let url = Url::parse(text).unwrap();
            let parts = (&*url.scheme, &*url.host, url.service(), &*url.path);
            assert_eq!(parts, (scheme, host, service, path), "{text}");
        }
    }

    #[test]
    fn what_is_no_url_is_none() {
        for text in [
            "a",
            "",
            "http:/a",
            "://a",
            "http://",
            "http:///x",
            "http://:80/",
            "http://a:/",
            "http://a:99999/",
            "http://a:x/",
            "http://a b/",
            "http://a/ x",
            "http://[::1/",
            "http://[::1]x/",
            "h2://a/",
        ] {
            assert_eq!(Url::parse(text), None, "{text}");
        }
    }
}
