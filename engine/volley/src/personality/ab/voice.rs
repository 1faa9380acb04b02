//! What is said while it runs.

use crate::personality::output::say;
use std::io::{Write, stderr};

/// Says something on standard error.
pub(super) fn complain(text: &str) {
    // Nobody is left to be told where that fails.
    let _ = stderr().write_all(text.as_bytes());
}

/// Says there how far it is.
pub(super) fn tell_progress(what: &str, requests: usize) {
    complain(&format!("{what} {requests} requests\n"));
}

/// Where that goes: of standard output nothing, where that is for JSON.
#[derive(Debug, Clone, Copy)]
pub(super) struct Voice {
    pub(super) is_for_json: bool,
}

impl Voice {
    /// On standard output, unless that is for JSON.
    pub(super) fn say(self, text: impl AsRef<[u8]>) {
        if !self.is_for_json {
            say(text);
        }
    }

    /// The request's head, from `-v 2` on.
    pub(super) fn log_request(self, method: &[u8], head: &[u8], verbosity: i32) {
        if verbosity >= 2 {
            let parts: [&[u8]; 5] = [b"INFO: ", method, b" header == \n---\n", head, b"\n---\n"];
            self.say(parts.concat());
        }
    }

    /// The beginning of an answer.
    pub(super) fn log_head(self, text: &[u8]) {
        self.say([b"LOG: header received:\n", text, b"\n"].concat());
    }

    /// An answer's status: from `-v 2` on if it isn't 2xx, from `-v 3` on any.
    pub(super) fn log_status(self, status: &[u8], verbosity: i32) {
        if verbosity >= 2 && status[0] != b'2' {
            self.say([b"WARNING: Response code not 2xx (", status, b")\n"].concat());
        } else if verbosity >= 3 {
            self.say([b"LOG: Response code = ", status, b"\n"].concat());
        }
    }
}
