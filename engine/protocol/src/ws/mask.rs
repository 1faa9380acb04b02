//! Masks, and the keys for them.

/// XORs bytes with a repeated key, as a client does to mask its bytes and a server to unmask them
/// (RFC 6455, section 5.3).
pub fn mask(bytes: &mut [u8], key: [u8; 4]) {
    let [a, b, c, d] = key;
    let key_word = u64::from_ne_bytes([a, b, c, d, a, b, c, d]);
    let (words, rest) = bytes.as_chunks_mut::<8>();
    for word in words {
        *word = (u64::from_ne_bytes(*word) ^ key_word).to_ne_bytes();
    }
    for (byte, part) in rest.iter_mut().zip(key.into_iter().cycle()) {
        *byte ^= part;
    }
}

/// Keys for masks and for upgrades: `SplitMix64`.
///
/// The RFC requires unpredictable keys, lest a page's script writes bytes of its choice to a proxy.
/// Here the user chose all bytes, so seeded keys cause the same work for the server, and can be
/// repeated.
#[derive(Debug, Clone)]
pub struct Keys(u64);

impl Keys {
    /// The same keys for the same seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The key of a mask. It is never 0, which would leave the bytes as they are.
    pub fn mask(&mut self) -> [u8; 4] {
        loop {
            let [a, b, c, d, ..] = self.next().to_ne_bytes();
            if [a, b, c, d] != [0; 4] {
                return [a, b, c, d];
            }
        }
    }

    /// The nonce of an upgrade.
    pub(crate) fn nonce(&mut self) -> [u8; 16] {
        let mut nonce = [0; 16];
        nonce[..8].copy_from_slice(&self.next().to_ne_bytes());
        nonce[8..].copy_from_slice(&self.next().to_ne_bytes());
        nonce
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn masking_is_the_standard_s_octet_by_octet(
            bytes in prop::collection::vec(any::<u8>(), 0..100), key in any::<[u8; 4]>(),
        ) {
            let expected: Vec<u8> =
                bytes.iter().enumerate().map(|(at, byte)| byte ^ key[at % 4]).collect();
            let mut masked = bytes;
            mask(&mut masked, key);
            prop_assert_eq!(masked, expected);
        }
    }

    #[test]
    fn keys_differ_and_repeat_with_their_seed() {
        let keys = |seed| {
            let mut keys = Keys::new(seed);
            [keys.mask(), keys.mask()]
        };
        assert_eq!(keys(1), keys(1));
        assert_ne!(keys(1)[0], keys(1)[1]);
        assert_ne!(keys(1), keys(2));
    }
}
