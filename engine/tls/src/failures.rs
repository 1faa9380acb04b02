//! What went wrong, in words and kinds.

use rustls::pki_types::ServerName;
use rustls::{AlertDescription, CertificateError, Error, PeerMisbehaved};
use volley_net::{Failure, Fault};

/// A server that says nothing before it closes may have been cut off.
pub(super) fn cut() -> Failure {
    Failure::tls(Fault::Cut, "unexpected eof while reading")
}

/// The server answers in cleartext: `first` are the bytes that came before any others.
pub(super) fn cleartext(first: &[u8]) -> Option<Failure> {
    // Records begin with a number from 20 to 24.
    let is_text = first.iter().take(4).all(u8::is_ascii_graphic) && !first.is_empty();
    let words = "the server does not speak TLS here: it answers in cleartext";
    is_text.then(|| Failure::tls(Fault::Other, words))
}

/// How a session failed. `name`: what the server was called. `asked`: the protocol asked for.
pub(super) fn of(error: &Error, name: &ServerName<'_>, asked: Option<&str>) -> Failure {
    let asked = asked.unwrap_or("nothing");
    match error {
        Error::InvalidCertificate(error) => Failure::tls(Fault::Certificate, wrong(error, name)),
        Error::AlertReceived(AlertDescription::NoApplicationProtocol) => {
            Failure::tls(Fault::Alpn, format!("asked for {asked}, which the server does not speak"))
        }
        Error::PeerMisbehaved(PeerMisbehaved::SelectedUnofferedApplicationProtocol) => {
            Failure::tls(Fault::Alpn, format!("asked for {asked}, the server agreed on another"))
        }
        error => Failure::tls(Fault::Other, error.to_string()),
    }
}

/// The server said nothing of a protocol, but that has to be agreed on.
pub(super) fn none_agreed(asked: &str) -> Failure {
    Failure::tls(Fault::Alpn, format!("asked for {asked}, the server agreed on none"))
}

fn wrong(error: &CertificateError, name: &ServerName<'_>) -> String {
    let name = name.to_str();
    match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "the server's certificate has expired".to_owned()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "the server's certificate is not valid yet".to_owned()
        }
        CertificateError::UnknownIssuer => {
            "the server's certificate is none of those given, nor does one of them vouch for it"
                .to_owned()
        }
        CertificateError::NotValidForName => {
            format!("the server's certificate is not for {name}")
        }
        CertificateError::NotValidForNameContext { presented, .. } => {
            let others = if presented.is_empty() { "nobody".into() } else { presented.join(", ") };
            format!("the server's certificate is not for {name}, but for {others}")
        }
        error => format!("the server's certificate is not believed: {error}"),
    }
}
