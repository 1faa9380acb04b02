//! What client and server agreed on, in OpenSSL's words.

use rustls::{CipherSuite, ClientConnection, NamedGroup, ProtocolVersion, SupportedCipherSuite};
use std::fmt;
use x509_cert::certificate::{CertificateInner, Raw};
use x509_cert::der::asn1::{AnyRef, ObjectIdentifier, UintRef};
use x509_cert::der::{Decode, SliceReader};

/// What was agreed on. Displayed as ab prints it: `TLSv1.3,TLS_AES_256_GCM_SHA384,2048,256`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// As in `TLSv1.3`.
    pub protocol: &'static str,
    /// OpenSSL's name of the suite.
    pub suite: &'static str,
    /// Of the public key in the server's certificate; 0 if it is of no known kind.
    pub key_bits: usize,
    /// Of the key that seals records.
    pub secret_bits: u32,
    /// What kind of key the session's was derived from, as in `X25519 253 bits`.
    pub temporary_key: Option<&'static str>,
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { protocol, suite, key_bits, secret_bits, .. } = self;
        write!(f, "{protocol},{suite},{key_bits},{secret_bits}")
    }
}

impl Facts {
    /// `None` as long as nothing is agreed on.
    pub(super) fn of(connection: &ClientConnection) -> Option<Self> {
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

/// OpenSSL's name of a suite; empty if we don't speak it.
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

const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
const EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");
const CURVES: [(ObjectIdentifier, usize); 3] = [
    (ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7"), 256),
    (ObjectIdentifier::new_unwrap("1.3.132.0.34"), 384),
    (ObjectIdentifier::new_unwrap("1.3.132.0.35"), 521),
];

/// The size of the public key in a certificate, in bits.
fn key_bits(certificate: &[u8]) -> Option<usize> {
    let certificate = CertificateInner::<Raw>::from_der(certificate).ok()?;
    let key = certificate.tbs_certificate().subject_public_key_info();
    match key.algorithm.oid {
        RSA => {
            let numbers = AnyRef::from_der(key.subject_public_key.raw_bytes()).ok()?;
            let modulus = UintRef::decode(&mut SliceReader::new(numbers.value()).ok()?).ok()?;
            let first = modulus.as_bytes().first()?;
            Some(8 * modulus.as_bytes().len() - first.leading_zeros() as usize)
        }
        EC => {
            let curve: ObjectIdentifier = key.algorithm.parameters.as_ref()?.decode_as().ok()?;
            CURVES.into_iter().find_map(|(named, bits)| (named == curve).then_some(bits))
        }
        ED25519 => Some(256),
        _ => None,
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
