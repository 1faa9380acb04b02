//! HTTP/1.1 as a load generator needs it, without I/O.
//!
//! [`request::Request`] becomes bytes once. [`decoder::Decoder`] is fed whatever bytes a socket
//! gave and says when an answer is complete, whether it was the right one, or where it broke the
//! protocol. Nothing on that path allocates while answers arrive in one piece, unless one has to be
//! hashed.

pub mod answer;
mod body;
pub mod check;
mod chunked;
pub mod decoder;
pub mod head;
pub mod learned;
pub mod message;
pub mod request;
pub mod verdict;

pub use answer::{Answer, End, Step};
pub use check::{BodyRule, Expectation, StatusRule};
pub use decoder::{Decoder, EVIDENCE_LIMIT};
pub use head::Malformed;
pub use learned::Learned;
pub use message::Message;
pub use request::{Request, RequestError, Version};
pub use verdict::Verdict;
