//! The upgrade from HTTP/1.1, and the check of its answer (RFC 6455, section 4).

use super::deflate::{self, OFFER};
use super::{Keys, Message};
use crate::head::{self, FIELDS_LIMIT, HEAD_LIMIT, Malformed};
use crate::protocol::{Loss, Step};
use crate::request::{Request, RequestError};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use httparse::{Header, Response, Status};
use sha1::{Digest, Sha1};
use std::fmt;

/// The fields of an upgrade, except its key, which comes last.
const FIELDS: [(&str, &str); 3] =
    [("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")];

const KEY: &str = "Sec-WebSocket-Key";
const PROTOCOL: &str = "Sec-WebSocket-Protocol";
const EXTENSIONS: &str = "Sec-WebSocket-Extensions";

/// The facts that a server needs to agree to an upgrade.
const GUID: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// Bytes of [`accept`]: a SHA-1 in base64.
const ACCEPT_LENGTH: usize = 28;

/// Why an answer does not agree to the upgrade.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpgradeFault {
    /// Its status is not 101.
    Status(u16),
    /// `Upgrade: websocket` is missing.
    Upgrade,
    /// `Connection: Upgrade` is missing.
    Connection,
    /// `Sec-WebSocket-Accept` is missing, or answers another key.
    Accept,
    /// It chooses an extension, or parameters of one, that were not offered.
    Extension,
    /// It does not agree to compression.
    Compression,
    /// It chooses a subprotocol that was not offered.
    Subprotocol,
}

impl fmt::Display for UpgradeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wrong = match *self {
            Self::Status(status) => {
                return write!(f, "status of the answer to the upgrade is {status}, expected 101");
            }
            Self::Upgrade => "lacks Upgrade: websocket",
            Self::Connection => "lacks Connection: Upgrade",
            Self::Accept => "has not the Sec-WebSocket-Accept that belongs to our key",
            Self::Extension => "chooses an extension that was not offered, or not so",
            Self::Compression => "does not agree to permessage-deflate",
            Self::Subprotocol => "chooses a subprotocol that was not offered",
        };
        write!(f, "the answer to the upgrade {wrong}")
    }
}

/// The upgrade that all connections begin with, except for its key.
#[derive(Debug)]
pub struct Upgrade {
    /// The bytes before the key.
    before: Vec<u8>,
    /// Where the path ends in them, and what joins a room's number to it, if there are rooms.
    room: Option<(usize, &'static [u8])>,
    /// Subprotocols that it offers.
    offered: Vec<String>,
    /// Whether it offers compression, which the server has to accept.
    compresses: bool,
}

/// The value that agrees to one upgrade.
pub(crate) type Accept = [u8; ACCEPT_LENGTH];

impl Upgrade {
    /// For a request, whose fields may add a subprotocol or a cookie.
    pub fn new(request: &Request) -> Result<Self, RequestError> {
        let ours = |name: &str| {
            let fields = FIELDS.iter().map(|(ours, _)| ours).chain([&KEY, &EXTENSIONS]);
            fields.into_iter().any(|ours| name.eq_ignore_ascii_case(ours))
        };
        if let Some((name, _)) = request.headers.iter().find(|(name, _)| ours(name)) {
            return Err(RequestError::Ours(name.clone()));
        }
        let own = FIELDS.into_iter().chain([(KEY, "")]);
        let compresses = request.message.as_deref().is_some_and(Message::is_compressed);
        let own = compresses.then_some((EXTENSIONS, OFFER)).into_iter().chain(own);
        let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let headers = request.headers.iter().cloned().chain(own).collect();
        let offers = request.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case(PROTOCOL));
        let mut before = Request { headers, ..request.clone() }.render_head()?;
        before.truncate(before.len() - b"\r\n\r\n".len());
        let path_end = request.method.len() + 1 + request.path.len();
        let joint: &[u8] = if request.path.contains('?') { b"&room=" } else { b"?room=" };
        let has_rooms = request.message.as_deref().is_some_and(|it| it.number().is_some());
        Ok(Self {
            before,
            room: has_rooms.then_some((path_end, joint)),
            offered: offers
                .flat_map(|(_, value)| value.split(',').map(|name| name.trim().to_owned()))
                .collect(),
            compresses,
        })
    }

    /// Appends the upgrade to `out`, with a new key; to a room, if there are rooms.
    pub(crate) fn write(&self, room: usize, keys: &mut Keys, out: &mut Vec<u8>) -> Accept {
        let key = STANDARD.encode(keys.nonce());
        let (path_end, joint) = self.room.unwrap_or_default();
        out.extend_from_slice(&self.before[..path_end]);
        if self.room.is_some() {
            out.extend_from_slice(joint);
            out.extend_from_slice(room.to_string().as_bytes());
        }
        out.extend_from_slice(&self.before[path_end..]);
        out.extend_from_slice(key.as_bytes());
        out.extend_from_slice(b"\r\n\r\n");
        accept(key.as_bytes())
    }

