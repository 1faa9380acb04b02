//! The seam between a load and what is spoken on its connections.

use crate::check::Expectation;
use crate::head::Malformed;
use crate::verdict::Verdict;
use std::sync::Arc;

/// The most bytes of a bad answer that are kept to be shown.
pub const EVIDENCE_LIMIT: usize = 64 * 1024;

/// What has to be known of a request to read its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Awaited {
    /// Which answer is right: an index into the expectations of [`Protocol::shared`].
    pub expectation: u32,
    /// The request is HEAD: its answer has no body.
    pub to_head: bool,
}

/// The client's side of one connection: which requests are in flight, and what the bytes that come
/// say of them. No I/O. `T`, a ticket, is whatever the caller wants back with an answer.
///
/// A new connection begins with [`Protocol::default`], or behind a last [`Protocol::lose`].
pub trait Protocol<T>: Default {
    /// What the answers to one thread have taught, on all connections to one target.
    type Shared;

    /// Nothing is taught yet. `expectations`: which answers are right.
    fn shared(expectations: &[Arc<Expectation>]) -> Self::Shared;

    /// How many more requests may be started, if `depth` may be in flight at a time.
    fn room(&self, depth: usize) -> usize;

    /// How many requests are in flight.
    fn in_flight(&self) -> usize;

    /// The ticket of the request that is in flight the longest.
    fn oldest(&self) -> Option<T>;

    /// A request is on its way.
    fn start(&mut self, ticket: T);

    /// Takes the next bytes; `None` if nobody asked for any. After [`Step::Complete`] the answer may
    /// be described, and has to be finished; only then come the bytes behind it. `awaited` looks a
    /// ticket up.
    fn receive(
        &mut self,
        bytes: &[u8],
        awaited: impl FnOnce(T) -> Awaited,
        shared: &mut Self::Shared,
    ) -> Option<Step>;

    /// The server has closed the connection. After [`End::Complete`] as after [`Step::Complete`].
    fn end(&mut self, awaited: impl FnOnce(T) -> Awaited, shared: &mut Self::Shared) -> End;

    /// The verdict on the complete answer in words, given the bytes that were received last.
    fn describe(
        &self,
        answer: &Answer,
        awaited: Awaited,
        shared: &Self::Shared,
        last: &[u8],
    ) -> String;

    /// The first bytes of the answer in progress, given those that were received last.
    fn evidence(&self, last: &[u8]) -> Vec<u8>;

    /// Takes the ticket of the complete answer.
    fn finish(&mut self) -> Option<T>;

    /// Takes the ticket of a request that will not be answered: the connection is lost.
    fn lose(&mut self) -> Option<T>;
}

/// What the bytes that were fed led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// All bytes were taken, the answer goes on.
    Incomplete,
    /// The answer ended within these bytes.
    Complete(Answer),
    /// The bytes break the protocol.
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
