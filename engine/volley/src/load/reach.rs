//! The address of the target, and the test whether it accepts connections.

use super::LoadError;
use crate::cli::{Connecting, LoadArgs};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::Path;
use volley_load::scheme::Scheme;
use volley_net::Address;
use volley_net::errors::io_words;
use volley_net::url::Authority;

/// The first address that accepts a connection: of the Unix socket, the place to connect to, the
/// proxy, or the URL's host.
pub(super) fn reach(args: &LoadArgs) -> Result<Address, LoadError> {
    let connecting = &args.connecting;
    if let Some(path) = &connecting.unix {
        return reach_unix(path);
    }
    let elsewhere = connecting.connect_to.as_ref().or(connecting.proxy.as_ref());
    if args.scheme() == Scheme::H3 {
        let authority = elsewhere.unwrap_or(&args.url.authority);
        return reach_udp(authority, authority.port.unwrap_or(args.url.port()), connecting);
    }
    match elsewhere {
        Some(elsewhere) => reach_tcp(elsewhere, elsewhere.port.unwrap_or(80), connecting),
        None => reach_tcp(&args.url.authority, args.url.port(), connecting),
    }
}

fn reach_unix(path: &Path) -> Result<Address, LoadError> {
    match UnixStream::connect(path) {
        Ok(_) => Ok(Address::Unix(path.to_owned())),
        Err(error) => {
            let (path, why) = (path.display(), io_words(&error));
            Err(LoadError::Unreachable(format!("cannot reach {path}: {why}")))
        }
    }
}

/// The first address of a name: the first connections show whether it responds.
fn reach_udp(
    authority: &Authority,
    port: u16,
    connecting: &Connecting,
) -> Result<Address, LoadError> {
    let mut addresses = resolve(authority, port)?
        .into_iter()
        .filter(|address| address.is_ipv4() || connecting.source.is_none());
    let none = || unreachable(authority, NO_IPV4);
    addresses.next().map(Address::Tcp).ok_or_else(none)
}

fn resolve(authority: &Authority, port: u16) -> Result<Vec<SocketAddr>, LoadError> {
    let host = authority.host.as_str();
    let addresses = (host, port).to_socket_addrs();
    let unknown = |_| unreachable(authority, &format!("no address is known for the name {host:?}"));
    Ok(addresses.map_err(unknown)?.collect())
}

fn unreachable(authority: &Authority, why: &str) -> LoadError {
    LoadError::Unreachable(format!("cannot reach {authority}: {why}"))
}

const NO_IPV4: &str = "it has no IPv4 address, which --source needs";

fn reach_tcp(
    authority: &Authority,
    port: u16,
    connecting: &Connecting,
) -> Result<Address, LoadError> {
    let mut failures = Vec::new();
    let addresses = resolve(authority, port)?.into_iter();
    for address in addresses.filter(|address| address.is_ipv4() || connecting.source.is_none()) {
        match TcpStream::connect_timeout(&address, connecting.connect_timeout) {
            Ok(_) => return Ok(Address::Tcp(address)),
            Err(error) => failures.push(format!("{address}: {}", io_words(&error))),
        }
    }
    if failures.is_empty() {
        return Err(unreachable(authority, NO_IPV4));
    }
    Err(unreachable(authority, &failures.join("; ")))
}
