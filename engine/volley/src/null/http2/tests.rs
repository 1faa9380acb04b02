//! The frames that a client would see. Each conversation is tested whole and byte by byte.

use super::*;
use std::iter::once;

/// One frame of the server: kind, flags, stream, payload.
type Frame = (u8, u8, u32, Vec<u8>);

fn frames(mut bytes: &[u8]) -> Vec<Frame> {
    let mut frames = Vec::new();
    while let Some((head, rest)) = bytes.split_first_chunk() {
        let FrameHead { length, kind, flags, stream } = FrameHead::read(head);
        let (payload, rest) = rest.split_at(length as usize);
        frames.push((kind, flags, stream, payload.to_vec()));
        bytes = rest;
    }
    assert_eq!(bytes, b"", "a frame is not whole");
    frames
}

/// The client's bytes, which begin with the preface and empty SETTINGS.
struct Client(Vec<u8>);

impl Client {
    fn new() -> Self {
        Self::with(&[])
    }

    fn with(settings: &[(u16, u32)]) -> Self {
        let mut bytes = PREFACE.to_vec();
        frame::write_settings(&mut bytes, settings);
        Self(bytes)
    }

    fn frame(mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Self {
        frame::write(&mut self.0, kind, flags, stream, payload);
        self
    }

    /// A request without a body. The server recognises only HEAD, so any other method will do.
    fn get(self, stream: u32) -> Self {
        self.frame(kind::HEADERS, flag::END_HEADERS | flag::END_STREAM, stream, b"\x82")
    }

    fn window(mut self, stream: u32, more: u32) -> Self {
        frame::write_window_update(&mut self.0, stream, more);
        self
    }

    fn settings(mut self, settings: &[(u16, u32)]) -> Self {
        frame::write_settings(&mut self.0, settings);
        self
    }

    /// All bytes of the server after its greeting and the acknowledgement of our SETTINGS, and
    /// whether it ends the connection.
    fn hears(&self, body: &[u8]) -> (Vec<Frame>, bool) {
        let server = Http2::new(body.to_vec());
        let hear = |pieces: &mut dyn Iterator<Item = &[u8]>| {
            let (mut connection, mut heard, mut due) =
                (Connection::default(), Vec::new(), Due::default());
            server.greet(&mut connection, &mut due);
            assert_eq!(frames(&due.bytes).len(), 2, "SETTINGS and a window");
            let mut ends = false;
            for piece in pieces {
                due.clear();
                server.receive(&mut connection, piece, &mut due);
                heard.extend_from_slice(&due.bytes);
                ends |= due.ends;
            }
            (frames(&heard), ends)
        };
        let (whole, ends) = hear(&mut once(&self.0[..]));
        let (by_bytes, ends_too) = hear(&mut self.0.chunks(1));
        assert_eq!((&by_bytes, ends_too), (&whole, ends));
        let behind = whole.strip_prefix(&[(kind::SETTINGS, flag::ACK, 0, vec![])]);
        (behind.unwrap_or(&whole).to_vec(), ends)
    }

    /// The bytes of DATA for each stream, in the order of their ends, and of those without one.
    fn gets(&self, body: &[u8]) -> Vec<(u32, usize, bool)> {
        let mut got: Vec<(u32, usize, bool)> = Vec::new();
        for (kind, flags, stream, payload) in self.hears(body).0 {
            match (kind, got.iter_mut().find(|(known, ..)| *known == stream)) {
                (kind::HEADERS, None) => got.push((stream, 0, flags & flag::END_STREAM != 0)),
                (kind::DATA, Some((_, length, ends))) => {
                    assert!(!*ends, "DATA behind the end of {stream}");
                    assert!(payload.len() <= 1 << 14);
                    assert_eq!(payload, body[*length..*length + payload.len()]);
                    *length += payload.len();
                    *ends = flags & flag::END_STREAM != 0;
                }
                (kind::SETTINGS, _) => {}
                other => panic!("{other:?}"),
            }
        }
        got
    }
}

#[test]
fn each_request_gets_one_answer_on_its_stream() {
    let (heard, ends) = Client::new().get(1).get(3).hears(b"Hello, World!");
    let block = b"\x88\x0f\x10\x0atext/plain\x0f\x0d\x0213".to_vec();
    let answer = |stream| {
        [
            (kind::HEADERS, flag::END_HEADERS, stream, block.clone()),
            (kind::DATA, flag::END_STREAM, stream, b"Hello, World!".to_vec()),
        ]
    };
    assert_eq!(heard, [answer(1), answer(3)].concat());
    assert!(!ends);
    let (heard, _) = Client::new().get(7).hears(b"");
    let empty = b"\x88\x0f\x10\x0atext/plain\x0f\x0d\x010".to_vec();
    assert_eq!(heard, [(kind::HEADERS, flag::END_HEADERS | flag::END_STREAM, 7, empty)]);
}

#[test]
fn head_gets_no_body() {
    let ends = flag::END_HEADERS | flag::END_STREAM;
    // `:method: HEAD` in full, added to the table, and from the table; and GET.
    let (plain, added, indexed, get) = (b"\x02\x04HEAD", b"\x42\x04HEAD", b"\xbe", b"\x82");
    let answers = Client::new()
        .frame(kind::HEADERS, ends, 1, plain)
        .frame(kind::HEADERS, ends, 3, added)
        .frame(kind::HEADERS, ends, 5, indexed)
        .frame(kind::HEADERS, ends, 7, indexed)
        .frame(kind::HEADERS, ends, 9, get)
        .frame(kind::HEADERS, ends, 11, indexed);
    let [none, some] = [0, 2].map(|length| move |stream| (stream, length, true));
    assert_eq!(answers.gets(b"hi"), [none(1), none(3), none(5), none(7), some(9), none(11)]);
    let padded = flag::PADDED | flag::PRIORITY | ends;
    let padded = Client::new().frame(kind::HEADERS, padded, 1, b"\x01\0\0\0\0\x10\x02\x04HEAD\0");
    assert_eq!(padded.gets(b"hi"), [none(1)]);
    let parted = Client::new().frame(kind::HEADERS, flag::END_STREAM, 1, b"\x02\x04HE");
    let parted = parted.frame(kind::CONTINUATION, flag::END_HEADERS, 1, b"AD");
    assert_eq!(parted.gets(b"hi"), [none(1)]);
    let later = Client::new().frame(kind::HEADERS, flag::END_HEADERS, 1, plain);
    assert_eq!(later.frame(kind::DATA, flag::END_STREAM, 1, b"x").gets(b"hi"), [none(1)]);
}

#[test]
fn a_request_is_answered_once_it_is_whole() {
    let open = || Client::new().frame(kind::HEADERS, flag::END_HEADERS, 1, b"\x83");
    let end = flag::END_STREAM;
    assert_eq!(open().gets(b"x"), []);
    assert_eq!(open().frame(kind::DATA, 0, 1, b"a").gets(b"x"), []);
    let with_body = open().frame(kind::DATA, 0, 1, b"a").frame(kind::DATA, end, 1, b"");
    assert_eq!(with_body.gets(b"x"), [(1, 1, true)]);
    let with_trailers = open().frame(kind::HEADERS, flag::END_HEADERS | end, 1, b"\x82");
    assert_eq!(with_trailers.gets(b"x"), [(1, 1, true)]);
    let parted = Client::new().frame(kind::HEADERS, end, 1, b"\x82");
    assert_eq!(parted.gets(b"x"), []);
    let parted = parted.frame(kind::CONTINUATION, 0, 1, b"\x84");
    let parted = parted.frame(kind::CONTINUATION, flag::END_HEADERS, 1, b"\x86");
    assert_eq!(parted.gets(b"x"), [(1, 1, true)]);
    let cancelled = open().frame(kind::RST_STREAM, 0, 1, &[0, 0, 0, 8]);
    assert_eq!(cancelled.frame(kind::DATA, end, 1, b"a").gets(b"x"), []);
    assert_eq!(
        open().get(3).frame(kind::DATA, end, 1, b"").gets(b"x"),
        [(3, 1, true), (1, 1, true)]
    );
}

#[test]
fn answers_wait_for_the_client_s_windows() {
    let body: Vec<u8> = (0..40_000_u32).map(|n| n.to_le_bytes()[0]).collect();
    let small = [(setting::INITIAL_WINDOW_SIZE, 10_000)];
    assert_eq!(Client::with(&small).get(1).gets(&body), [(1, 10_000, false)]);
    let more = Client::with(&small).get(1).window(1, 29_999);
    assert_eq!(more.gets(&body), [(1, 39_999, false)]);
    assert_eq!(more.window(1, 1).gets(&body), [(1, 40_000, true)]);
    // What SETTINGS add applies to open streams, too.
    let later = Client::with(&small).get(1).settings(&[(setting::INITIAL_WINDOW_SIZE, 40_000)]);
    assert_eq!(later.gets(&body), [(1, 40_000, true)]);
    // So does what they subtract: the window is below 0 then.
    let less = Client::with(&small).get(1).settings(&[(setting::INITIAL_WINDOW_SIZE, 0)]);
    assert_eq!(less.window(1, 15_000).gets(&body), [(1, 15_000, false)]);
    // All streams share the connection's window.
    let two = Client::new().get(1).get(3);
    assert_eq!(two.gets(&body), [(1, 40_000, true), (3, 25_535, false)]);
    assert_eq!(two.window(0, 20_000).gets(&body), [(1, 40_000, true), (3, 40_000, true)]);
    // A window may grow before the request is complete.
    let early = Client::with(&small).frame(kind::HEADERS, flag::END_HEADERS, 1, b"\x83");
    let early = early.window(1, 30_000).frame(kind::DATA, flag::END_STREAM, 1, b"a");
    assert_eq!(early.gets(&body), [(1, 40_000, true)]);
    // A short answer waits, too; an empty one needs no window.
    let shut = Client::with(&[(setting::INITIAL_WINDOW_SIZE, 0)]).get(1);
    assert_eq!(shut.gets(b"x"), [(1, 0, false)]);
    assert_eq!(shut.gets(b""), [(1, 0, true)]);
    assert_eq!(shut.window(1, 1).gets(b"x"), [(1, 1, true)]);
}

#[test]
fn pings_and_settings_are_acknowledged_and_advice_is_not_heeded() {
    let (heard, _) = Client::new()
        .frame(kind::PING, 0, 0, b"12345678")
        .frame(kind::PING, flag::ACK, 0, b"87654321")
        .frame(kind::SETTINGS, flag::ACK, 0, b"")
        .frame(kind::PRIORITY, 0, 1, &[0; 5])
        .frame(0xbe, 0xff, 77, b"whatever")
        .frame(kind::GOAWAY, 0, 0, &[0; 8])
        .settings(&[(0x7777, 1), (setting::HEADER_TABLE_SIZE, 0)])
        .hears(b"x");
    let ping = (kind::PING, flag::ACK, 0, b"12345678".to_vec());
    assert_eq!(heard, [ping, (kind::SETTINGS, flag::ACK, 0, vec![])]);
}

#[test]
fn a_client_that_breaks_the_protocol_is_told_and_left() {
    let preface_of_http1 = Client(b"GET / HTTP/1.1\r\n\r\n".to_vec());
    let no_settings = Client(PREFACE.to_vec()).get(1);
    let new = Client::new;
    let open = || new().frame(kind::HEADERS, 0, 1, b"\x82");
    let cases = [
        (preface_of_http1, code::PROTOCOL_ERROR),
        (no_settings, code::PROTOCOL_ERROR),
        (new().get(2), code::PROTOCOL_ERROR),
        (new().get(0), code::PROTOCOL_ERROR),
        (new().get(3).get(1), code::PROTOCOL_ERROR),
        (new().frame(kind::CONTINUATION, flag::END_HEADERS, 1, b""), code::PROTOCOL_ERROR),
        (open().get(3), code::PROTOCOL_ERROR),
        (open().frame(kind::CONTINUATION, flag::END_HEADERS, 3, b""), code::PROTOCOL_ERROR),
        (new().frame(kind::DATA, 0, 1, b""), code::PROTOCOL_ERROR),
        (new().frame(kind::HEADERS, flag::END_HEADERS, 1, b"\xbe"), code::COMPRESSION_ERROR),
        (new().frame(kind::HEADERS, flag::PADDED, 1, b"\x05"), code::PROTOCOL_ERROR),
        (new().frame(kind::HEADERS, flag::PRIORITY, 1, b"\0\0\0\0"), code::PROTOCOL_ERROR),
        (new().frame(kind::PUSH_PROMISE, 0, 1, b"\0\0\0\x02"), code::PROTOCOL_ERROR),
        (new().frame(kind::DATA, 0, 1, &vec![0; 16_385]), code::FRAME_SIZE_ERROR),
        (new().frame(kind::SETTINGS, 0, 0, b"12345"), code::FRAME_SIZE_ERROR),
        (new().frame(kind::SETTINGS, flag::ACK, 0, b"123456"), code::FRAME_SIZE_ERROR),
        (new().frame(kind::SETTINGS, 0, 1, b""), code::PROTOCOL_ERROR),
        (new().frame(kind::PING, 0, 0, b"1234567"), code::FRAME_SIZE_ERROR),
        (new().frame(kind::WINDOW_UPDATE, 0, 0, b"123"), code::FRAME_SIZE_ERROR),
        (new().window(0, 0), code::PROTOCOL_ERROR),
        (new().window(0, frame::WINDOW_LIMIT), code::FLOW_CONTROL_ERROR),
        (new().settings(&[(setting::INITIAL_WINDOW_SIZE, 1 << 31)]), code::FLOW_CONTROL_ERROR),
        (new().settings(&[(setting::MAX_FRAME_SIZE, 16_383)]), code::PROTOCOL_ERROR),
        (new().settings(&[(setting::MAX_FRAME_SIZE, 1 << 24)]), code::PROTOCOL_ERROR),
    ];
    for (client, code) in cases {
        // After the error nothing is answered.
        let (heard, ends) = Client([&client.0[..], &Client::new().get(9).0].concat()).hears(b"x");
        let (kind, _, _, payload) = heard.last().unwrap();
        let told = payload.get(4..8).map(|told| u32::from_be_bytes(told.try_into().unwrap()));
        assert_eq!((*kind, told, ends), (kind::GOAWAY, Some(code), true), "{:?}", client.0);
    }
}

#[test]
fn our_window_is_filled_up() {
    let server = Http2::new(b"x".to_vec());
    let (mut connection, mut due) = (Connection::default(), Due::default());
    let start = Client::new().frame(kind::HEADERS, flag::END_HEADERS, 1, b"\x83");
    server.receive(&mut connection, &start.0, &mut due);
    connection.used = WINDOW_STEP - 1;
    due.clear();
    let mut data = Vec::new();
    frame::write_data(&mut data, 1, b"abc", false, 100);
    server.receive(&mut connection, &data, &mut due);
    let more = (WINDOW_STEP + 2).to_be_bytes().to_vec();
    assert_eq!(frames(&due.bytes), [(kind::WINDOW_UPDATE, 0, 0, more)]);
    assert_eq!(connection.used, 0);
}
