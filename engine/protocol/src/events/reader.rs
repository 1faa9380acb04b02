//! Server-sent events, read by the HTML standard (section 9.2.6).

use std::mem;

/// The most bytes of one event, and of one line, that are read.
pub const EVENT_LIMIT: usize = 1 << 20;

const TOO_LONG: &str = "an event of more than 1048576 bytes";
const NOT_UTF8: &str = "an event whose data is not UTF-8";

/// An event that is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event<'a> {
    /// Its lines of data, joined by line feeds.
    pub data: &'a [u8],
    /// Its id, or the latest one before it; empty without any.
    pub id: &'a [u8],
}

/// Reads one stream, which may be cut anywhere.
#[derive(Debug, Default)]
pub struct EventReader {
    /// The beginning of an incomplete line.
    line: Vec<u8>,
    /// The data of an incomplete event, each line with a line feed.
    data: Vec<u8>,
    id: Vec<u8>,
    is_behind_first_line: bool,
    is_behind_cr: bool,
}

impl EventReader {
    /// Takes the next bytes, and passes on the events that end in them. An error, a message, is
    /// final.
    pub fn feed(
        &mut self,
        mut bytes: &[u8],
        mut on_event: impl FnMut(Event<'_>),
    ) -> Result<(), &'static str> {
        if mem::take(&mut self.is_behind_cr) {
            self.is_behind_cr = bytes.is_empty();
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = memchr::memchr2(b'\r', b'\n', bytes) {
            let (line, rest) = bytes.split_at(end);
            bytes = rest.strip_prefix(b"\r\n").unwrap_or(&rest[1..]);
            self.is_behind_cr = rest == b"\r";
            if self.line.is_empty() {
                self.take_line(line, &mut on_event)?;
                continue;
            }
            self.keep(line)?;
            let line = mem::take(&mut self.line);
            self.take_line(&line, &mut on_event)?;
            self.line = line;
            self.line.clear();
        }
        self.keep(bytes)
    }

    /// Whether the end of the stream would cut off an event.
    pub fn is_within_event(&self) -> bool {
        !self.data.is_empty() || !self.line.is_empty()
    }

    fn keep(&mut self, piece: &[u8]) -> Result<(), &'static str> {
        self.ensure_room(self.line.len() + piece.len())?;
        self.line.extend_from_slice(piece);
        Ok(())
    }

