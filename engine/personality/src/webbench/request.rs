//! webbench's request, and its destination.

use super::arguments::{Arguments, HostPort, Http, Method, PORT};
use crate::getopt::atoi;

/// The longest accepted URL, in bytes.
const LONGEST_URL: usize = 1500;

/// A request and its destination.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) bytes: Vec<u8>,
    pub(super) to: HostPort,
    /// The version that the request really has: not each method exists in all versions.
    pub(super) http: Http,
}

/// The error describes what is wrong with the URL.
pub(super) fn build(arguments: &Arguments) -> Result<Request, String> {
    let Arguments { url, method, proxy, reload, .. } = arguments;
    let (host, path) = take_apart(arguments)?;
    let http = version(arguments);
    let target = if proxy.is_some() { url.as_str() } else { path };
    let mut head = format!("{} {target}", method.name());
    head.push_str(match http {
        Http::V0_9 => "\r\n",
        Http::V1_0 => " HTTP/1.0\r\n",
        Http::V1_1 => " HTTP/1.1\r\n",
    });
    if http > Http::V0_9 {
        head.push_str("User-Agent: WebBench 1.5\r\n");
        if proxy.is_none() {
            // Without the port, even if it isn't 80.
            head.extend(["Host: ", &host.host, "\r\n"]);
        } else if *reload {
            head.push_str("Pragma: no-cache\r\n");
        }
        if http > Http::V1_0 {
            head.push_str("Connection: close\r\n");
        }
        head.push_str("\r\n");
    }
    let to = proxy.clone().unwrap_or(host);
    Ok(Request { bytes: head.into_bytes(), to, http })
}

/// The requested version, or the lowest that has the method.
fn version(arguments: &Arguments) -> Http {
    arguments.http.max(match arguments.method {
        Method::Options | Method::Trace => Http::V1_1,
        Method::Head => Http::V1_0,
        Method::Get if arguments.reload && arguments.proxy.is_some() => Http::V1_0,
        Method::Get => Http::V0_9,
    })
}

/// The URL's host and port, and its path.
fn take_apart(arguments: &Arguments) -> Result<(HostPort, &str), String> {
    let url = arguments.url.as_str();
    let Some((scheme, rest)) = url.split_once("://") else {
        return Err(format!("{url}: a URL begins as in http://host/"));
    };
    if url.len() > LONGEST_URL {
        return Err(format!("the URL has {} bytes, but {LONGEST_URL} at most can be", url.len()));
    }
    if arguments.proxy.is_none() && !scheme.eq_ignore_ascii_case("http") {
        return Err(format!("{url}: only http:// can be had without a --proxy"));
    }
    let Some(slash) = rest.find('/') else {
        return Err(format!("{url}: the host must end with a /, as in {url}/"));
    };
    let (authority, path) = rest.split_at(slash);
    let (host, port) = match authority.split_once(':') {
        None => (authority, PORT),
        Some((host, port)) => match atoi(port) {
            0 => (host, PORT),
            port => (host, port),
        },
    };
    Ok((HostPort { host: host.to_owned(), port }, path))
}

#[cfg(test)]
mod tests {
    use super::super::arguments::parse;
    use super::*;
    use std::ffi::OsString;

    fn of(line: &str) -> Result<Request, String> {
        let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        build(&parse(&args).unwrap())
    }

    #[test]
    fn a_request_for_each_version_and_method() {
        let agent = "User-Agent: WebBench 1.5";
        for (flags, lines) in [
            ("", format!("GET /p?q HTTP/1.0|{agent}|Host: h||")),
            ("-1", format!("GET /p?q HTTP/1.0|{agent}|Host: h||")),
            ("-2", format!("GET /p?q HTTP/1.1|{agent}|Host: h|Connection: close||")),
            ("-9", "GET /p?q|".to_owned()),
            ("--head", format!("HEAD /p?q HTTP/1.0|{agent}|Host: h||")),
            ("-9 --head", format!("HEAD /p?q HTTP/1.0|{agent}|Host: h||")),
            ("-2 --head", format!("HEAD /p?q HTTP/1.1|{agent}|Host: h|Connection: close||")),
            ("--options", format!("OPTIONS /p?q HTTP/1.1|{agent}|Host: h|Connection: close||")),
            ("-9 --trace", format!("TRACE /p?q HTTP/1.1|{agent}|Host: h|Connection: close||")),
            // There is no cache to bypass.
            ("-r", format!("GET /p?q HTTP/1.0|{agent}|Host: h||")),
            ("-r -9", "GET /p?q|".to_owned()),
            ("-f", format!("GET /p?q HTTP/1.0|{agent}|Host: h||")),
        ] {
            let line = format!("{flags} http://h:8080/p?q");
            let request = of(line.trim()).unwrap();
            assert_eq!(request.bytes, lines.replace('|', "\r\n").as_bytes(), "{flags}");
            assert_eq!(request.to, HostPort { host: "h".into(), port: 8080 });
        }
    }

    #[test]
    fn a_proxy_gets_the_whole_url_and_no_host() {
        let agent = "User-Agent: WebBench 1.5";
        for (flags, url, lines) in [
            ("", "http://h:8080/p", format!("GET http://h:8080/p HTTP/1.0|{agent}||")),
            ("-9", "http://h/", "GET http://h/|".to_owned()),
            ("-r", "http://h/", format!("GET http://h/ HTTP/1.0|{agent}|Pragma: no-cache||")),
            ("-9 -r", "http://h/", format!("GET http://h/ HTTP/1.0|{agent}|Pragma: no-cache||")),
            (
                "-2 -r",
                "ftp://h/",
                format!("GET ftp://h/ HTTP/1.1|{agent}|Pragma: no-cache|Connection: close||"),
            ),
        ] {
            let request = of(format!("-p proxy:3128 {flags} {url}").replace("  ", " ").as_str());
            let request = request.unwrap();
            assert_eq!(request.bytes, lines.replace('|', "\r\n").as_bytes(), "{flags} {url}");
            assert_eq!(request.to, HostPort { host: "proxy".into(), port: 3128 });
        }
    }

    #[test]
    fn a_port_that_is_none_is_80() {
        for (url, port) in [
            ("http://h/", 80),
            ("HTTP://h:81/", 81),
            ("http://h:/", 80),
            ("http://h:x/", 80),
            ("http://h/a:9/", 80),
        ] {
            assert_eq!(of(url).unwrap().to, HostPort { host: "h".into(), port }, "{url}");
        }
    }

    #[test]
    fn a_url_that_is_none_is_explained() {
        let long = format!("http://h/{}", "x".repeat(1492));
        for (line, message) in [
            ("h/", "h/: a URL begins as in http://host/"),
            ("http://h", "http://h: the host must end with a /, as in http://h/"),
            ("http://h?q", "the host must end with a /"),
            ("https://h/", "https://h/: only http:// can be had without a --proxy"),
            ("-p proxy https://h", "the host must end with a /"),
            (&long, "the URL has 1501 bytes, but 1500 at most can be"),
        ] {
            let error = of(line).unwrap_err();
            assert!(error.contains(message), "{line}: {error}");
        }
        assert!(of(&long[..1500]).is_ok());
    }
}
