//! What client and server agreed on, in OpenSSL's words.

use rustls::{CipherSuite, CommonState, NamedGroup, ProtocolVersion, SupportedCipherSuite};
use std::fmt;

/// The agreed terms. Displayed as ab prints them: `TLSv1.3,TLS_AES_256_GCM_SHA384,2048,256`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The version, as in `TLSv1.3`.
    pub protocol: &'static str,
    /// OpenSSL's name of the suite.
    pub suite: &'static str,
    /// The size of the public key in the server's certificate; 0 if its kind is unknown.
    pub key_bits: usize,
    /// The size of the key that seals records.
    pub secret_bits: u32,
    /// The kind of key exchange, as in `X25519 253 bits`.
    pub temporary_key: Option<&'static str>,
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { protocol, suite, key_bits, secret_bits, .. } = self;
        write!(f, "{protocol},{suite},{key_bits},{secret_bits}")
    }
}

impl Facts {
    /// Returns `None` as long as nothing is agreed on.
    pub(super) fn of(connection: &CommonState) -> Option<Self> {
        let suite = connection.negotiated_cipher_suite()?;
        let certificate = connection.peer_certificates()?.first()?;
        let group =
            connection.negotiated_key_exchange_group().map(rustls::crypto::SupportedKxGroup::name);
        Some(Self {
            protocol: protocol(connection.protocol_version()?),
            suite: name(suite.suite()),
            key_bits: key_bits(certificate).unwrap_or(0),
            secret_bits: secret_bits(suite),
            temporary_key: group.and_then(temporary_key),
        })
    }
}

fn protocol(version: ProtocolVersion) -> &'static str {
    match version {
        ProtocolVersion::TLSv1_3 => "TLSv1.3",
        _ => "TLSv1.2",
    }
}

/// OpenSSL's name of a suite; empty if we do not support it.
pub(super) fn name(suite: CipherSuite) -> &'static str {
    match suite {
        CipherSuite::TLS13_AES_256_GCM_SHA384 => "TLS_AES_256_GCM_SHA384",
        CipherSuite::TLS13_AES_128_GCM_SHA256 => "TLS_AES_128_GCM_SHA256",
        CipherSuite::TLS13_CHACHA20_POLY1305_SHA256 => "TLS_CHACHA20_POLY1305_SHA256",
        CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 => "ECDHE-ECDSA-AES256-GCM-SHA384",
        CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 => "ECDHE-ECDSA-AES128-GCM-SHA256",
        CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 => {
            "ECDHE-ECDSA-CHACHA20-POLY1305"
        }
        CipherSuite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 => "ECDHE-RSA-AES256-GCM-SHA384",
        CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 => "ECDHE-RSA-AES128-GCM-SHA256",
        CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256 => "ECDHE-RSA-CHACHA20-POLY1305",
        _ => "",
    }
}

fn secret_bits(suite: SupportedCipherSuite) -> u32 {
    if name(suite.suite()).contains("AES128") || name(suite.suite()).contains("AES_128") {
        128
    } else {
        256
    }
}

fn temporary_key(group: NamedGroup) -> Option<&'static str> {
    match group {
        NamedGroup::X25519 => Some("X25519 253 bits"),
        NamedGroup::secp256r1 => Some("ECDH prime256v1 256 bits"),
        NamedGroup::secp384r1 => Some("ECDH secp384r1 384 bits"),
        _ => None,
    }
}

