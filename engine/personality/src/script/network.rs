//! `wrk.lookup` and `wrk.connect`.

use super::thread::text;
use mlua::{Lua, LuaString, Table, Value};
use std::fs;
use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use volley_net::errors::io_words;

/// The failures of a state's lookups and connections.
#[derive(Debug, Default)]
pub(super) struct Network {
    unresolved: OnceLock<String>,
    refused: Mutex<Option<String>>,
}

impl Network {
    /// wrk's message about the first name that could not be resolved: it ends the run, whatever the
    /// script does.
    pub(super) fn unresolved(&self) -> Option<&str> {
        self.unresolved.get().map(String::as_str)
    }

    /// Why the last unreachable address could not be reached.
    pub(super) fn refused(&self) -> Option<String> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds both functions to those offered to a state; no argument makes them fail.
    pub(super) fn offer(self: &Arc<Self>, lua: &Lua, offered: &Table) -> mlua::Result<()> {
        let network = Arc::clone(self);
        let look_up = move |lua: &Lua, (host, service): (Value, Value)| match lookup(
            &text(lua, host),
            &text(lua, service),
        ) {
            Ok(addresses) => {
                let addresses: Vec<String> = addresses.iter().map(SocketAddr::to_string).collect();
                Ok((Some(addresses), None))
            }
            Err(message) => {
                let _ = network.unresolved.set(message.clone());
                Ok((None, Some(message)))
            }
        };
        offered.raw_set("lookup", lua.create_function(look_up)?)?;
        let network = Arc::clone(self);
        let connect = move |_: &Lua, address: LuaString| {
            let address = address.to_string_lossy().parse();
            let refused = address.map_or_else(|_| None, |address| connect(address).err());
            if let Some(error) = &refused {
                let mut last = network.refused.lock().unwrap_or_else(PoisonError::into_inner);
                *last = Some(reason(error));
            }
            Ok(refused.is_none())
        };
        offered.raw_set("connect", lua.create_function(connect)?)
    }
}

/// The addresses of a host and a service, a port or its name, as getaddrinfo(3) orders them. The
/// error is wrk's message.
fn lookup(host: &str, service: &str) -> Result<Vec<SocketAddr>, String> {
    let unresolved = |why: &str| format!("unable to resolve {host}:{service} {why}");
    let port = port(service).ok_or_else(|| unresolved("Servname not supported for ai_socktype"))?;
    let addresses = (host, port).to_socket_addrs().map_err(|error| unresolved(&reason(&error)))?;
    Ok(addresses.collect())
}

/// Whether the address accepts connections.
fn connect(address: SocketAddr) -> io::Result<()> {
    TcpStream::connect(address).map(drop)
}

/// The message of strerror(3) or `gai_strerror(3)`, without Rust's additions.
fn reason(error: &io::Error) -> String {
    let text = io_words(error);
    text.strip_prefix("failed to lookup address information: ").unwrap_or(&text).to_owned()
}

/// Slim systems have no list of services, so the two that URLs use are built in.
fn port(service: &str) -> Option<u16> {
    match service {
        "http" => Some(80),
        "https" => Some(443),
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok(),
        name => listed_port(&fs::read_to_string("/etc/services").ok()?, name),
    }
}

/// Finds a TCP service, by its name or another, in services(5).
fn listed_port(services: &str, name: &str) -> Option<u16> {
    services.lines().find_map(|line| {
        let mut words = line.split('#').next()?.split_whitespace();
        let service = words.next()?;
        let port = words.next()?.strip_suffix("/tcp")?;
        (service == name || words.any(|alias| alias == name)).then(|| port.parse().ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn a_service_is_a_number_or_a_name() {
        for (service, port) in [("80", 80), ("65535", 65535), ("http", 80), ("https", 443)] {
            let addresses = lookup("127.0.0.1", service).unwrap();
            assert_eq!(addresses, [SocketAddr::from(([127, 0, 0, 1], port))], "{service}");
        }
    }

    #[test]
    fn names_are_those_of_the_list_of_services() {
        let services = "# list\nssh 22/tcp\nhttp-alt\t8080/tcp webcache # proxies\nntp 123/udp\n";
        assert_eq!(listed_port(services, "ssh"), Some(22));
        assert_eq!(listed_port(services, "webcache"), Some(8080));
        assert_eq!(listed_port(services, "ntp"), None);
        assert_eq!(listed_port(services, "list"), None);
    }

    #[test]
    fn what_cannot_be_resolved_says_so_in_wrks_words() {
        let error = lookup("127.0.0.1", "no such service").unwrap_err();
        let message =
            "unable to resolve 127.0.0.1:no such service Servname not supported for ai_socktype";
        assert_eq!(error, message);
        let error = lookup("bad host", "80").unwrap_err();
        assert_eq!(error, "unable to resolve bad host:80 Name or service not known");
        assert!(lookup("127.0.0.1", "65536").is_err());
        assert!(lookup("127.0.0.1", "").is_err());
    }

    #[test]
    fn an_address_takes_connections_or_not() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        connect(address).unwrap();
        drop(listener);
        assert_eq!(reason(&connect(address).unwrap_err()), "Connection refused");
    }
}
