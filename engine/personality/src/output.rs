//! Standard output.

use std::io::{Write, stdout};

/// Says something there. A reader that ends, such as `head`, has seen enough.
pub(super) fn print(text: impl AsRef<[u8]>) {
    let mut out = stdout().lock();
    let _ = out.write_all(text.as_ref()).and_then(|()| out.flush());
}