/// The size of the public key in a certificate, in bits (RFC 5280, section 4.1).
fn key_bits(certificate: &[u8]) -> Option<usize> {
    // Contents of object identifiers.
    const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
    const EC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
    const ED25519: &[u8] = &[0x2b, 0x65, 0x70];
    const PRIME256V1: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
    const SECP384R1: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x22];
    const SECP521R1: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x23];

    let (certificate, _) = Element::first(certificate)?;
    let (mut signed, _) = Element::first(certificate.content)?;
    // The version may be missing. Then: number, algorithm, issuer, validity, subject.
    let (version, behind) = Element::first(signed.content)?;
    if version.tag == Element::VERSION {
        signed.content = behind;
    }
    for _ in 0..5 {
        (_, signed.content) = Element::first(signed.content)?;
    }
    let (key, _) = Element::first(signed.content)?;
    let (algorithm, key) = Element::first(key.content)?;
    let (name, parameters) = Element::first(algorithm.content)?;
    match name.content {
        RSA => {
            let (bits, _) = Element::first(key)?;
            let (numbers, _) = Element::first(bits.content.get(1..)?)?;
            let (modulus, _) = Element::first(numbers.content)?;
            let first = modulus.content.iter().position(|&byte| byte != 0)?;
            let modulus = &modulus.content[first..];
            Some(8 * modulus.len() - modulus[0].leading_zeros() as usize)
        }
        EC => match Element::first(parameters)?.0.content {
            PRIME256V1 => Some(256),
            SECP384R1 => Some(384),
            SECP521R1 => Some(521),
            _ => None,
        },
        ED25519 => Some(256),
        _ => None,
    }
}

/// An element of DER (X.690, section 8.1).
struct Element<'a> {
    tag: u8,
    content: &'a [u8],
}

impl<'a> Element<'a> {
    /// A certificate's version: context-specific, constructed, number 0.
    const VERSION: u8 = 0xa0;

    /// The first element of some bytes, and the rest. `None` if it is cut off.
    fn first(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (&[tag, length], rest) = bytes.split_first_chunk()?;
        let (length, rest) = if length < 0x80 {
            (usize::from(length), rest)
        } else {
            let (length, rest) = rest.split_at_checked(usize::from(length & 0x7f))?;
            let shift = |sum: usize, &byte| sum.checked_mul(256)?.checked_add(usize::from(byte));
            (length.iter().try_fold(0, shift)?, rest)
        };
        let (content, rest) = rest.split_at_checked(length)?;
        Some((Self { tag, content }, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;

    /// Of the oldest version, with names in odd characters, as `openssl x509 -req` signs them.
    const RSA_1025: &str = "\
        MIIByTCCATECFDhFVfca/JG4OLCa4cByM6J3dgP9MA0GCSqGSIb3DQEBCwUAMCMxFDASBgNVBAMMC2xvKmNhbCNo\
        b3N0MQswCQYDVQQKDALDqTAeFw0yNjExMjIxMzI1MjdaFw0yNjExMjMxMzI1MjdaMCMxFDASBgNVBAMMC2xvKmNh\
        bCNob3N0MQswCQYDVQQKDALDqTCBnzANBgkqhkiG9w0BAQEFAAOBjQAwgYkCgYEBm7da0/sU/MFvOKROm3FZta2y\
        /OnzUAKwyoZXQ5/W0EZEEraDmNDILeapexynydE2Qy4z2FufHtBR8/7SXobfslxk79S6KyarehBmQe3KuL5cf7cM\
        zUqEp+ryLRXOnEBoMcH+p9rR9gQHRriwzJr+yr+zKkJgDyqZr7sR7IZbMT0CAwEAATANBgkqhkiG9w0BAQsFAAOB\
        ggAA3vSV8xZJMXwJGLQ9ot4duWkyhn+uHAH4Mv0QQpm5rED4bLjupJSaGbPkDljI4+G1rwAqokHZyR7DJ02aiJAh\
        ksRXzQ5/de5/FezKdVJTAi7WEnpi1fhVLljql1Fi5dqcrsogS1Y8nmiQ37eUjyV9t6g4N1wZKxHI6UbUDkqkjj0=";

    #[test]
    fn the_size_of_a_key_is_found_in_certificates_of_any_version() {
        let certificate = STANDARD.decode(RSA_1025).unwrap();
        assert_eq!(key_bits(&certificate), Some(1025));
        for end in 0..certificate.len() {
            assert_eq!(key_bits(&certificate[..end]), None, "{end}");
        }
    }
}
