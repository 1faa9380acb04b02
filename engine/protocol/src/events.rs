//! Server-sent events, read as the HTML standard has it (section 9.2.6), and what is wrong with a stream of them.

use std::mem;

/// The most bytes of one event, and of one line, that are read.
pub const EVENT_LIMIT: usize = 1 << 20;

const TOO_LONG: &str = "an event of more than 1048576 bytes";
const NOT_UTF8: &str = "an event whose data is not UTF-8";

/// An event that is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event<'a> {
    /// Its lines of data, with line feeds between them.
    pub data: &'a [u8],
    /// The id that it has, or the latest one before it; empty without any.
    pub id: &'a [u8],
}

/// Reads one stream, which may be cut anywhere.
#[derive(Debug, Default)]
pub struct EventReader {
    /// Of a line whose end has not come.
    line: Vec<u8>,
    /// Of an event whose end has not come: its lines, each with a line feed.
    data: Vec<u8>,
    id: Vec<u8>,
    is_behind_first_line: bool,
    is_behind_cr: bool,
}

impl EventReader {
    /// Takes the next bytes, and gives away the events that end in them. An error, in words, is final.
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

    /// Whether an event has begun that the end of the stream would cut off.
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
            // A comment, the name of an event, when to connect again, or what nobody knows.
            _ => {}
        }
        Ok(())
    }
}

/// What is wrong with the events of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EventFaults {
    /// Numbers that were left out.
    pub lost: u64,
    /// Numbers that came before, among the latest 64.
    pub doubled: u64,
    /// Numbers below one that came before.
    pub out_of_order: u64,
    /// Other data than expected.
    pub altered: u64,
}

/// Follows the events of one stream. Where their ids are decimal numbers, each has to be one above the one before.
/// Where data is expected, the first event has to have the first of it, and so on, by these numbers or in their order.
#[derive(Debug, Default)]
pub struct EventCheck {
    count: u64,
    first: Option<u64>,
    highest: u64,
    /// Which of the latest 64 numbers have come, the highest as the lowest bit.
    seen: u64,
    faults: EventFaults,
}

impl EventCheck {
    /// The next event. `expected`: the data of each, if that is known.
    pub fn push(&mut self, event: Event<'_>, expected: &[Vec<u8>]) {
        let mut place = self.count;
        self.count += 1;
        if let Some(number) = number(event.id) {
            let first = *self.first.get_or_insert(number);
            self.follow(number);
            place = number.wrapping_sub(first);
        }
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        if !expected.is_empty() && expected.get(place).is_none_or(|data| data != event.data) {
            self.faults.altered += 1;
        }
    }

    fn follow(&mut self, number: u64) {
        if self.seen == 0 {
            (self.highest, self.seen) = (number, 1);
        } else if number > self.highest {
            let step = number - self.highest;
            self.faults.lost += step - 1;
            self.seen =
                u32::try_from(step).ok().and_then(|by| self.seen.checked_shl(by)).unwrap_or(0) | 1;
            self.highest = number;
        } else {
            let bit =
                u32::try_from(self.highest - number).ok().and_then(|by| 1_u64.checked_shl(by));
            if bit.is_some_and(|bit| self.seen & bit != 0) {
                self.faults.doubled += 1;
                return;
            }
            self.seen |= bit.unwrap_or(0);
            self.faults.out_of_order += 1;
            // It was taken for lost when the one above came, unless the stream began above it.
            if self.first.is_some_and(|first| number > first) {
                self.faults.lost = self.faults.lost.saturating_sub(1);
            }
        }
    }

    /// How many events there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// What was wrong with them.
    pub fn faults(&self) -> EventFaults {
        self.faults
    }
}

/// What has come at a time in the stream of one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pushed {
    /// Events, one at least.
    pub count: u64,
    /// When the latest before them came; `None`: they are the first.
    pub latest_ns: Option<u64>,
    /// What was wrong with the stream before them, and what is now.
    pub faults: [EventFaults; 2],
}

