//! The protocols of a server's connections, without I/O.

/// The server's side of a protocol that inspects no more than it must.
pub(super) trait Speaker {
    /// The state of one connection. A new one is the default.
    type Connection: Default;

    /// A connection was made.
    fn greet(&self, _: &mut Self::Connection, _: &mut Due) {}

    /// Bytes were received. The reply to them is put into `due`.
    fn receive(&self, connection: &mut Self::Connection, bytes: &[u8], due: &mut Due);
}

/// The bytes to send on one connection.
#[derive(Debug, Default)]
pub(super) struct Due {
    /// How many times to send the server's prepared answer.
    pub(super) answers: usize,
    /// Other bytes, after the answers.
    pub(super) bytes: Vec<u8>,
    /// The connection ends afterwards.
    pub(super) ends: bool,
}

impl Due {
    /// Clears everything, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.answers = 0;
        self.bytes.clear();
        self.ends = false;
    }
}
