//! Standard output.

use std::io::{Write, stdout};

/// Prints a text. A reader that ends early, such as `head`, is not an error.
pub(super) fn print(text: impl AsRef<[u8]>) {
    let mut out = stdout().lock();
    let _ = out.write_all(text.as_ref()).and_then(|()| out.flush());
}
