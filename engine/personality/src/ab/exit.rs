//! Early ends of a run: the message, and the exit status.

use rustix::io::Errno;
use volley_net::errors::system_words;

/// ab's exit status after its usage: `EINVAL`.
const USAGE: u8 = 22;

/// An early end.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Exit {
    pub(super) status: u8,
    /// The message for standard error.
    pub(super) message: String,
    /// Completed requests, which standard output reports if there are any.
    pub(super) done: usize,
}

impl Exit {
    /// An end with this line on standard error.
    pub(super) fn error(line: &str) -> Self {
        Self { status: 1, message: format!("{line}\n"), done: 0 }
    }

    /// A system call failed. Its number is the status.
    pub(super) fn system(call: &str, errno: Errno) -> Self {
        Self::numbered(call, &system_words(errno), errno.raw_os_error())
    }

    /// The same for numbers that are not the system's.
    pub(super) fn numbered(call: &str, error: &str, number: i32) -> Self {
        let message = format!("{call}: {error} ({number})\n");
        // A status has eight bits.
        Self { status: number.to_le_bytes()[0], message, done: 0 }
    }

    /// No connection had an event during the timeout.
    pub(super) fn timeout() -> Self {
        Self::numbered("apr_pollset_poll", "The timeout specified has expired", 70007)
    }

    /// The arguments are wrong: the line says why, and the usage follows.
    pub(super) fn usage(line: &str) -> Self {
        let line = if line.is_empty() { String::new() } else { format!("ab: {line}\n") };
        let message = format!("{line}{}", super::usage::text());
        Self { status: USAGE, message, done: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_is_the_error_s_number_as_far_as_eight_bits_go() {
        let refused = Exit::system("apr_socket_recv", Errno::CONNREFUSED);
        assert_eq!(refused.message, "apr_socket_recv: Connection refused (111)\n");
        assert_eq!(refused.status, 111);
        assert_eq!(Exit::timeout().status, 119);
    }
}
