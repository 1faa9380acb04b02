//! A place in some bytes.

/// Why reading stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The bytes ended.
    End,
    /// What is wrong at the cursor.
    Wrong(&'static str),
}

/// Stays at what is wrong.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) fn at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The bytes from a position to here.
    pub(super) fn since(&self, from: usize) -> &'a [u8] {
        &self.bytes[from..self.at]
    }

    pub(super) fn peek(&self) -> Result<u8, Stop> {
        self.bytes.get(self.at).copied().ok_or(Stop::End)
    }

    /// Goes on, to the end at most.
    pub(super) fn advance(&mut self, count: usize) -> Result<(), Stop> {
        let left = self.bytes.len() - self.at;
        self.at += count.min(left);
        if count > left { Err(Stop::End) } else { Ok(()) }
    }

    /// Passes one byte if it is one of these.
    pub(super) fn skip(&mut self, any: &[u8]) -> bool {
        let found = self.peek().is_ok_and(|byte| any.contains(&byte));
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, byte: u8, wrong: &'static str) -> Result<(), Stop> {
        if self.peek()? == byte { self.advance(1) } else { Err(Stop::Wrong(wrong)) }
    }

    /// Passes `\r\n` or `\n`; `wrong` where no `\n` follows `\r`.
    pub(super) fn line_end(&mut self, wrong: &'static str) -> Result<(), Stop> {
        self.skip(b"\r");
        self.expect(b'\n', wrong)
    }

    /// Line and column, from one.
    pub(super) fn place(&self) -> (usize, usize) {
        let before = self.since(0);
        let mut lines = before.split(|&byte| byte == b'\n');
        (lines.clone().count(), 1 + lines.next_back().map_or(0, <[u8]>::len))
    }
}
