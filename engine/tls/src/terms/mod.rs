//! What a client offers and trusts, by ab's options where it has them.

#[cfg(test)]
mod tests;

use super::facts;
use super::trust::Trust;
use rustls::client::{ClientConfig, Resumption};
use rustls::crypto::CryptoProvider;
use rustls::crypto::ring::cipher_suite::TLS13_AES_128_GCM_SHA256;
use rustls::crypto::ring::{ALL_CIPHER_SUITES, default_provider};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::version::{TLS12, TLS13};
use rustls::{Error, InconsistentKeys, SupportedCipherSuite, SupportedProtocolVersion};
use std::path::Path;
use std::sync::Arc;

/// Words in OpenSSL's lists of suites: those for everything that is offered here, and for what is
/// never offered.
const EVERYTHING: [&str; 3] = ["ALL", "DEFAULT", "HIGH"];
const NOTHING: [&str; 6] = ["", "!aNULL", "!eNULL", "!MD5", "!RC4", "!3DES"];

/// What a client offers.
#[derive(Debug, Clone)]
pub struct Terms {
    pub(super) resumes: bool,
    sends_early: bool,
    protocols: Vec<&'static SupportedProtocolVersion>,
    suites: Vec<SupportedCipherSuite>,
    identity: Option<Arc<CertifiedKey>>,
    trust: Trust,
    pub(super) protocol: Option<&'static str>,
    pub(super) must_agree: bool,
}

impl Default for Terms {
    /// Everything that is available, without resumption; trusts every server.
    fn default() -> Self {
        Self {
            resumes: false,
            sends_early: false,
            protocols: vec![&TLS13, &TLS12],
            suites: ALL_CIPHER_SUITES.to_vec(),
            identity: None,
            trust: Trust::Everyone,
            protocol: None,
            must_agree: false,
        }
    }
}

impl Terms {
    /// Everything that is available; a connection resumes the session of the one before it in its
    /// slot, as in wrk.
    pub fn resuming() -> Self {
        Self { resumes: true, ..Self::default() }
    }

    /// For measuring servers: one protocol by ALPN, which the server has to confirm if
    /// `must_agree`, and AES with 128 bits first, so that all servers do the same work.
    pub fn measuring(protocol: &'static str, must_agree: bool, resumes: bool) -> Self {
        let mut suites = ALL_CIPHER_SUITES.to_vec();
        suites.sort_by_key(|suite| !facts::name(suite.suite()).contains("128"));
        Self { suites, protocol: Some(protocol), must_agree, resumes, ..Self::default() }
    }

    /// The same inside of QUIC, which has only TLS 1.3. Its first keys are of AES-128-GCM, which
    /// every server has: no other suite is offered, so both sides agree on it.
    pub fn measuring_quic(protocol: &'static str, resumes: bool) -> Self {
        let suites = vec![TLS13_AES_128_GCM_SHA256];
        let protocols = vec![&TLS13];
        Self { protocols, suites, ..Self::measuring(protocol, true, resumes) }
    }

    /// Sends what comes first ahead of a handshake that resumes a session, where the server allows
    /// it: TLS 1.3's early data, which only QUIC's connections use.
    pub fn send_early(&mut self) {
        self.sends_early = true;
    }

    /// Trusts only these certificates, given as PEM, and those that they vouch for. The error
    /// describes what is wrong with `pem`.
    pub fn believe(&mut self, pem: &[u8]) -> Result<(), String> {
        self.trust = Trust::given(pem)?;
        Ok(())
    }

    /// Offers one protocol only, by the first letters of a word as ab's `-f` reads them. Words that
    /// ab does not know change nothing. The error is a line.
    pub fn speak(&mut self, word: &str) -> Result<(), String> {
        let word = word.to_ascii_uppercase();
        let begins = |name| word.starts_with(name);
        if begins("TLS1.2") {
            self.protocols = vec![&TLS12];
        } else if begins("TLS1.3") {
            self.protocols = vec![&TLS13];
        } else if begins("TLS1") {
            let old = if begins("TLS1.1") { "TLS1.1" } else { "TLS1" };
            return Err(format!("{old} cannot be had here: only TLS1.2 and TLS1.3"));
        } else {
            self.protocols = vec![&TLS13, &TLS12];
        }
        Ok(())
    }

    /// Offers these suites for TLS 1.2, by OpenSSL's names, the best first; unavailable suites are
    /// left out. Suites of TLS 1.3 are not affected, as in OpenSSL. The error describes what is
    /// wrong, in lines.
    pub fn prefer(&mut self, list: &str) -> Result<(), String> {
        let wrong = |why: String| Err(format!("error setting ciphersuite list [{list}]\n{why}"));
        let (new, old): (Vec<_>, Vec<_>) =
            ALL_CIPHER_SUITES.iter().copied().partition(|suite| suite.tls13().is_some());
        let mut preferred = Vec::new();
        for word in list.split([':', ',', ' ', ';']) {
            if EVERYTHING.contains(&word) {
                preferred.extend(&old);
            } else if word.contains('-') && !word.starts_with(['!', '-', '+', '@']) {
                preferred.extend(old.iter().find(|suite| facts::name(suite.suite()) == word));
            } else if !NOTHING.contains(&word) {
                return wrong(format!("{word} is no name of a suite of TLS 1.2"));
            }
        }
        if preferred.is_empty() {
            return wrong("none of these suites can be had here".to_owned());
        }
        self.suites = [new, preferred].concat();
        Ok(())
    }

    /// Shows a certificate to servers that request one: a PEM file of it, its chain, and its key.
    /// The error is a line.
    pub fn identify(&mut self, file: &Path) -> Result<(), String> {
        let shown = file.display();
        let chain: Vec<_> = CertificateDer::pem_file_iter(file)
            .and_then(Iterator::collect)
            .map_err(|error| format!("unable to get certificate from '{shown}'\n{error}"))?;
        if chain.is_empty() {
            return Err(format!("unable to get certificate from '{shown}'\nit holds none"));
        }
        let key = PrivateKeyDer::from_pem_file(file)
            .map_err(|error| format!("unable to get private key from '{shown}'\n{error}"))?;
        self.identity = match CertifiedKey::from_der(chain, key, &default_provider()) {
            Ok(identity) => Some(Arc::new(identity)),
            Err(Error::InconsistentKeys(InconsistentKeys::KeyMismatch)) => {
                return Err(format!(
                    "private key does not match the certificate public key in {shown}"
                ));
            }
            Err(error) => return Err(format!("unable to get private key from '{shown}'\n{error}")),
        };
        Ok(())
    }

    pub(super) fn config(&self) -> ClientConfig {
        let provider = CryptoProvider { cipher_suites: self.suites.clone(), ..default_provider() };
        let provider = Arc::new(provider);
        let verifier = self.trust.verifier(&provider);
        let builder = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&self.protocols)
            .expect("there are suites for each protocol")
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        let mut config = match &self.identity {
            Some(identity) => builder
                .with_client_cert_resolver(Arc::new(SingleCertAndKey::from(identity.clone()))),
            None => builder.with_no_client_auth(),
        };
        config.resumption = Resumption::disabled();
        config.enable_early_data = self.sends_early;
        config.alpn_protocols = self.protocol.iter().map(|name| name.as_bytes().to_vec()).collect();
        config
    }
}
