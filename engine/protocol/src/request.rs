//! Requests, rendered to bytes once and sent many times.

use crate::ws::Message;
use bytes::Bytes;
use std::fmt;
use std::sync::Arc;

/// A request.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// A token such as `GET`.
    pub method: String,
    /// The request target in origin form, `/path?query`.
    pub path: String,
    /// The value of the `Host` field.
    pub host: String,
    /// Further fields in order. The fields that frame the message are refused: they are ours.
    pub headers: Vec<(String, String)>,
    /// The body; empty for none. Cloning it shares the bytes.
    pub body: Bytes,
    /// Whether to ask the server to close the connection after its answer.
    pub close: bool,
    /// The version of HTTP.
    pub version: Version,
    /// Whether the request goes to a proxy: the target is in absolute form, `http://host/path`.
    pub proxied: bool,
    /// The message that is sent again and again, if this is an upgrade to WebSocket.
    pub message: Option<Arc<Message>>,
}

/// A version of HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Version {
    /// HTTP/1.0: a server keeps the connection only on request.
    Http10,
    /// HTTP/1.1.
    #[default]
    Http11,
}

/// Why a request cannot be sent as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestError {
    /// The method is not a token.
    Method(String),
    /// The path does not start with `/` or contains a space or control character.
    Path(String),
    /// The host is empty or contains a character that a field value may not have.
    Host(String),
    /// A field's name is not a token.
    HeaderName(String),
    /// A field's value contains a control character.
    HeaderValue(String),
    /// A field that the engine writes itself.
    Ours(String),
    /// A field that asks for bodies that cannot be inspected.
    Hides(String),
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Method(got) => {
                write!(f, "`method` is {got:?}, but it must be a word such as GET")
            }
            Self::Path(got) => {
                write!(f, "`path` is {got:?}, but it must start with / and hold no spaces")
            }
            Self::Host(got) => write!(f, "`host` is {got:?}, but it must be a host name"),
            Self::HeaderName(got) => {
                write!(f, "header {got:?} has no valid name; a header is NAME: VALUE")
            }
            Self::HeaderValue(name) => {
                write!(f, "header `{name}` has a control character in its value")
            }
            Self::Ours(name) => write!(f, "header `{name}` is written by the engine: leave it out"),
            Self::Hides(name) => write!(
                f,
                "header `{name}` asks for compressed bodies, but what they contain, match or have \
                 as JSON is looked for in the bytes as they come: leave it out"
            ),
        }
    }
}

impl std::error::Error for RequestError {}

impl Request {
    /// The bytes to send, or what is wrong with the request.
    ///
    /// `Host` comes first. `Content-Length` is present if the body is not empty, and with POST, PUT
    /// and PATCH also for an empty one, since servers may answer 411 without it. `Connection` is
    /// present to close, and in HTTP/1.0 to keep.
    pub fn render(&self) -> Result<Vec<u8>, RequestError> {
        let mut bytes = self.render_head()?;
        bytes.extend_from_slice(&self.body);
        Ok(bytes)
    }

    /// The same without the body.
    pub fn render_head(&self) -> Result<Vec<u8>, RequestError> {
        self.validate()?;
        let mut bytes = Vec::with_capacity(256);
        let mut line = |parts: &[&str]| {
            for part in parts {
                bytes.extend_from_slice(part.as_bytes());
            }
            bytes.extend_from_slice(b"\r\n");
        };
        let (scheme, authority) =
            if self.proxied { ("http://", self.host.as_str()) } else { ("", "") };
        line(&[&self.method, " ", scheme, authority, &self.path, " ", self.version.words()]);
        line(&["Host: ", &self.host]);
        for (name, value) in &self.headers {
            line(&[name, ": ", value]);
        }
        if let Some(length) = self.content_length() {
            line(&["Content-Length: ", &length.to_string()]);
        }
        if let Some(option) = self.connection() {
            line(&["Connection: ", option]);
        }
        line(&[]);
        Ok(bytes)
    }

    /// The value of the `Content-Length` field, where we write one.
    pub(crate) fn content_length(&self) -> Option<usize> {
        let is_told =
            !self.body.is_empty() || matches!(self.method.as_str(), "POST" | "PUT" | "PATCH");
        is_told.then_some(self.body.len())
    }

