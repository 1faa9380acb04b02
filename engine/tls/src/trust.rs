//! Which certificates to trust: all, or a given one and those that it has signed.

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use std::cell::Cell;
use std::sync::Arc;

thread_local! {
    static LOOKED_AT: Cell<u64> = const { Cell::new(0) };
}

/// How many certificates this thread has verified: one in a full handshake, none if a session is
/// resumed. Only this tells the two apart with QUIC's library.
pub fn certificates_looked_at() -> u64 {
    LOOKED_AT.get()
}

/// The trusted certificates.
#[derive(Debug, Clone)]
pub(super) enum Trust {
    /// Every one.
    Everyone,
    /// These, and those that they vouch for.
    Given(Vec<CertificateDer<'static>>),
}

impl Trust {
    /// Reads certificates from PEM. The error describes what is wrong with it.
    pub(super) fn given(pem: &[u8]) -> Result<Self, String> {
        let certificates: Vec<_> = CertificateDer::pem_slice_iter(pem)
            .collect::<Result<_, _>>()
            .map_err(|error| format!("it cannot be read as PEM: {error}"))?;
        if certificates.is_empty() {
            return Err("it holds no certificate in PEM".to_owned());
        }
        roots(&certificates)?;
        Ok(Self::Given(certificates))
    }

    pub(super) fn verifier(&self, provider: &Arc<CryptoProvider>) -> Arc<dyn ServerCertVerifier> {
        let Self::Given(given) = self else {
            return Arc::new(Everyone(provider.signature_verification_algorithms));
        };
        let roots = Arc::new(roots(given).expect("they were looked at"));
        let others = WebPkiServerVerifier::builder_with_provider(roots, provider.clone())
            .build()
            .expect("there is a root");
        Arc::new(Given { certificates: given.clone(), others })
    }
}

fn roots(certificates: &[CertificateDer<'static>]) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates {
        roots
            .add(certificate.clone())
            .map_err(|error| format!("it holds a certificate that cannot be used: {error}"))?;
    }
    Ok(roots)
}

/// Accepts the given certificates themselves, whatever they contain, and those that they vouch for,
/// if name and time are right.
#[derive(Debug)]
struct Given {
    certificates: Vec<CertificateDer<'static>>,
    others: Arc<WebPkiServerVerifier>,
}

impl ServerCertVerifier for Given {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        chain: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        LOOKED_AT.set(LOOKED_AT.get() + 1);
        // Users give the certificate of their test server, which often is marked as a CA's:
        // strictly, a server could not use it.
        if self.certificates.contains(certificate) {
            return Ok(ServerCertVerified::assertion());
        }
        self.others.verify_server_cert(certificate, chain, name, ocsp, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.others.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.others.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.others.supported_verify_schemes()
    }
}

/// Accepts every certificate. Signatures are not verified either: they could only prove that the
/// server has the key of a certificate which any party may have written.
#[derive(Debug)]
struct Everyone(WebPkiSupportedAlgorithms);

impl ServerCertVerifier for Everyone {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        LOOKED_AT.set(LOOKED_AT.get() + 1);
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_schemes()
    }
}
