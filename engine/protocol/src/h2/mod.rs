//! HTTP/2 (RFC 9113, and 7541 for its heads), the client's side, without I/O.
//!
//! [`Http2`] is the [`Protocol`](crate::Protocol) of one connection. `connection` has its state and
//! its interface to the engine; `reading` cuts bytes into frames and checks which may come where;
//! `answer` recognises heads that came before; `requests` has the heads that we send; `settings`
//! has what both sides announce first. [`frame`] and [`hpack`] have no connection, and serve
//! servers as well.
//!
//! **What is kept.** A request is spelled out once on a connection; from then on it is a few bytes,
//! which are put together from prepared parts. An answer's head that is equal to the one before is
//! not decoded again, while the decoder's table is the same or if the head does not depend on it;
//! its additions to the table are made. A frame that comes in one piece is never copied, nor is a
//! body, except for its first 4 KiB, which can be shown. Nothing is allocated for an answer once a
//! connection is warm.
//!
//! **What is strict.** Where the RFC has a server's fault end a stream, we end the connection, as
//! section 5.4.1 lets us: a server that breaks a rule has to be named, not worked around. The fault
//! is reported as [`Malformed`](crate::Malformed), at the offset of the frame from the connection's
//! first byte; the server hears its error code in GOAWAY.
//!
//! **What is bounded.** Heads have 64 KiB and 128 fields, as in HTTP/1, and a frame 16 KiB. Frames
//! that need an answer (SETTINGS, PING), and frames without content (empty DATA and CONTINUATION),
//! may come a thousand times between two pieces of an answer, not more.

mod answer;
mod connection;
pub mod frame;
mod handling;
pub mod hpack;
#[cfg(test)]
mod properties;
mod reading;
mod requests;
mod settings;

#[cfg(test)]
mod tests;

pub use connection::{Http2, Shared};

use crate::stream::Broken;

/// A rule that the server has broken, with the error code with which the connection is closed for it
/// (RFC 9113, section 7). Most rules have `PROTOCOL_ERROR`. It is in a box, so that results without
/// it fit a register.
#[derive(Debug)]
struct Wrong(Box<(u32, Broken)>);

impl Wrong {
    #[cold]
    fn tell(self, out: &mut Vec<u8>) -> Broken {
        let (code, what) = *self.0;
        frame::write_goaway(out, 0, code);
        what
    }
}

impl From<(u32, Broken)> for Wrong {
    #[cold]
    fn from(rule: (u32, Broken)) -> Self {
        Self(Box::new(rule))
    }
}

impl From<Broken> for Wrong {
    #[cold]
    fn from(what: Broken) -> Self {
        (frame::code::PROTOCOL_ERROR, what).into()
    }
}
