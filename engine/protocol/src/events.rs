//! Streams of server-sent events, or of a gRPC call's messages: the faults of a stream, and the
//! events that arrive at a time.

mod messages;
mod reader;

use messages::MessageReader;
pub use reader::{EVENT_LIMIT, Event, EventReader};
use std::mem;

/// Which events of a stream are right.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RightEvents {
    /// The number of events; `None`: any number, perhaps without an end.
    pub count: Option<u64>,
    /// The data of each event, where it is known.
    pub data: Vec<Vec<u8>>,
    /// Whether they are the messages of a gRPC call.
    pub is_call: bool,
}

impl RightEvents {
    /// The events of a stream, or any events if there is none. The error is a message.
    pub fn read(stream: &[u8]) -> Result<Self, &'static str> {
        let mut data = Vec::new();
        EventReader::default().feed(stream, |event| data.push(event.data.to_vec()))?;
        if data.is_empty() && !stream.is_empty() {
            return Err("there is no event in it: each ends with an empty line");
        }
        let count = (!data.is_empty()).then_some(data.len() as u64);
        Ok(Self { count, data, is_call: false })
    }

    /// The messages of a gRPC call: those of a body, or any if there is none. The error is a
    /// message.
    pub fn of_call(body: &[u8]) -> Result<Self, &'static str> {
        let (mut data, mut reader) = (Vec::new(), MessageReader::default());
        reader.feed(body, |message| data.push(message.to_vec()))?;
        if reader.is_within_message() {
            return Err("it ends within a message");
        }
        let count = (!data.is_empty()).then_some(data.len() as u64);
        Ok(Self { count, data, is_call: true })
    }
}

/// The faults of a stream's events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EventFaults {
    /// Numbers that were skipped.
    pub lost: u64,
    /// Numbers that came before, among the latest 64.
    pub doubled: u64,
    /// Numbers below an earlier one.
    pub out_of_order: u64,
    /// Other data than expected.
    pub altered: u64,
}

impl EventFaults {
    /// The counts with their names.
    pub fn by_kind(&self) -> [(&'static str, u64); 4] {
        let Self { lost, doubled, out_of_order, altered } = *self;
        [("lost", lost), ("doubled", doubled), ("out_of_order", out_of_order), ("altered", altered)]
    }
}

/// Follows the events of one stream. If their ids are decimal numbers, each has to be one above the
/// one before. If data is expected, it is compared by these numbers or in the order of the events.
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
    /// Takes the next event. `expected`: the data of each, if it is known.
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
            // It was counted as lost when the one above it came, unless the stream began above it.
            if self.first.is_some_and(|first| number > first) {
                self.faults.lost = self.faults.lost.saturating_sub(1);
            }
        }
    }

    /// The number of events.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The faults of the events.
    pub fn faults(&self) -> EventFaults {
        self.faults
    }
}

/// The events that arrived at a time in the stream of one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pushed {
    /// The number of events, at least one.
    pub count: u64,
    /// When the latest events before them came; `None`: they are the first.
    pub latest_ns: Option<u64>,
    /// The faults of the stream before them, and now.
    pub faults: [EventFaults; 2],
    /// The number of events so far.
    pub all: u64,
}

/// One stream, which is a body.
#[derive(Debug, Default)]
pub(crate) struct EventStream {
    reader: EventReader,
    messages: MessageReader,
    check: EventCheck,
    broken: Option<&'static str>,
    /// The counts when events were last taken.
    told: (u64, EventFaults),
    latest_ns: Option<u64>,
}

impl EventStream {
    #[inline(never)]
    pub(crate) fn feed(&mut self, piece: &[u8], right: &RightEvents) {
        if self.broken.is_none() {
            let check = &mut self.check;
            let fed = if right.is_call {
                let push = |data: &[u8]| check.push(Event { data, id: &[] }, &right.data);
                self.messages.feed(piece, push)
            } else {
                self.reader.feed(piece, |event| check.push(event, &right.data))
            };
            self.broken = fed.err();
        }
    }

    pub(crate) fn broken(&self) -> Option<&'static str> {
        self.broken
    }

    /// The events since the last call, at `now_ns`.
    pub(crate) fn take_pushed(&mut self, now_ns: u64) -> Option<Pushed> {
        let now = (self.check.count, self.check.faults);
        let before = mem::replace(&mut self.told, now);
        (now.0 > before.0).then(|| Pushed {
            count: now.0 - before.0,
            latest_ns: self.latest_ns.replace(now_ns),
            faults: [before.1, now.1],
            all: now.0,
        })
    }

    /// When the events arrived that were last taken.
    pub(crate) fn latest_ns(&self) -> Option<u64> {
        self.latest_ns
    }

    /// What is wrong with the stream now that it has ended, as a message.
    pub(crate) fn wrong(&self, right: &RightEvents) -> Option<String> {
        if let Some(what) = self.broken {
            return Some(what.to_owned());
        }
        let faults = self.check.faults.by_kind().into_iter().filter(|&(_, count)| count > 0);
        let counts: Vec<String> =
            faults.map(|(what, count)| format!("{count} {}", what.replace('_', " "))).collect();
        let count = self.check.count;
        let (one, is_cut) = if right.is_call {
            ("message", self.messages.is_within_message())
        } else {
            ("event", self.reader.is_within_event())
        };
        if !counts.is_empty() {
            Some(format!("of {count} {one}s or more: {}", counts.join(", ")))
        } else if let Some(right) = right.count.filter(|&right| right != count) {
            Some(format!("{count} {one}s, expected {right}"))
        } else if is_cut {
            let article = if right.is_call { "a" } else { "an" };
            Some(format!("the stream ends within {article} {one}, after {count}"))
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
}
