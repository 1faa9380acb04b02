//! What is sent, rendered ahead: the hot path only takes the next message's bytes.
//!
//! A [`Book`] holds one request, or many that are drawn from a [`RequestFile`].

mod book;
mod draw;
mod entry;
mod file;
mod names;
mod source;
mod table;
mod template;

pub use book::{Book, Message};
pub use draw::{DRAWN, Defaults, FIRST_BAD_STATUS};
pub use file::{FileError, RequestFile};