    /// Reads the answer from all bytes so far: its length if it agrees, `None` if it is not
    /// complete.
    pub(crate) fn read(&self, bytes: &[u8], accept: Accept) -> Result<Option<usize>, Step> {
        let malformed = |what| Step::Malformed(Malformed { what, at: 0 });
        head::begins_well(bytes)
            .map_err(|(at, what)| Step::Malformed(Malformed { what, at: at as u64 }))?;
        let mut fields = [httparse::EMPTY_HEADER; FIELDS_LIMIT];
        let mut answer = Response::new(&mut fields);
        match answer.parse(bytes) {
            Ok(Status::Complete(length)) => {
                self.check(answer.code.unwrap_or_default(), answer.headers, accept)
                    .map_err(|fault| Step::Lost(Loss::NotUpgraded(fault)))?;
                Ok(Some(length))
            }
            Ok(Status::Partial) if bytes.len() < HEAD_LIMIT => Ok(None),
            Ok(Status::Partial) => {
                Err(malformed("the head of the answer to the upgrade is too long"))
            }
            Err(_) => Err(malformed("the head of the answer to the upgrade is not HTTP's")),
        }
    }

    fn check(
        &self,
        status: u16,
        fields: &[Header<'_>],
        accept: Accept,
    ) -> Result<(), UpgradeFault> {
        let values = |name: &'static str| {
            let fields = fields.iter().filter(move |field| field.name.eq_ignore_ascii_case(name));
            fields.map(|field| field.value.trim_ascii())
        };
        let has = |name, word: &str| {
            let mut parts = values(name).flat_map(|value| value.split(|&byte| byte == b','));
            parts.any(|part| part.trim_ascii().eq_ignore_ascii_case(word.as_bytes()))
        };
        let mut extensions = values(EXTENSIONS).filter(|value| !value.is_empty());
        let extension = extensions.next();
        let is_offered = |name: &[u8]| self.offered.iter().any(|own| own.as_bytes() == name);
        let rules = [
            (status == 101, UpgradeFault::Status(status)),
            (has("upgrade", "websocket"), UpgradeFault::Upgrade),
            (has("connection", "upgrade"), UpgradeFault::Connection),
            (values("sec-websocket-accept").eq([&accept[..]]), UpgradeFault::Accept),
            (
                extensions.next().is_none()
                    && extension.is_none_or(|it| self.compresses && deflate::is_agreement(it)),
                UpgradeFault::Extension,
            ),
            (extension.is_some() || !self.compresses, UpgradeFault::Compression),
            (values(PROTOCOL).all(is_offered), UpgradeFault::Subprotocol),
        ];
        rules.into_iter().find(|(is_right, _)| !is_right).map_or(Ok(()), |(_, fault)| Err(fault))
    }
}

