//! HTTP/3 if the server, or the path to it, is faulty: the right kind of error, a message that
//! names the cause, and no hang.

use crate::load;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use volley_protocol::h3::record::{Kind, Record};
use volley_protocol::h3::{frame, qpack, varint};
use volley_quic::Server;
use volley_tls::{Identity, Serving};

/// The kind of the first failure of a load, and its message.
fn failure(address: SocketAddr, more: &[&str]) -> (String, String) {
    let url = format!("https://{address}/");
    let words = ["--protocol", "h3", "-k", "-c", "1", "-d", "1s", "--connect-timeout", "800ms"];
    let (_, value) = load(&[&words[..], more, &[&url]].concat());
    let said = |key: &str| value["first_bad"][key].as_str().unwrap_or_default().to_owned();
    let kind = said("kind");
    assert!(value["errors"][&kind].as_u64().is_some_and(|count| count > 0), "{value:#}");
    (kind, said("detail"))
}

/// A server on its own thread, which answers each request with these records of stream 0.
struct Served {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    fn new(alpn: &str, answer: Vec<u8>) -> Self {
        let (identity, _) = Identity::of_its_own().unwrap();
        let serving = Serving::new(identity, alpn).unwrap();
        let mut server =
            Server::bind("127.0.0.1:0".parse().unwrap(), &serving, answer.len()).unwrap();
        let (address, stop) = (server.address(), Arc::new(AtomicBool::new(false)));
        let seen = stop.clone();
        let thread = std::thread::spawn(move || {
            while !seen.load(Ordering::Relaxed) {
                let turn = server.turn(Duration::from_millis(20), |_, is_new, records, out| {
                    if is_new {
                        Record::write_by(out, 3, Kind::Bytes, |out| {
                            frame::write_control(out, 65_536);
                        });
                    }
                    let is_asked =
                        Record::first(records).is_some_and(|(first, ..)| first.stream == 0);
                    if is_asked {
                        out.extend_from_slice(&answer);
                    }
                    None
                });
                turn.unwrap();
            }
        });
        Self { address, stop, thread: Some(thread) }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
    }
}

fn record(stream: u64, kind: Kind, write: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    Record::write_by(&mut out, stream, kind, write);
    out
}

#[test]
fn where_nobody_speaks_quic_it_is_said_that_it_is_about_udp() {
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let (kind, detail) = failure(silent.local_addr().unwrap(), &[]);
    assert_eq!(kind, "connect_timeout");
    assert!(detail.contains("no answer over UDP"), "{detail}");
    let address = silent.local_addr().unwrap();
    drop(silent);
    let (kind, detail) = failure(address, &[]);
    assert_eq!(kind, "connect_refused");
    assert!(detail.contains("UDP port"), "{detail}");
}

#[test]
fn a_server_of_another_version_is_told() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    let server = std::thread::spawn(move || {
        let mut bytes = [0; 2048];
        while let Ok((length, client)) = socket.recv_from(&mut bytes) {
            // RFC 9000, section 17.2.1: the connection's IDs change places.
            let (to, rest) = bytes[6..length].split_at(usize::from(bytes[5]));
            let from = &rest[1..][..usize::from(rest[0])];
            let id = |id: &[u8]| [&[u8::try_from(id.len()).unwrap()][..], id].concat();
            let other = 0x6b33_43cf_u32.to_be_bytes();
            let answer = [&[0x80, 0, 0, 0, 0][..], &id(from), &id(to), &other].concat();
            socket.send_to(&answer, client).unwrap();
        }
    });
    let (kind, detail) = failure(address, &[]);
    assert_eq!(kind, "connect");
    assert!(detail.contains("no version of QUIC"), "{detail}");
    server.join().unwrap();
}

#[test]
fn a_server_of_another_protocol_is_told() {
    let served = Served::new("hq-interop", vec![]);
    let (kind, detail) = failure(served.address, &[]);
    assert_eq!((kind.as_str(), detail.contains("offered h3")), ("alpn", true), "{detail}");
}

#[test]
fn a_server_that_breaks_off_or_breaks_rules_is_told_by_kind() {
    let reset = record(0, Kind::Reset, |out| varint::write(out, 0x10b));
    let goaway = record(3, Kind::Bytes, |out| frame::write(out, frame::kind::GOAWAY, &[0]));
    let dynamic =
        record(0, Kind::Last, |out| frame::write(out, frame::kind::HEADERS, b"\x02\0\x80"));
    let large = record(0, Kind::Last, |out| {
        let mut block = Vec::new();
        qpack::write_prefix(&mut block);
        qpack::write_field(&mut block, "x", &"x".repeat(1 << 20), false);
        frame::write(out, frame::kind::HEADERS, &block);
    });
    let short = record(0, Kind::Last, |out| frame::write_head(out, frame::kind::HEADERS, 9));
    for (answer, kind, part) in [
        (reset, "stream_reset", "H3_REQUEST_REJECTED"),
        (goaway, "goaway", "GOAWAY"),
        (dynamic, "malformed", "dynamic table"),
        (large, "malformed", "larger than 65536 bytes"),
        (short, "malformed", "within a frame"),
    ] {
        let served = Served::new("h3", answer);
        let (got, detail) = failure(served.address, &[]);
        assert_eq!(got, kind, "{detail}");
        assert!(detail.contains(part), "{detail}");
    }
}
