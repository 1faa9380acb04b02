//! What the bytes of a connection come to.

use crate::head::Malformed;
use crate::verdict::Verdict;

/// What the bytes that were fed led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// All bytes were taken, the answer goes on.
    Incomplete,
    /// The answer ended within these bytes.
    Complete(Answer),
    /// The bytes are not HTTP.
    Malformed(Malformed),
}

/// A complete answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// How many of the bytes fed last belong to it.
    pub consumed: usize,
    /// The status code.
    pub status: u16,
    /// Bytes of body, without the coding.
    pub body_length: u64,
    /// Whether the connection may carry another request.
    pub keep_alive: bool,
    /// Whether it is the expected one.
    pub verdict: Verdict,
}

/// What the end of a connection meant for the answer in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It was the answer's proper end.
    Complete(Answer),
    /// It came too early, after this many bytes of the answer.
    Short(u64),
}
