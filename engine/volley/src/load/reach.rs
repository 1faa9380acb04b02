//! Where the target is, and whether anybody is there.

use super::LoadError;
use crate::cli::{Connecting, LoadArgs};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::Path;
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

fn reach_tcp(
    authority: &Authority,
    port: u16,
    connecting: &Connecting,
) -> Result<Address, LoadError> {
    let host = authority.host.as_str();
    let unreachable =
        |why: String| LoadError::Unreachable(format!("cannot reach {authority}: {why}"));
    let addresses = (host, port)
        .to_socket_addrs()
        .map_err(|_| unreachable(format!("no address is known for the name {host:?}")))?;
    let mut failures = Vec::new();
    for address in addresses.filter(|address| address.is_ipv4() || connecting.source.is_none()) {
        match TcpStream::connect_timeout(&address, connecting.connect_timeout) {
            Ok(_) => return Ok(Address::Tcp(address)),
            Err(error) => failures.push(format!("{address}: {}", io_words(&error))),
        }
    }
    if failures.is_empty() {
        return Err(unreachable("it has no IPv4 address, which --source needs".to_owned()));
    }
    Err(unreachable(failures.join("; ")))
}
