//! The output during a run.

use crate::output::print;
use std::io::{Write, stderr};

/// Prints on standard error.
pub(super) fn print_error(text: &str) {
    // There is nowhere to report a failure.
    let _ = stderr().write_all(text.as_bytes());
}

/// Prints the progress on standard error.
pub(super) fn print_progress(what: &str, requests: usize) {
    print_error(&format!("{what} {requests} requests\n"));
}

/// Standard output, which stays empty if it is reserved for JSON.
#[derive(Debug, Clone, Copy)]
pub(super) struct Printer {
    pub(super) is_for_json: bool,
}

impl Printer {
    /// Prints on standard output, unless it is reserved for JSON.
    pub(super) fn print(self, text: impl AsRef<[u8]>) {
        if !self.is_for_json {
            print(text);
        }
    }

    /// The request's head, from `-v 2` on.
    pub(super) fn log_request(self, method: &[u8], head: &[u8], verbosity: i32) {
        if verbosity >= 2 {
            let parts: [&[u8]; 5] = [b"INFO: ", method, b" header == \n---\n", head, b"\n---\n"];
            self.print(parts.concat());
        }
    }

    /// The beginning of an answer.
    pub(super) fn log_head(self, text: &[u8]) {
        self.print([b"LOG: header received:\n", text, b"\n"].concat());
    }

    /// An answer's status: from `-v 2` on if it isn't 2xx, from `-v 3` on any.
    pub(super) fn log_status(self, status: &[u8], verbosity: i32) {
        if verbosity >= 2 && status[0] != b'2' {
            self.print([b"WARNING: Response code not 2xx (", status, b")\n"].concat());
        } else if verbosity >= 3 {
            self.print([b"LOG: Response code = ", status, b"\n"].concat());
        }
    }
}