/// One stream as a body.
#[derive(Debug, Default)]
pub(crate) struct EventStream {
    reader: EventReader,
    check: EventCheck,
    broken: Option<&'static str>,
    /// As of the latest events that were told.
    told: (u64, EventFaults),
    latest_ns: Option<u64>,
}

impl EventStream {
    #[inline(never)]
    pub(crate) fn feed(&mut self, piece: &[u8], expected: &[Vec<u8>]) {
        if self.broken.is_none() {
            let check = &mut self.check;
            self.broken = self.reader.feed(piece, |event| check.push(event, expected)).err();
        }
    }

    pub(crate) fn broken(&self) -> Option<&'static str> {
        self.broken
    }

    /// What has come since the last call, at `now_ns`.
    pub(crate) fn take_pushed(&mut self, now_ns: u64) -> Option<Pushed> {
        let now = (self.check.count, self.check.faults);
        let before = mem::replace(&mut self.told, now);
        (now.0 > before.0).then(|| Pushed {
            count: now.0 - before.0,
            latest_ns: self.latest_ns.replace(now_ns),
            faults: [before.1, now.1],
        })
    }

    /// What is wrong with the stream now that it has ended, in words.
    pub(crate) fn wrong(&self, expected: &[Vec<u8>]) -> Option<String> {
        if let Some(what) = self.broken {
            return Some(what.to_owned());
        }
        let EventFaults { lost, doubled, out_of_order, altered } = self.check.faults;
        let counts = [
            (lost, "lost"),
            (doubled, "doubled"),
            (out_of_order, "out of order"),
            (altered, "altered"),
        ];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, what)| format!("{count} {what}")).collect();
        let (count, right) = (self.check.count, expected.len());
        if !counts.is_empty() {
            Some(format!("of {count} events or more: {}", counts.join(", ")))
        } else if right > 0 && count != right as u64 {
            Some(format!("{count} events, expected {right}"))
        } else if self.reader.is_within_event() {
            Some(format!("the stream ends within an event, after {count}"))
        } else {
            None
        }
    }
}

fn number(id: &[u8]) -> Option<u64> {
    let digits =
        str::from_utf8(id).ok().filter(|id| id.bytes().all(|byte| byte.is_ascii_digit()))?;
    digits.parse().ok()
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

    #[test]
    fn numbers_tell_what_is_lost_doubled_or_out_of_order() {
        for (numbers, lost, doubled, out_of_order) in [
            (&[5, 6, 7][..], 0, 0, 0),
            (&[1, 2, 5], 2, 0, 0),
            (&[1, 2, 2, 3, 1], 0, 2, 0),
            (&[1, 3, 2, 4], 0, 0, 1),
            (&[1, 200, 2], 197, 0, 1),
            (&[9, 8], 0, 0, 1),
            (&[1, u64::MAX], u64::MAX - 2, 0, 0),
        ] {
            let mut check = EventCheck::default();
            for number in numbers {
                let id = number.to_string();
                check.push(Event { data: b"", id: id.as_bytes() }, &[]);
            }
            assert_eq!(check.count(), numbers.len() as u64);
            let expected = EventFaults { lost, doubled, out_of_order, altered: 0 };
            assert_eq!(check.faults(), expected, "{numbers:?}");
        }
    }

    #[test]
    fn data_is_compared_by_number_or_in_order() {
        let expected = ["a", "b", "c"].map(|data| data.as_bytes().to_vec());
        for (events, altered) in [
            (&[("", "a"), ("", "b"), ("", "c")][..], 0),
            (&[("", "a"), ("", "x"), ("", "c")], 1),
            (&[("5", "a"), ("7", "c"), ("6", "b")], 0),
            (&[("5", "a"), ("6", "a")], 1),
            (&[("x", "a"), ("x", "b"), ("x", "c"), ("x", "d")], 1),
        ] {
            let mut check = EventCheck::default();
            for (id, data) in events {
                check.push(Event { data: data.as_bytes(), id: id.as_bytes() }, &expected);
            }
            assert_eq!(check.faults().altered, altered, "{events:?}");
        }
    }

    /// Lines of what a stream is made of, well or ill.
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

    /// The standard's way, word by word, on the whole stream; where an event is not UTF-8, up to there.
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
