//! The two addresses of a packet.

use std::net::Ipv4Addr;

/// The offset of the source in an IPv4 header; the destination follows it.
const ADDRESSES: std::ops::Range<usize> = 12..20;

/// Exchanges source and destination of an IPv4 packet that goes from `near` to `far`; returns
/// whether it does.
///
/// No checksum changes, neither the header's nor those of TCP and UDP: a sum does not depend on the
/// order.
pub fn exchange(packet: &mut [u8], near: Ipv4Addr, far: Ipv4Addr) -> bool {
    let is_ipv4 = packet.first().is_some_and(|first| first >> 4 == 4);
    let Some(addresses) = packet.get_mut(ADDRESSES).filter(|_| is_ipv4) else { return false };
    let (source, destination) = addresses.split_at_mut(4);
    if *source != near.octets() || *destination != far.octets() {
        return false;
    }
    source.swap_with_slice(destination);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NEAR: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 1);
    const FAR: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 2);

    fn packet(version: u8, source: Ipv4Addr, destination: Ipv4Addr, payload: &[u8]) -> Vec<u8> {
        let head = [&[version << 4 | 5][..], &[7; 11], &source.octets(), &destination.octets()];
        [&head.concat(), payload].concat()
    }

    proptest! {
        #[test]
        fn the_addresses_change_places_and_nothing_else_changes(payload: Vec<u8>) {
            let mut there = packet(4, NEAR, FAR, &payload);
            prop_assert!(exchange(&mut there, NEAR, FAR));
            prop_assert_eq!(there, packet(4, FAR, NEAR, &payload));
        }

        #[test]
        fn whatever_else_a_device_sends_is_left_as_it_is(bytes: Vec<u8>) {
            let mut after = bytes.clone();
            prop_assert!(!exchange(&mut after, NEAR, FAR));
            prop_assert_eq!(after, bytes);
        }
    }

    #[test]
    fn other_versions_and_other_addresses_are_not_ours() {
        let strangers = [
            packet(6, NEAR, FAR, &[]),
            packet(4, NEAR, NEAR, &[]),
            packet(4, FAR, FAR, &[]),
            packet(4, NEAR, FAR, &[])[..19].to_vec(),
        ];
        for mut stranger in strangers {
            assert!(!exchange(&mut stranger, NEAR, FAR), "{stranger:?}");
        }
    }
}
