//! What a client sends ahead of its handshake (0-RTT).

use super::{Line, NO_LIMIT};

impl Line {
    /// Whether it may carry records already, ahead of its handshake (0-RTT).
    pub(crate) fn takes_early(&self) -> bool {
        self.connection.has_0rtt()
    }

    /// Whether what resumes the session is still on its way.
    pub(crate) fn awaits_ticket(&self) -> bool {
        self.awaits_ticket
    }

    /// The handshake is complete: sends again what went ahead of it, if the server rejected it.
    /// Returns whether it took it, if there was any.
    pub(super) fn settle_early(&mut self) -> Option<bool> {
        let early = std::mem::take(&mut self.early);
        let is_accepted = self.connection.accepted_0rtt();
        if early.is_empty() {
            return None;
        }
        if !is_accepted {
            // No stream of ours is left.
            (self.opened, self.used, self.told) = ([0; 2], 0, NO_LIMIT);
            self.waiting.clear();
            self.write(&early);
        }
        Some(is_accepted)
    }
}
