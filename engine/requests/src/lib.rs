//! What is sent, rendered ahead: the hot path only takes the next message's bytes.

mod book;

pub use book::{Book, Message};
