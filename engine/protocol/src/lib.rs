//! The protocols of a load generator, without I/O.
//!
//! A [`Request`] becomes bytes once, or parts of them where they depend on the connection. A
//! [`Protocol`] holds the requests in flight on one connection: [`Http1`] and [`WebSocket`] in
//! their order, [`Http2`] and [`Http3`] in any. It takes the bytes that a socket received and
//! reports when an answer is complete, whether it is the right one, or where it breaks the
//! protocol. Nothing allocates while answers arrive in one piece, unless one has to be hashed or
//! inspected.

#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod body;
pub mod check;
mod chunked;
pub mod content;
pub mod decoder;
pub mod events;
mod fields;
pub mod grpc;
pub mod h2;
pub mod h3;
pub mod head;
pub mod http1;
mod known;
pub mod learned;
pub mod message;
pub mod protocol;
pub mod request;
pub mod shape;
mod stream;
mod streams;
pub mod verdict;
pub mod ws;

pub use check::{BodyRule, Expectation, LengthRule, StatusRule};
pub use content::{Content, Pattern};
pub use decoder::Decoder;
pub use h2::Http2;
pub use h3::Http3;
pub use head::Malformed;
pub use http1::Http1;
pub use learned::HeadCache;
pub use message::Message;
pub use protocol::{
    Announced, Answer, Answers, Awaited, EVIDENCE_LIMIT, End, Io, Loss, Protocol, Refusal, Step,
    Ticket,
};
pub use request::{Request, RequestError, Version};
pub use shape::JsonShape;
pub use verdict::Verdict;
pub use ws::WebSocket;
