//! A request's head, and its trailers: the rules for their fields (RFC 9114, sections 4.2 and 4.3).

use super::Fault;
use crate::fields::check_field;
use crate::h3::frame::code;
use crate::h3::qpack;
use crate::stream::{Broken, ensure};

/// What the rest of a request, and its answer, depend on.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Asked {
    pub(super) is_head: bool,
    /// Bytes of body, if the head gives them.
    pub(super) length: Option<u64>,
}

/// The last right head: equal bytes have equal fields.
#[derive(Debug, Default)]
pub struct KnownRequest {
    block: Vec<u8>,
    asked: Option<Asked>,
}

impl KnownRequest {
    /// Whether a request that has this head and no body is HEAD. `None`: it may be wrong.
    #[inline]
    pub(super) fn recognise(&self, block: &[u8]) -> Option<bool> {
        let asked = self.asked.filter(|_| self.block == block)?;
        matches!(asked.length, None | Some(0)).then_some(asked.is_head)
    }

    pub(super) fn learn(&mut self, block: &[u8]) -> Result<Asked, Fault> {
        if let Some(asked) = self.asked.filter(|_| self.block == block) {
            return Ok(asked);
        }
        let asked = check_head(block)?;
        self.block.clear();
        self.block.extend_from_slice(block);
        self.asked = Some(asked);
        Ok(asked)
    }
}

/// The pseudo-headers of a request.
const PSEUDO: [&[u8]; 4] = [b":method", b":scheme", b":authority", b":path"];

fn check_head(block: &[u8]) -> Result<Asked, Fault> {
    let mut pseudo: [Option<Vec<u8>>; 4] = Default::default();
    let mut host: Option<Vec<u8>> = None;
    let mut asked = Asked::default();
    let mut had_field = false;
    each_field(block, |name, value| {
        if name.first() == Some(&b':') {
            ensure(!had_field, "a pseudo-header behind other fields")?;
            let place = PSEUDO.iter().position(|&known| known == name);
            let place = place.ok_or("a pseudo-header that no request has")?;
            let former = pseudo[place].replace(value.to_vec());
            return ensure(former.is_none(), "a pseudo-header that comes twice");
        }
        had_field = true;
        check_field(name, value)?;
        match name {
            b"te" => ensure(value == b"trailers", "TE is not trailers"),
            b"host" => ensure(host.replace(value.to_vec()).is_none(), "a second Host"),
            b"content-length" => {
                let length = crate::head::decimal(value).ok_or("content-length is not a number")?;
                let former = asked.length.replace(length);
                ensure(former.is_none_or(|former| former == length), "two lengths that differ")
            }
            _ => Ok(()),
        }
    })?;
    let [method, scheme, authority, path] = &pseudo;
    asked.is_head = method.as_deref() == Some(b"HEAD");
    let is_right = if method.as_deref() == Some(b"CONNECT") {
        scheme.is_none() && path.is_none() && authority.is_some()
    } else {
        let is_ours = matches!(scheme.as_deref(), Some(b"http" | b"https"));
        let named = authority.as_ref().or(host.as_ref());
        let has_host = named.is_some_and(|name| !name.is_empty());
        let has_path = path.as_ref().is_some_and(|path| !path.is_empty());
        method.is_some() && scheme.is_some() && path.is_some() && (!is_ours || has_host && has_path)
    };
    let agrees = authority.is_none() || host.is_none() || *authority == host;
    if is_right && agrees { Ok(asked) } else { Err(MESSAGE_ERROR) }
}

pub(super) fn check_trailers(block: &[u8]) -> Result<(), Fault> {
    each_field(block, |name, value| {
        ensure(name.first() != Some(&b':'), "a pseudo-header in trailers")?;
        check_field(name, value)
    })
}

const MESSAGE_ERROR: Fault = Fault::Stream(code::MESSAGE_ERROR);

/// Passes each field to `check`. What QPACK can't decode ends the connection, but a wrong field ends
/// the request alone.
fn each_field(
    block: &[u8],
    mut check: impl FnMut(&[u8], &[u8]) -> Result<(), Broken>,
) -> Result<(), Fault> {
    let mut is_right = true;
    let decoded = qpack::decode(block, |name, value| {
        is_right &= check(name, value).is_ok();
        Ok(())
    });
    decoded.map_err(|_| Fault::Connection(code::QPACK_DECOMPRESSION_FAILED))?;
    if is_right { Ok(()) } else { Err(MESSAGE_ERROR) }
}
