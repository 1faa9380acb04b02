//! The network device that a path goes through. The device, its address and its route are gone when
//! its file is closed, however its process ended.

use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::net::{Ipv4Addr, UdpSocket};
use tun_rs::{DeviceBuilder, SyncDevice};

/// A path's networks are in 198.18.0.0/15, which RFC 2544 sets aside for benchmarks: four addresses
/// each.
const FIRST: u32 = 0xC612_0000;
const NETWORKS: u32 = 1 << 15;
const PREFIX: u8 = 30;

/// What Ethernet carries, so that as many packets are needed as over a network.
pub const MTU: u16 = 1500;

/// Packets that may wait to be read. Packets that find no place are counted as overrun.
const QUEUE: u32 = 16_384;

/// A device that is up.
pub struct Device {
    /// The device's file, which is read from and written to without waiting.
    pub file: SyncDevice,
    /// The name, as `ip link` shows it.
    pub name: String,
    /// The address of this machine.
    pub near: Ipv4Addr,
    /// The address that leads to it over the path.
    pub far: Ipv4Addr,
}

impl Device {
    /// Makes a device with two addresses that are unused on this machine. An error describes the
    /// remedy.
    pub fn open() -> Result<Self> {
        if !fs::exists("/dev/net/tun")? {
            let wrong = "there is no /dev/net/tun, which makes network devices: modprobe tun";
            return Err(Error::new(ErrorKind::NotFound, wrong));
        }
        if UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).is_err() {
            let wrong = "127.0.0.1 is not there: ip link set lo up";
            return Err(Error::new(ErrorKind::AddrNotAvailable, wrong));
        }
        let (near, far) = free_addresses()?;
        let file = DeviceBuilder::new()
            .name("bakeoff%d")
            .mtu(MTU)
            .tx_queue_len(QUEUE)
            .ipv4(near, PREFIX, None)
            .build_sync()
            .map_err(|error| match error.kind() {
                ErrorKind::PermissionDenied => Error::new(
                    error.kind(),
                    "making a network device takes root, or CAP_NET_ADMIN in this network namespace",
                ),
                _ => error,
            })?;
        file.set_nonblocking(true)?;
        let name = file.name()?;
        Ok(Self { file, name, near, far })
    }

    /// How many packets found no place in the device's own queue since the device exists.
    pub fn dropped(&self) -> Result<u64> {
        let counters = fs::read_to_string("/proc/net/dev")?;
        dropped(&counters, &self.name)
            .ok_or_else(|| Error::new(ErrorKind::NotFound, format!("no device {}", self.name)))
    }
}

/// Two processes that look for addresses at once begin at different places.
fn free_addresses() -> Result<(Ipv4Addr, Ipv4Addr)> {
    (0..NETWORKS)
        .map(|step| FIRST + ((std::process::id() + step) % NETWORKS) * 4)
        .map(|network| (Ipv4Addr::from(network + 1), Ipv4Addr::from(network + 2)))
        .find(|(near, _)| UdpSocket::bind((*near, 0)).is_err())
        .ok_or_else(|| Error::new(ErrorKind::AddrInUse, "no network is free in 198.18.0.0/15"))
}

/// How many packets of a device's sending were dropped, by the text of `/proc/net/dev`.
fn dropped(counters: &str, name: &str) -> Option<u64> {
    const SENT_DROP: usize = 11;
    let line =
        counters.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(':'))?;
    line.split_ascii_whitespace().nth(SENT_DROP)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_are_read_by_the_devices_whole_name() {
        let counters = "\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
bakeoff10: 1 2 0 0 0 0 0 0 3 4 0 99 0 0 0 0
bakeoff1: 1 2 0 5 0 0 0 0 3 4 0 17 0 0 0 0
";
        assert_eq!(dropped(counters, "bakeoff1"), Some(17));
        assert_eq!(dropped(counters, "bakeoff"), None);
    }
}