    /// The value of the `Connection` field, where we write one.
    fn connection(&self) -> Option<&'static str> {
        match (self.close, self.version) {
            (true, _) => Some("close"),
            (false, Version::Http10) => Some("keep-alive"),
            (false, Version::Http11) => None,
        }
    }

    /// Whether answers to this request have no body, whatever their fields say.
    pub fn is_head(&self) -> bool {
        self.method == "HEAD"
    }

    /// Whether its method is a safe one: it changes nothing, however often it arrives (RFC 9110,
    /// section 9.2.1).
    pub fn is_safe(&self) -> bool {
        matches!(self.method.as_str(), "GET" | "HEAD" | "OPTIONS" | "TRACE")
    }

    pub(crate) fn validate(&self) -> Result<(), RequestError> {
        // CONNECT turns the connection into a tunnel: its answer cannot be framed.
        if !is_token(&self.method) || self.method == "CONNECT" {
            return Err(RequestError::Method(self.method.clone()));
        }
        if !self.path.starts_with('/') || !self.path.bytes().all(|byte| byte > b' ' && byte != 127)
        {
            return Err(RequestError::Path(self.path.clone()));
        }
        if self.host.is_empty() || !self.host.bytes().all(|byte| byte > b' ' && byte != 127) {
            return Err(RequestError::Host(self.host.clone()));
        }
        self.headers.iter().try_for_each(|(name, value)| self.validate_header(name, value))
    }

    fn validate_header(&self, name: &str, value: &str) -> Result<(), RequestError> {
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        if !is_token(name) {
            return Err(RequestError::HeaderName(name.to_owned()));
        }
        if is("host")
            || is("content-length")
            || is("transfer-encoding")
            || (is("connection") && self.connection().is_some())
        {
            return Err(RequestError::Ours(name.to_owned()));
        }
        if value.bytes().any(|byte| (byte < b' ' && byte != b'\t') || byte == 127) {
            return Err(RequestError::HeaderValue(name.to_owned()));
        }
        Ok(())
    }
}

impl Version {
    fn words(self) -> &'static str {
        match self {
            Self::Http10 => "HTTP/1.0",
            Self::Http11 => "HTTP/1.1",
        }
    }
}

fn is_token(text: &str) -> bool {
    let symbol = |byte| b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || symbol(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get() -> Request {
        Request {
            method: "GET".into(),
            path: "/a?b=1".into(),
            host: "localhost:1".into(),
            ..Request::default()
        }
    }

    #[test]
    fn renders_the_fields_in_order() {
        let request = Request { headers: vec![("Accept".into(), "*/*".into())], ..get() };
        let expected = b"GET /a?b=1 HTTP/1.1\r\nHost: localhost:1\r\nAccept: */*\r\n\r\n";
        assert_eq!(request.render().unwrap(), expected);
    }

    #[test]
    fn a_body_has_a_length_and_close_is_asked_for() {
        let request = Request { method: "POST".into(), body: "xyz".into(), close: true, ..get() };
        let expected = b"POST /a?b=1 HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: 3\r\n\
            Connection: close\r\n\r\nxyz";
        assert_eq!(request.render().unwrap(), expected);
    }

    #[test]
    fn http_1_0_asks_to_keep_the_connection() {
        let request = Request { version: Version::Http10, ..get() };
        let expected =
            b"GET /a?b=1 HTTP/1.0\r\nHost: localhost:1\r\nConnection: keep-alive\r\n\r\n";
        assert_eq!(request.render().unwrap(), expected);
        let request = Request { close: true, ..request };
        let expected = b"GET /a?b=1 HTTP/1.0\r\nHost: localhost:1\r\nConnection: close\r\n\r\n";
        assert_eq!(request.render().unwrap(), expected);
    }

    #[test]
    fn a_proxy_is_told_the_whole_url() {
        let request = Request { proxied: true, ..get() };
        let expected = b"GET http://localhost:1/a?b=1 HTTP/1.1\r\nHost: localhost:1\r\n\r\n";
        assert_eq!(request.render().unwrap(), expected);
    }

    #[test]
    fn an_empty_post_has_a_length_too() {
        let bytes = Request { method: "POST".into(), ..get() }.render().unwrap();
        assert!(bytes.windows(19).any(|part| part == b"Content-Length: 0\r\n"), "{bytes:?}");
    }

    #[test]
    fn what_would_break_the_framing_is_refused() {
        let with = |name: &str, value: &str| Request {
            headers: vec![(name.into(), value.into())],
            ..get()
        };
        let cases = [
            (Request { method: "G T".into(), ..get() }, RequestError::Method("G T".into())),
            (Request { method: "CONNECT".into(), ..get() }, RequestError::Method("CONNECT".into())),
            (Request { path: "a".into(), ..get() }, RequestError::Path("a".into())),
            (Request { path: "/ x".into(), ..get() }, RequestError::Path("/ x".into())),
            (Request { host: String::new(), ..get() }, RequestError::Host(String::new())),
            (with("A:", "b"), RequestError::HeaderName("A:".into())),
            (with("A", "b\r\nC: d"), RequestError::HeaderValue("A".into())),
            (with("host", "b"), RequestError::Ours("host".into())),
            (with("Content-Length", "1"), RequestError::Ours("Content-Length".into())),
        ];
        for (request, error) in cases {
            assert_eq!(request.render(), Err(error));
        }
        let kept = with("Connection", "keep-alive");
        assert!(kept.render().is_ok());
        let ours = Err(RequestError::Ours("Connection".into()));
        assert_eq!(Request { close: true, ..kept.clone() }.render(), ours);
        assert_eq!(Request { version: Version::Http10, ..kept }.render(), ours);
    }
}
