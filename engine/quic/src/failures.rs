//! The failures of a connection, as messages and kinds.

use quinn_proto::{ConnectionError, TransportErrorCode};
use volley_net::{Failure, QuicFault};
use volley_protocol::h3::frame;
use volley_tls::Config;

/// How a connection ended. `None`: the server has closed it properly.
pub(crate) fn of(error: &ConnectionError, client: &Config) -> Option<Failure> {
    Some(match error {
        ConnectionError::ApplicationClosed(close) => {
            let code = close.error_code.into_inner();
            if code == frame::code::NO_ERROR {
                return None;
            }
            let name = frame::name_of(code);
            let words =
                format!("the server closed the connection with {name}{}", why(&close.reason));
            Failure::quic(QuicFault::Reset, words)
        }
        ConnectionError::ConnectionClosed(close) => match alert(close.error_code) {
            Some(alert) => client.quic_failure(alert, &text(&close.reason), false),
            None if close.error_code == TransportErrorCode::NO_ERROR => return None,
            None => {
                let is_refused = close.error_code == TransportErrorCode::CONNECTION_REFUSED;
                let fault = if is_refused { QuicFault::Refused } else { QuicFault::Reset };
                let words = format!(
                    "the server closed the connection with QUIC's {}{}",
                    name_of(close.error_code),
                    why(&close.reason)
                );
                Failure::quic(fault, words)
            }
        },
        ConnectionError::TransportError(wrong) => {
            if let Some(alert) = alert(wrong.code) {
                return Some(client.quic_failure(alert, &wrong.reason, true));
            }
            let (name, why) = (name_of(wrong.code), why(wrong.reason.as_bytes()));
            Failure::quic(QuicFault::Malformed, format!("the server breaks QUIC: {name}{why}"))
        }
        ConnectionError::VersionMismatch => Failure::quic(
            QuicFault::Refused,
            "the server speaks no version of QUIC that we do: it has negotiated for another than v1",
        ),
        ConnectionError::Reset => Failure::quic(
            QuicFault::Reset,
            "the server no longer knows the connection (stateless reset)",
        ),
        ConnectionError::TimedOut => Failure::quic(
            QuicFault::Lapsed,
            "nothing came for as long as the server allows a connection to be idle",
        ),
        ConnectionError::LocallyClosed | ConnectionError::CidsExhausted => {
            Failure::quic(QuicFault::Refused, error.to_string())
        }
    })
}

/// The alert of TLS that a code stands for (RFC 9001, section 4.8).
fn alert(code: TransportErrorCode) -> Option<u8> {
    let code = u64::from(code);
    (code & !0xff == 0x100).then(|| code.to_le_bytes()[0])
}

/// The name of a code (RFC 9000, section 20.1).
fn name_of(code: TransportErrorCode) -> String {
    const NAMES: [&str; 17] = [
        "NO_ERROR",
        "INTERNAL_ERROR",
        "CONNECTION_REFUSED",
        "FLOW_CONTROL_ERROR",
        "STREAM_LIMIT_ERROR",
        "STREAM_STATE_ERROR",
        "FINAL_SIZE_ERROR",
        "FRAME_ENCODING_ERROR",
        "TRANSPORT_PARAMETER_ERROR",
        "CONNECTION_ID_LIMIT_ERROR",
        "PROTOCOL_VIOLATION",
        "INVALID_TOKEN",
        "APPLICATION_ERROR",
        "CRYPTO_BUFFER_EXCEEDED",
        "KEY_UPDATE_ERROR",
        "AEAD_LIMIT_REACHED",
        "NO_VIABLE_PATH",
    ];
    let code = u64::from(code);
    let name = usize::try_from(code).ok().and_then(|code| NAMES.get(code));
    name.map_or_else(|| format!("error code {code:#x}"), |&name| name.to_owned())
}

fn why(reason: &[u8]) -> String {
    if reason.is_empty() { String::new() } else { format!(" ({})", text(reason)) }
}

fn text(reason: &[u8]) -> String {
    String::from_utf8_lossy(reason).into_owned()
}
