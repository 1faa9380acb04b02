//! The fields that both sides know (RFC 7541, section 2.3): the standard's, and the latest.

use super::FIELD_OVERHEAD;
use std::collections::VecDeque;

/// The standard's fields (appendix A), from index 1 on.
#[rustfmt::skip]
pub(super) const STATIC: [(&str, &str); 61] = [
    (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"),
    (":path", "/index.html"), (":scheme", "http"), (":scheme", "https"), (":status", "200"),
    (":status", "204"), (":status", "206"), (":status", "304"), (":status", "400"),
    (":status", "404"), (":status", "500"), ("accept-charset", ""),
    ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""),
    ("accept", ""), ("access-control-allow-origin", ""), ("age", ""), ("allow", ""),
    ("authorization", ""), ("cache-control", ""), ("content-disposition", ""),
    ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
    ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""),
    ("date", ""), ("etag", ""), ("expect", ""), ("expires", ""), ("from", ""), ("host", ""),
    ("if-match", ""), ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""),
    ("if-unmodified-since", ""), ("last-modified", ""), ("link", ""), ("location", ""),
    ("max-forwards", ""), ("proxy-authenticate", ""), ("proxy-authorization", ""), ("range", ""),
    ("referer", ""), ("refresh", ""), ("retry-after", ""), ("server", ""), ("set-cookie", ""),
    ("strict-transport-security", ""), ("transfer-encoding", ""), ("user-agent", ""), ("vary", ""),
    ("via", ""), ("www-authenticate", ""),
];

/// The latest fields of one side of a connection.
#[derive(Debug)]
pub(super) struct Table {
    /// From the oldest to the latest.
    entries: VecDeque<Entry>,
    /// Names and values, one after the other; those of dropped entries stay until there is no room.
    bytes: Vec<u8>,
    size: usize,
    limit: usize,
    /// How often the table has changed.
    version: u64,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    start: usize,
    name: usize,
    value: usize,
}

impl Entry {
    fn size(self) -> usize {
        self.name + self.value + FIELD_OVERHEAD
    }
}

impl Table {
    pub(super) const fn new(limit: usize) -> Self {
        Self { entries: VecDeque::new(), bytes: Vec::new(), size: 0, limit, version: 0 }
    }

    /// Resets this to a new one, and keeps its memory.
    pub(super) fn reset(&mut self, limit: usize) {
        self.entries.clear();
        self.bytes.clear();
        (self.size, self.limit) = (0, limit);
        self.version += 1;
    }

    /// A number that differs after each change.
    #[inline]
    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// The name and the value at an index, which begin at 1 with the standard's.
    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<(&[u8], &[u8])> {
        if let Some((name, value)) = STATIC.get(index.wrapping_sub(1)) {
            return Some((name.as_bytes(), value.as_bytes()));
        }
        let nth_latest = index.checked_sub(STATIC.len() + 1)?;
        let entry = self.entries.get(self.entries.len().checked_sub(nth_latest + 1)?)?;
        let (name, rest) = self.bytes[entry.start..].split_at(entry.name);
        Some((name, &rest[..entry.value]))
    }

    /// Changes its size limit.
    pub(super) fn resize(&mut self, limit: usize) {
        self.version += 1;
        self.limit = limit;
        self.evict(0);
    }

    /// Adds a field, and drops the oldest that no longer fit. A field that is larger than the table
    /// empties it (section 4.4).
    pub(super) fn insert(&mut self, name: &[u8], value: &[u8]) {
        self.version += 1;
        let length = name.len() + value.len();
        self.evict(length + FIELD_OVERHEAD);
        if length + FIELD_OVERHEAD > self.limit {
            return;
        }
        // Moving the live entries each time this many bytes were added costs a copy per byte.
        if self.bytes.len() + length > 2 * self.limit {
            self.move_to_front();
        }
        let entry = Entry { start: self.bytes.len(), name: name.len(), value: value.len() };
        self.bytes.extend_from_slice(name);
        self.bytes.extend_from_slice(value);
        self.size += entry.size();
        self.entries.push_back(entry);
    }

    fn evict(&mut self, room: usize) {
        while self.size + room > self.limit
            && let Some(oldest) = self.entries.pop_front()
        {
            self.size -= oldest.size();
        }
    }

    fn move_to_front(&mut self) {
        let start = self.entries.front().map_or(self.bytes.len(), |oldest| oldest.start);
        self.bytes.drain(..start);
        for entry in &mut self.entries {
            entry.start -= start;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(table: &Table, index: usize) -> Option<(String, String)> {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        table.get(index).map(|(name, value)| (text(name), text(value)))
    }

    fn field(name: &str, value: &str) -> (String, String) {
        (name.into(), value.into())
    }

    #[test]
    fn the_latest_comes_first_behind_the_standard_s() {
        let mut table = Table::new(4096);
        table.insert(b"a", b"1");
        table.insert(b"b", b"2");
        assert_eq!(text(&table, 0), None);
        assert_eq!(text(&table, 1), Some(field(":authority", "")));
        assert_eq!(text(&table, 61), Some(field("www-authenticate", "")));
        assert_eq!(text(&table, 62), Some(field("b", "2")));
        assert_eq!(text(&table, 63), Some(field("a", "1")));
        assert_eq!(text(&table, 64), None);
        assert_eq!(text(&table, usize::MAX), None);
    }

    #[test]
    fn the_oldest_go_where_there_is_no_room() {
        let mut table = Table::new(2 * 34);
        for nth in 0..1000 {
            let value = (nth % 10).to_string();
            let before = table.version();
            table.insert(b"n", value.as_bytes());
            assert_ne!(table.version(), before);
            assert_eq!(text(&table, 62), Some(field("n", &value)));
            assert_eq!(text(&table, 63).is_some(), nth > 0);
            assert_eq!(text(&table, 64), None);
            assert!(table.bytes.len() <= 2 * 2 * 34);
        }
        table.insert(&[b'x'; 68], b"");
        assert_eq!((text(&table, 62), table.size), (None, 0), "too large: it empties the table");
    }

    #[test]
    fn a_smaller_table_drops_the_oldest() {
        let mut table = Table::new(4096);
        for name in [b"a", b"b", b"c"] {
            table.insert(name, b"");
        }
        table.resize(2 * 33);
        assert_eq!((text(&table, 63), text(&table, 64)), (Some(field("b", "")), None));
        table.resize(0);
        assert_eq!((text(&table, 62), table.size), (None, 0));
        table.insert(b"d", b"");
        assert_eq!(text(&table, 62), None);
    }
}
