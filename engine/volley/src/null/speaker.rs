//! What is spoken on a server's connections, without I/O.

/// A protocol as a server speaks it that looks no closer than it must.
pub(super) trait Speaker {
    /// What is known of one connection. A new one is the default.
    type Connection: Default;

    /// A connection is there.
    fn greet(&self, _: &mut Self::Connection, _: &mut Due) {}

    /// Bytes came. What has to be sent for them is put into `due`.
    fn receive(&self, connection: &mut Self::Connection, bytes: &[u8], due: &mut Due);
}

/// What has to be sent on one connection.
#[derive(Debug, Default)]
pub(super) struct Due {
    /// So many times the one answer that the server has ready.
    pub(super) answers: usize,
    /// Other bytes, behind them.
    pub(super) bytes: Vec<u8>,
    /// Nothing follows.
    pub(super) ends: bool,
}

impl Due {
    /// Nothing, with room for what comes next.
    pub(super) fn clear(&mut self) {
        self.answers = 0;
        self.bytes.clear();
        self.ends = false;
    }
}
