//! The bytes of the request.

use super::exit::Exit;
use super::options::{Method, Options};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use volley_net::errors::io_words;

/// ab's request without a body is shorter than this.
const MOST_BYTES: usize = 8192;

/// Credentials in base64 are shorter than this.
const MOST_CREDENTIALS: usize = 1024;

/// The request's head.
pub(super) fn head(options: &Options) -> Result<Vec<u8>, Exit> {
    let mut head = Vec::new();
    let mut add = |parts: &[&[u8]]| parts.iter().for_each(|part| head.extend_from_slice(part));
    let path = if options.proxy.is_some() { &options.url.typed } else { &options.url.path };
    add(&[options.method.name(), b" ", path, b" HTTP/1.0\r\n"]);
    if options.keep_alive {
        add(&[b"Connection: Keep-Alive\r\n"]);
    }
    add(&[&options.cookie, &options.credentials]);
    if let Some(body) = &options.body {
        let content_type = options.content_type.as_deref().unwrap_or(b"text/plain");
        add(&[b"Content-length: ", body.len().to_string().as_bytes(), b"\r\n"]);
        add(&[b"Content-type: ", content_type, b"\r\n"]);
    }
    add(&[&options.headers]);
    if options.host.is_none() {
        add(&[b"Host: ", options.url.host_field().as_bytes(), b"\r\n"]);
    }
    if !options.has_user_agent {
        add(&[b"User-Agent: ApacheBench/2.3\r\n"]);
    }
    if !options.has_accept {
        add(&[b"Accept: */*\r\n"]);
    }
    add(&[b"\r\n"]);
    if head.len() >= MOST_BYTES {
        return Err(Exit::error("Request too long\n"));
    }
    Ok(head)
}

impl Method {
    pub(super) fn name(&self) -> &[u8] {
        match self {
            Self::Get => b"GET",
            Self::Head => b"HEAD",
            Self::Post => b"POST",
            Self::Put => b"PUT",
            Self::Other(name) => name,
        }
    }
}

/// The content of a file, as far as the system knows its size.
pub(super) fn body(file: &OsStr) -> Result<Vec<u8>, Exit> {
    let name = file.to_string_lossy();
    let fail = |what: &str, error: &io::Error| Exit {
        status: 1,
        message: format!("ab: Could not {what}: {}\n", io_words(error)),
        done: 0,
    };
    let mut opened =
        File::open(file).map_err(|error| fail(&format!("open POST data file ({name})"), &error))?;
    let size = opened
        .metadata()
        .map_err(|error| fail(&format!("stat POST data file ({name})"), &error))?
        .len();
    let mut bytes = Vec::new();
    opened
        .by_ref()
        .take(size)
        .read_to_end(&mut bytes)
        .map_err(|error| fail("read POST data file", &error))?;
    if (bytes.len() as u64) < size {
        let shorter = io::Error::other("End of file found");
        return Err(fail("read POST data file", &shorter));
    }
    Ok(bytes)
}

/// The line for `-A`.
pub(super) fn authorization(credentials: &[u8]) -> Result<Vec<u8>, Exit> {
    basic("Authorization", "Authentication", credentials)
}

/// The line for `-P`.
pub(super) fn proxy_authorization(credentials: &[u8]) -> Result<Vec<u8>, Exit> {
    basic("Proxy-Authorization", "Proxy", credentials)
}

fn basic(header: &str, whose: &str, credentials: &[u8]) -> Result<Vec<u8>, Exit> {
    let encoded = STANDARD.encode(credentials.trim_ascii_start());
    if encoded.len() >= MOST_CREDENTIALS {
        return Err(Exit::error(&format!("{whose} credentials too long\n")));
    }
    Ok(format!("{header}: Basic {encoded}\r\n").into_bytes())
}

#[cfg(test)]
mod tests {
    use super::super::arguments::tests::options;
    use super::*;

    fn of(line: &str) -> String {
        String::from_utf8(head(&options(line)).unwrap()).unwrap()
    }

    /// The header lines of each request, unless an option replaces them.
    const USUAL: &str = "Host: h\r\nUser-Agent: ApacheBench/2.3\r\nAccept: */*\r\n\r\n";

    #[test]
    fn lines_come_in_ab_s_order() {
        assert_eq!(of("http://h/x?y"), format!("GET /x?y HTTP/1.0\r\n{USUAL}"));
        assert_eq!(
            of("-H A:1 -k -C a=1 -C b=2 -P p:w -A u:p -H B:2 h/"),
            format!(
                "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\nCookie: b=2\r\n\
                 Proxy-Authorization: Basic cDp3\r\nAuthorization: Basic dTpw\r\n\
                 A:1\r\nB:2\r\n{USUAL}"
            )
        );
        assert_eq!(
            of("-T a/b -C a=1 -H A:1 -p /dev/null h/"),
            format!(
                "POST / HTTP/1.0\r\nCookie: a=1\r\nContent-length: 0\r\nContent-type: a/b\r\n\
                 A:1\r\n{USUAL}"
            )
        );
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let line = format!("-H {} h/", "a".repeat(9000));
        assert_eq!(head(&options(&line)).unwrap_err().message, "Request too long\n\n");
        assert!(authorization("a".repeat(767).as_bytes()).is_err());
        assert!(authorization("a".repeat(765).as_bytes()).is_ok());
    }
}
