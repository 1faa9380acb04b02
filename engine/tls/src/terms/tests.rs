//! The client's offers, seen from a server's side.

use super::Terms;
use crate::server::{Wanted, certificate};
use crate::{Config, Session, Stage};
use rcgen::PKCS_ECDSA_P256_SHA256;
use std::fs;
use tempfile::TempDir;

fn terms(change: impl FnOnce(&mut Terms) -> Result<(), String>) -> Result<Terms, String> {
    let mut terms = Terms::default();
    change(&mut terms).map(|()| terms)
}

/// Protocol and suite that are agreed on with a server.
fn agreed(terms: &Terms, wanted: Wanted) -> Result<String, String> {
    let client = Config::new(None, terms);
    let mut session = Session::start(&client, &client.memory()).unwrap();
    let mut server = wanted.session();
    while server.is_handshaking() {
        if let Some(bytes) = session.sent() {
            server.read_tls(&mut &bytes[..]).unwrap();
        }
        server.process_new_packets().map_err(|error| error.to_string())?;
        let mut bytes = Vec::new();
        while server.wants_write() {
            server.write_tls(&mut bytes).unwrap();
        }
        session.open(&mut bytes, &mut Vec::new()).map_err(|error| error.to_string())?;
    }
    assert_eq!(session.stage(), Stage::Open);
    let facts = session.facts().unwrap();
    Ok(format!("{} {}", facts.protocol, facts.suite))
}

#[test]
fn a_protocol_is_spoken_by_its_first_letters() {
    for (word, protocol) in [
        ("TLS1.2", "TLSv1.2"),
        ("tls1.2", "TLSv1.2"),
        ("TLS1.2x", "TLSv1.2"),
        ("TLS1.3", "TLSv1.3"),
        ("ALL", "TLSv1.3"),
        ("SSL3", "TLSv1.3"),
        ("other", "TLSv1.3"),
    ] {
        let terms = terms(|terms| terms.speak(word)).unwrap();
        let agreed = agreed(&terms, Wanted::default()).unwrap();
        assert!(agreed.starts_with(protocol), "{word}: {agreed}");
    }
}

#[test]
fn a_protocol_that_cannot_be_had_is_refused() {
    for (word, said) in [("TLS1", "TLS1"), ("tls1.0", "TLS1"), ("TLS1.1", "TLS1.1")] {
        assert_eq!(
            terms(|terms| terms.speak(word)).unwrap_err(),
            format!("{said} cannot be had here: only TLS1.2 and TLS1.3")
        );
    }
}

#[test]
fn suites_are_preferred_in_their_order_and_those_of_tls_1_3_stay() {
    for (list, suite) in [
        ("ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"),
        (
            "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES256-GCM-SHA384",
            "ECDHE-ECDSA-CHACHA20-POLY1305",
        ),
        ("DHE-RSA-AES256-SHA, ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"),
        ("HIGH:!aNULL:!MD5", "ECDHE-ECDSA-AES256-GCM-SHA384"),
        ("ECDHE-ECDSA-AES128-GCM-SHA256:ALL", "ECDHE-ECDSA-AES128-GCM-SHA256"),
    ] {
        let mut terms = terms(|terms| terms.prefer(list)).unwrap();
        let new = agreed(&terms, Wanted::default()).unwrap();
        assert_eq!(new, "TLSv1.3 TLS_AES_256_GCM_SHA384");
        terms.speak("TLS1.2").unwrap();
        assert_eq!(agreed(&terms, Wanted::default()).unwrap(), format!("TLSv1.2 {suite}"));
    }
}

#[test]
fn a_list_without_a_name_of_ours_is_refused() {
    for (list, why) in [
        ("nonsense", "nonsense is no name of a suite of TLS 1.2"),
        ("ALL:-SSLv2", "-SSLv2 is no name of a suite of TLS 1.2"),
        ("TLS_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256 is no name of a suite of TLS 1.2"),
        ("AES256-SHA:!aNULL", "none of these suites can be had here"),
        ("", "none of these suites can be had here"),
    ] {
        assert_eq!(
            terms(|terms| terms.prefer(list)).unwrap_err(),
            format!("error setting ciphersuite list [{list}]\n{why}")
        );
    }
}

#[test]
fn a_certificate_is_shown_to_a_server_that_wants_it() {
    let own = certificate(&PKCS_ECDSA_P256_SHA256);
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("both.pem");
    fs::write(&file, own.cert.pem() + &own.signing_key.serialize_pem()).unwrap();
    for protocol in ["TLS1.2", "TLS1.3"] {
        let wanting = || Wanted { client: Some(own.cert.der().clone()), ..Wanted::default() };
        let mut terms = terms(|terms| terms.speak(protocol)).unwrap();
        assert_eq!(agreed(&terms, wanting()).unwrap_err(), "peer sent no certificates");
        terms.identify(&file).unwrap();
        assert!(agreed(&terms, wanting()).is_ok(), "{protocol}");
    }
}

#[test]
fn a_file_without_certificate_or_key_is_refused() {
    let (one, other) = (certificate(&PKCS_ECDSA_P256_SHA256), certificate(&PKCS_ECDSA_P256_SHA256));
    let folder = TempDir::new().unwrap();
    let file = |name: &str, content: String| {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        path
    };
    for (file, begin) in [
        (folder.path().join("none"), "unable to get certificate from '"),
        (file("empty", String::new()), "unable to get certificate from '"),
        (file("key", one.signing_key.serialize_pem()), "unable to get certificate from '"),
        (file("alone", one.cert.pem()), "unable to get private key from '"),
        (
            file("mixed", one.cert.pem() + &other.signing_key.serialize_pem()),
            "private key does not match the certificate public key in ",
        ),
    ] {
        let said = terms(|terms| terms.identify(&file)).unwrap_err();
        let names = format!("{begin}{}", file.display());
        assert!(said.starts_with(&names), "{said} instead of {names}");
    }
}
