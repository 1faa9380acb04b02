//! Bytes in and out of a session, whichever side it is of.

use rustls::{ConnectionCommon, Error, IoState, SideData};
use std::io::{BufRead, Write};
use std::sync::Arc;

/// Takes some of the bytes that came, and puts the plain ones behind those in `opened`.
pub(crate) fn open_some<S: SideData>(
    connection: &mut ConnectionCommon<S>,
    sealed: &mut &[u8],
    opened: &mut Vec<u8>,
) -> Result<IoState, Error> {
    connection.read_tls(sealed).map_err(|error| Error::General(error.to_string()))?;
    let state = connection.process_new_packets();
    // Records before the one that is wrong are right.
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

/// What is to be sent now.
pub(crate) fn sealed<S: SideData>(connection: &mut ConnectionCommon<S>) -> Option<Arc<[u8]>> {
    let mut bytes = Vec::new();
    while connection.wants_write() {
        connection.write_tls(&mut bytes).expect("a vector takes all bytes");
    }
    (!bytes.is_empty()).then(|| Arc::from(bytes))
}