/// The value of `Sec-WebSocket-Accept` for a key.
pub fn accept(key: &[u8]) -> [u8; ACCEPT_LENGTH] {
    let hash = Sha1::new().chain_update(key).chain_update(GUID).finalize();
    let mut text = [0; ACCEPT_LENGTH];
    STANDARD.encode_slice(hash, &mut text).expect("20 bytes are 28 in base64");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn upgrade(headers: &[(&str, &str)]) -> Result<Upgrade, RequestError> {
        with_message(headers, Message::new(Vec::new(), true).unwrap())
    }

    fn with_message(headers: &[(&str, &str)], message: Message) -> Result<Upgrade, RequestError> {
        let headers = headers.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
        Upgrade::new(&Request {
            method: "GET".into(),
            path: "/chat".into(),
            host: "server.example.com".into(),
            headers: headers.collect(),
            message: Some(message.into()),
            ..Request::default()
        })
    }

    const GOOD: &str = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\n\
        Connection: keep-alive, upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";

    #[test]
    fn the_standard_s_key_has_the_standard_s_answer() {
        assert_eq!(&accept(b"dGhlIHNhbXBsZSBub25jZQ=="), b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }

    #[test]
    fn an_upgrade_ends_with_its_key() {
        let (mut out, mut keys) = (Vec::new(), Keys::new(1));
        let upgrade = upgrade(&[("Cookie", "a=1")]).unwrap();
        let accepted = upgrade.write(0, &mut keys, &mut out);
        let text = String::from_utf8(out).unwrap();
        let key = text.strip_prefix(
            "GET /chat HTTP/1.1\r\nHost: server.example.com\r\nCookie: a=1\r\nConnection: Upgrade\r\n\
             Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ",
        );
        let key = key.and_then(|rest| rest.strip_suffix("\r\n\r\n")).unwrap();
        assert_eq!((key.len(), accept(key.as_bytes())), (24, accepted));
        assert_ne!(upgrade.write(0, &mut keys, &mut Vec::new()), accepted);
    }

    #[test]
    fn an_upgrade_names_its_room() {
        for (path, line) in
            [("/chat", "GET /chat?room=7 HTTP"), ("/c?a=b", "GET /c?a=b&room=7 HTTP")]
        {
            let message = Message::new(Vec::new(), true).unwrap().numbered(0);
            let (method, host) = ("GET".to_owned(), "a".to_owned());
            let message = Some(Arc::new(message));
            let path = path.to_owned();
            let request = Request { method, path, host, message, ..Request::default() };
            let mut out = Vec::new();
            Upgrade::new(&request).unwrap().write(7, &mut Keys::new(1), &mut out);
            assert!(out.starts_with(line.as_bytes()), "{}", String::from_utf8_lossy(&out));
        }
    }

    #[test]
    fn what_the_upgrade_says_itself_is_refused() {
        for name in ["connection", "Upgrade", "Sec-WebSocket-Key", "Sec-WebSocket-Extensions"] {
            let wrong = upgrade(&[(name, "x")]).unwrap_err();
            assert_eq!(wrong, RequestError::Ours(name.into()));
        }
    }

    #[test]
    fn an_answer_agrees_or_it_is_named_why_not() {
        let accept = accept(b"dGhlIHNhbXBsZSBub25jZQ==");
        let fault = |answer: &str| match upgrade(&[(PROTOCOL, "a, b")])
            .unwrap()
            .read(answer.as_bytes(), accept)
        {
            Ok(end) => panic!("{answer}: {end:?}"),
            Err(Step::Lost(Loss::NotUpgraded(fault))) => fault,
            Err(step) => panic!("{answer}: {step:?}"),
        };
        let with = |field: &str| GOOD.replace("\r\n\r\n", &format!("\r\n{field}\r\n\r\n"));
        for (answer, expected) in [
            ("HTTP/1.1 404 Not Found\r\n\r\n".to_owned(), UpgradeFault::Status(404)),
            (GOOD.replace("WebSocket\r\n", "h2c\r\n"), UpgradeFault::Upgrade),
            (GOOD.replace(", upgrade", ""), UpgradeFault::Connection),
            (GOOD.replace("s3p", "S3p"), UpgradeFault::Accept),
            (GOOD.replace("Sec-WebSocket-Accept", "X"), UpgradeFault::Accept),
            (with("Sec-WebSocket-Accept: x"), UpgradeFault::Accept),
            (with("Sec-WebSocket-Extensions: permessage-deflate"), UpgradeFault::Extension),
            (with("Sec-WebSocket-Protocol: c"), UpgradeFault::Subprotocol),
        ] {
            assert_eq!(fault(&answer), expected, "{answer}");
        }
        for answer in [GOOD, &with("Sec-WebSocket-Protocol: b"), &with("Sec-WebSocket-Extensions:")]
        {
            let read = |bytes| upgrade(&[(PROTOCOL, "a, b")]).unwrap().read(bytes, accept);
            assert_eq!(read(answer.as_bytes()), Ok(Some(answer.len())), "{answer}");
            for end in 0..answer.len() {
                assert_eq!(read(&answer.as_bytes()[..end]), Ok(None));
            }
        }
    }

    #[test]
    fn compression_is_agreed_to_as_it_was_offered() {
        let offering =
            with_message(&[], Message::new(Vec::new(), true).unwrap().compressed()).unwrap();
        assert!(
            str::from_utf8(&offering.before)
                .unwrap()
                .contains(&format!("\r\n{EXTENSIONS}: {OFFER}\r\n"))
        );
        let accept = accept(b"dGhlIHNhbXBsZSBub25jZQ==");
        for (values, fault) in [
            (&["permessage-deflate; server_no_context_takeover"][..], None),
            (
                &[
                    "Permessage-Deflate;client_no_context_takeover; server_no_context_takeover ;server_max_window_bits=9",
                ],
                None,
            ),
            (&["", "permessage-deflate; server_no_context_takeover"], None),
            (&[], Some(UpgradeFault::Compression)),
            (&[""], Some(UpgradeFault::Compression)),
            (&["permessage-deflate"], Some(UpgradeFault::Extension)),
            (&["x-webkit-deflate-frame"], Some(UpgradeFault::Extension)),
            (
                &["permessage-deflate; server_no_context_takeover; client_max_window_bits=15"],
                Some(UpgradeFault::Extension),
            ),
            (
                &["permessage-deflate; server_no_context_takeover; server_max_window_bits=16"],
                Some(UpgradeFault::Extension),
            ),
            (
                &["permessage-deflate; server_no_context_takeover; server_no_context_takeover"],
                Some(UpgradeFault::Extension),
            ),
            (&["permessage-deflate; server_no_context_takeover, x"], Some(UpgradeFault::Extension)),
            (&["permessage-deflate; server_no_context_takeover"; 2], Some(UpgradeFault::Extension)),
        ] {
            let lines: String =
                values.iter().map(|value| ["\r\n", EXTENSIONS, ": ", value].concat()).collect();
            let answer = GOOD.replace("\r\n\r\n", &format!("{lines}\r\n\r\n"));
            let read = offering.read(answer.as_bytes(), accept);
            let expected = fault
                .map_or(Ok(Some(answer.len())), |fault| Err(Step::Lost(Loss::NotUpgraded(fault))));
            assert_eq!(read, expected, "{values:?}");
        }
    }
}
