//! Requests, written once and sent many times: with the standard's table alone, their bytes are the
//! same on every connection.

use super::frame::{self, kind};
use super::qpack;
use crate::fields;
use crate::request::Request;
use std::ops::Range;
use std::sync::Arc;

/// The possible requests, by message number.
#[derive(Debug)]
pub(super) struct Requests {
    messages: Vec<Arc<Request>>,
    /// Each request without its body, in `bytes`.
    heads: Vec<Range<usize>>,
    bytes: Vec<u8>,
}

impl Requests {
    pub(super) fn new(requests: &[Arc<Request>]) -> Self {
        let mut bytes = Vec::new();
        let heads = requests
            .iter()
            .map(|request| {
                let start = bytes.len();
                write_head(request, &mut bytes);
                start..bytes.len()
            })
            .collect();
        Self { messages: requests.to_vec(), heads, bytes }
    }

    /// Appends a whole request in the form of its stream.
    #[inline]
    pub(super) fn write(&self, message: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.bytes[self.heads[message].clone()]);
        out.extend_from_slice(&self.messages[message].body);
    }
}

/// The same for a request that is not one of them.
pub(super) fn write_other(request: &Request, out: &mut Vec<u8>) {
    write_head(request, out);
    out.extend_from_slice(&request.body);
}

/// HEADERS, and the head of DATA where there is a body (RFC 9114, section 4.1).
fn write_head(request: &Request, out: &mut Vec<u8>) {
    let mut block = Vec::new();
    qpack::write_prefix(&mut block);
    for (name, value) in fields::of_request(request, "https") {
        qpack::write_field(&mut block, &name, &value, fields::is_secret(&name));
    }
    frame::write(out, kind::HEADERS, &block);
    if !request.body.is_empty() {
        frame::write_head(out, kind::DATA, request.body.len());
    }
}
