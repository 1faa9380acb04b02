//! I/O errors in words.

use rustix::io::Errno;
use std::io;

/// The system's message for an error, without its number.
pub fn system_words(errno: Errno) -> String {
    io_words(&errno.into())
}

/// The same for other errors.
pub fn io_words(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}
