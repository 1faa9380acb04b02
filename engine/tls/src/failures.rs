//! The failures of TLS, as messages and kinds.

use rustls::pki_types::ServerName;
use rustls::{AlertDescription, CertificateError, Error, PeerMisbehaved};
use volley_net::{Failure, Fault, QuicFault};

/// A server's stream that ends without `close_notify` may have been cut off.
pub(super) fn cut() -> Failure {
    Failure::tls(Fault::Cut, "unexpected eof while reading")
}

/// The server answers in cleartext: `first` are the bytes that came first.
pub(super) fn cleartext(first: &[u8]) -> Option<Failure> {
    let is_record = first.first().is_none_or(|kind| (20..=24).contains(kind));
    let words = "the server does not speak TLS here: it answers in cleartext";
    (!is_record).then(|| Failure::tls(Fault::Other, words))
}

/// How a session failed. `name`: the server's name. `asked`: the requested protocol.
pub(super) fn of(error: &Error, name: &ServerName<'_>, asked: Option<&str>) -> Failure {
    let asked = asked.unwrap_or("nothing");
    match error {
        Error::InvalidCertificate(error) => Failure::tls(Fault::Certificate, wrong(error, name)),
        Error::AlertReceived(AlertDescription::NoApplicationProtocol) => {
            Failure::tls(Fault::Alpn, format!("offered {asked}, which the server does not speak"))
        }
        Error::PeerMisbehaved(PeerMisbehaved::SelectedUnofferedApplicationProtocol) => {
            Failure::tls(Fault::Alpn, format!("offered {asked}, and the server selected another"))
        }
        error => Failure::tls(Fault::Other, error.to_string()),
    }
}

/// See [`crate::Config::quic_failure`].
pub(super) fn of_alert(alert: u8, words: &str, ours: bool, asked: Option<&str>) -> Failure {
    let asked = asked.unwrap_or("nothing");
    if let Some(why) = words.strip_prefix("invalid peer certificate: ").filter(|_| ours) {
        // The latter occurs if another certificate has the name of a given one.
        let words = match why {
            "UnknownIssuer" | "BadSignature" => NOT_VOUCHED_FOR.to_owned(),
            why => format!("the server's certificate is not trusted: {why}"),
        };
        return Failure::quic(QuicFault::Certificate, words);
    }
    let (fault, words) = match AlertDescription::from(alert) {
        AlertDescription::NoApplicationProtocol if ours => {
            (QuicFault::Alpn, format!("offered {asked}, and the server selected none"))
        }
        AlertDescription::NoApplicationProtocol => {
            (QuicFault::Alpn, format!("offered {asked}, which the server does not speak"))
        }
        alert => {
            let whose = if ours { "ours" } else { "the server's" };
            let colon = if words.is_empty() { "" } else { ": " };
            let words = format!("TLS handshake: {alert:?} was {whose} alert{colon}{words}");
            (QuicFault::Handshake, words)
        }
    };
    Failure::quic(fault, words)
}

/// The server confirmed no protocol, but one has to be agreed on.
pub(super) fn none_agreed(asked: &str) -> Failure {
    Failure::tls(Fault::Alpn, format!("offered {asked}, and the server selected none"))
}

const NOT_VOUCHED_FOR: &str =
    "the server's certificate is none of those given, nor does one of them vouch for it";

fn wrong(error: &CertificateError, name: &ServerName<'_>) -> String {
    let name = name.to_str();
    match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "the server's certificate has expired".to_owned()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "the server's certificate is not valid yet".to_owned()
        }
        // The latter occurs if another certificate has the name of a given one.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            NOT_VOUCHED_FOR.to_owned()
        }
        CertificateError::NotValidForName => {
            format!("the server's certificate is not for {name}")
        }
        CertificateError::NotValidForNameContext { presented, .. } => {
            let others: Vec<&str> = presented.iter().map(|name| bare(name)).collect();
            let others = if others.is_empty() { "nobody".into() } else { others.join(", ") };
            format!("the server's certificate is not for {name}, but for {others}")
        }
        error => format!("the server's certificate is not trusted: {error}"),
    }
}

/// A name in the form `DnsName("a.example")`.
fn bare(presented: &str) -> &str {
    let inside = presented.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    inside.unwrap_or(presented).trim_matches('"')
}
