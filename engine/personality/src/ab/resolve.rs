//! The addresses of a name, and the message if there are none.

use super::exit::Exit;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};

/// apr's errors of the resolver are numbered from here.
const RESOLVER_ERRORS: i32 = 670_000;

/// The resolver's text, and its numbers without their sign.
const KNOWN: [(&str, i32); 6] = [
    ("Name or service not known", 2),
    ("Temporary failure in name resolution", 3),
    ("Non-recoverable failure in name resolution", 4),
    ("No address associated with hostname", 5),
    ("Address family for hostname not supported", 9),
    ("Memory allocation failure", 10),
];

/// The addresses of a host, of the source's kind if there is one; at least one address.
pub(super) fn addresses(
    host: &str,
    port: u16,
    source: Option<IpAddr>,
) -> Result<Vec<SocketAddr>, Exit> {
    let addresses = (host, port).to_socket_addrs().map_err(|error| failure(host, &error))?;
    let mut addresses: Vec<SocketAddr> = addresses
        .filter(|address| source.is_none_or(|source| source.is_ipv4() == address.is_ipv4()))
        .collect();
    addresses.dedup();
    if addresses.is_empty() {
        return Err(failure(host, &io::Error::other(KNOWN[4].0)));
    }
    Ok(addresses)
}

/// The address from which connections are made.
pub(super) fn source(host: &str) -> Result<IpAddr, Exit> {
    Ok(addresses(host, 0, None)?[0].ip())
}

fn failure(host: &str, error: &io::Error) -> Exit {
    let message = error.to_string();
    let known = KNOWN.iter().find(|(text, _)| message.ends_with(text));
    let (text, number) = known.copied().unwrap_or((message.as_str(), 11));
    Exit::numbered(&format!("apr_sockaddr_info_get() for {host}"), text, RESOLVER_ERRORS + number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_its_own_and_of_the_source_s_kind() {
        let v4: SocketAddr = "127.0.0.1:80".parse().unwrap();
        let [own, other] = ["127.0.0.9", "::1"].map(|source| Some(source.parse().unwrap()));
        assert_eq!(addresses("127.0.0.1", 80, None), Ok(vec![v4]));
        assert_eq!(addresses("127.0.0.1", 80, own), Ok(vec![v4]));
        assert_eq!(addresses("127.0.0.1", 80, other).unwrap_err().status, 57);
    }

    #[test]
    fn what_the_resolver_says_is_said_with_its_number() {
        let error =
            io::Error::other("failed to lookup address information: Name or service not known");
        let exit = failure("nosuch.invalid", &error);
        let message =
            "apr_sockaddr_info_get() for nosuch.invalid: Name or service not known (670002)\n";
        assert_eq!((exit.message.as_str(), exit.status), (message, 50));
    }
}
