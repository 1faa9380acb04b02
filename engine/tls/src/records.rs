//! Bytes in and out of a session, on either side.

use rustls::{ConnectionCommon, Error, IoState, SideData};
use std::io::{BufRead, Write};
use std::sync::Arc;

/// Takes some of the received bytes, and appends the plain ones to `opened`.
pub(crate) fn open_some<S: SideData>(
    connection: &mut ConnectionCommon<S>,
    sealed: &mut &[u8],
    opened: &mut Vec<u8>,
) -> Result<IoState, Error> {
    connection.read_tls(sealed).map_err(|error| Error::General(error.to_string()))?;
    let state = connection.process_new_packets();
    // Records before the wrong one are right.
    let mut reader = connection.reader();
    while let Ok(plain) = reader.fill_buf()
        && !plain.is_empty()
    {
        opened.extend_from_slice(plain);
        let length = plain.len();
        reader.consume(length);
    }
    state
}

/// Seals bytes: [`sealed`] has them.
pub(crate) fn seal<S: SideData>(connection: &mut ConnectionCommon<S>, plain: &[u8]) {
    connection.writer().write_all(plain).expect("there is no limit");
}

/// The bytes to send now.
pub(crate) fn sealed<S: SideData>(connection: &mut ConnectionCommon<S>) -> Option<Arc<[u8]>> {
    let mut bytes = Vec::new();
    while connection.wants_write() {
        connection.write_tls(&mut bytes).expect("a vector takes all bytes");
    }
    (!bytes.is_empty()).then(|| Arc::from(bytes))
}
