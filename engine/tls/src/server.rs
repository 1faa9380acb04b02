//! Servers of TLS, for tests.

use rcgen::{CertifiedKey, KeyPair, PKCS_ECDSA_P256_SHA256, SignatureAlgorithm};
use rustls::crypto::CryptoProvider;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::version::{TLS12, TLS13};
use rustls::{RootCertStore, ServerConfig, ServerConnection, SupportedProtocolVersion};
use std::sync::Arc;

/// A certificate for `localhost`, signed by itself, and its key.
pub(crate) fn certificate(algorithm: &'static SignatureAlgorithm) -> CertifiedKey<KeyPair> {
    let signing_key = KeyPair::generate_for(algorithm).unwrap();
    let params = rcgen::CertificateParams::new(["localhost".to_owned()]).unwrap();
    CertifiedKey { cert: params.self_signed(&signing_key).unwrap(), signing_key }
}

/// The properties of a test's server.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) algorithm: &'static SignatureAlgorithm,
    pub(crate) protocols: Vec<&'static SupportedProtocolVersion>,
    pub(crate) provider: CryptoProvider,
    /// Clients must show this certificate.
    pub(crate) client: Option<CertificateDer<'static>>,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            algorithm: &PKCS_ECDSA_P256_SHA256,
            protocols: vec![&TLS13, &TLS12],
            provider: default_provider(),
            client: None,
        }
    }
}

impl Wanted {
    pub(crate) fn config(self) -> Arc<ServerConfig> {
        let provider = Arc::new(self.provider);
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(self.client.clone());
        let own = certificate(self.algorithm);
        let key = PrivateKeyDer::try_from(own.signing_key.serialize_der()).unwrap();
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&self.protocols)
            .unwrap();
        let builder = match self.client {
            None => builder.with_no_client_auth(),
            Some(_) => builder.with_client_cert_verifier(
                WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                    .build()
                    .unwrap(),
            ),
        };
        Arc::new(builder.with_single_cert(vec![own.cert.der().clone()], key).unwrap())
    }

    pub(crate) fn session(self) -> ServerConnection {
        ServerConnection::new(self.config()).unwrap()
    }
}