    fn ensure_room(&self, length: usize) -> Result<(), &'static str> {
        if self.data.len() + length > EVENT_LIMIT { Err(TOO_LONG) } else { Ok(()) }
    }

    fn take_line(
        &mut self,
        mut line: &[u8],
        on_event: &mut impl FnMut(Event<'_>),
    ) -> Result<(), &'static str> {
        if !mem::replace(&mut self.is_behind_first_line, true) {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if line.is_empty() {
            // Without any data it is not an event.
            if let Some((_, data)) = self.data.split_last() {
                str::from_utf8(data).map_err(|_| NOT_UTF8)?;
                on_event(Event { data, id: &self.id });
                self.data.clear();
            }
            return Ok(());
        }
        let (field, value) = match memchr::memchr(b':', line) {
            None => (line, &[][..]),
            Some(at) => (&line[..at], &line[at + 1..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                self.ensure_room(value.len() + 1)?;
                self.data.extend_from_slice(value);
                self.data.push(b'\n');
            }
            b"id" if !value.contains(&0) => {
                self.ensure_room(value.len())?;
                self.id.clear();
                self.id.extend_from_slice(value);
            }
            // A comment, the name of an event, a reconnection time, or an unknown field.
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The events of a stream in pieces, as data and id, and its error.
    fn read<'a>(
        pieces: impl IntoIterator<Item = &'a [u8]>,
    ) -> (Vec<(String, String)>, Option<&'static str>) {
        let (mut reader, mut events) = (EventReader::default(), Vec::new());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        for piece in pieces {
            let fed = reader.feed(piece, |event| events.push((text(event.data), text(event.id))));
            assert!(reader.line.len() + reader.data.len() <= EVENT_LIMIT);
            if let Err(what) = fed {
                return (events, Some(what));
            }
        }
        (events, None)
    }

    fn data(stream: &str) -> Vec<String> {
        let (events, error) = read([stream.as_bytes()]);
        assert_eq!(error, None, "{stream:?}");
        events.into_iter().map(|(data, _)| data).collect()
    }

    #[test]
    fn the_examples_of_the_standard() {
        for (stream, expected) in [
            ("data: YHOO\ndata: +2\ndata: 10\n\n", &["YHOO\n+2\n10"][..]),
            (
                ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
                &["first event", "second event", " third event"],
            ),
            ("data\n\ndata\ndata\n\ndata:", &["", "\n"]),
            ("data:test\n\ndata: test\n\n", &["test", "test"]),
            ("data: x\r\n\r\ndata: y\r\rdata: z\n\n", &["x", "y", "z"]),
            ("\u{feff}data: x\n\n\u{feff}data: y\n\n", &["x"]),
            ("event: a\nretry: 5\nother: b\n: c\n\n", &[]),
            ("data: a:b: c\nDATA: d\n data: e\n\n", &["a:b: c"]),
            ("data: cut off\n", &[]),
        ] {
            assert_eq!(data(stream), expected, "{stream:?}");
        }
    }

    #[test]
    fn an_id_holds_until_the_next() {
        let stream = "id: 7\ndata: a\n\ndata: b\n\nid: x\0y\ndata: c\n\nid\ndata: d\n\n";
        let ids: Vec<String> = read([stream.as_bytes()]).0.into_iter().map(|(_, id)| id).collect();
        assert_eq!(ids, ["7", "7", "7", ""]);
    }

    #[test]
    fn what_is_too_long_or_not_utf8_is_named_and_not_kept() {
        let line = [b"data: ", &vec![b'x'; 1 << 16][..]].concat();
        let many = [&line[..], b"\n"].concat().repeat(17);
        for long in [line.repeat(17), many, [b": ", &vec![b'x'; EVENT_LIMIT][..]].concat()] {
            assert_eq!(read(long.chunks(999)), (vec![], Some(TOO_LONG)));
            assert_eq!(read([&long[..]]), (vec![], Some(TOO_LONG)));
        }
        let half = "data: ä\n\ndata: ".as_bytes();
        let half = [half, &"ä".as_bytes()[..1], b"\n\n"].concat();
        let (events, error) = read([&half[..]]);
        assert_eq!((events.len(), error), (1, Some(NOT_UTF8)));
    }

    /// Lines of valid and invalid streams.
    fn stream() -> impl Strategy<Value = Vec<u8>> {
        let part = prop::sample::select(vec![
            &b"data"[..],
            b"id",
            b":",
            b": ",
            b"\r",
            b"\n",
            b"\r\n",
            b"\n\n",
            b"x",
            b"12",
            b"\xef\xbb\xbf",
            b"\xc3",
            b"\xa4",
            b"\0",
        ]);
        prop::collection::vec(part, 0..60).prop_map(|parts| parts.concat())
    }

    /// The standard's algorithm, word by word, on the whole stream; where an event is not UTF-8, up
    /// to there.
    fn by_the_standard(stream: &[u8]) -> (Vec<(String, String)>, Option<&'static str>) {
        let stream = stream.strip_prefix(b"\xef\xbb\xbf").unwrap_or(stream);
        let (mut lines, mut line, mut at) = (Vec::new(), Vec::new(), 0);
        while at < stream.len() {
            match stream[at] {
                b'\n' => lines.push(mem::take(&mut line)),
                b'\r' => {
                    lines.push(mem::take(&mut line));
                    at += usize::from(stream.get(at + 1) == Some(&b'\n'));
                }
                byte => line.push(byte),
            }
            at += 1;
        }
        let (mut events, mut data, mut id) = (Vec::new(), Vec::new(), Vec::new());
        for line in lines {
            if line.is_empty() {
                if data.pop().is_some() {
                    let Ok(text) = String::from_utf8(mem::take(&mut data)) else {
                        return (events, Some(NOT_UTF8));
                    };
                    events.push((text, String::from_utf8_lossy(&id).into_owned()));
                }
                continue;
            }
            let colon = line.iter().position(|&byte| byte == b':').unwrap_or(line.len());
            let mut value = line[(colon + 1).min(line.len())..].to_vec();
            if value.first() == Some(&b' ') {
                value.remove(0);
            }
            match &line[..colon] {
                b"data" => data.extend([value, b"\n".to_vec()].concat()),
                b"id" if !value.contains(&0) => id = value,
                _ => {}
            }
        }
        (events, None)
    }

    proptest! {
        #[test]
        fn cuts_change_nothing_and_the_standard_agrees(stream in stream(), size in 1_usize..9) {
            let whole = read([&stream[..]]);
            prop_assert_eq!(&whole, &by_the_standard(&stream));
            prop_assert_eq!(&whole, &read(stream.chunks(size)));
        }
    }
}
