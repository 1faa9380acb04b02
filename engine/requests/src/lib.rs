//! The requests, rendered ahead: the hot path only takes the next message's bytes.
//!
//! A [`Book`] holds one request, or many that are drawn from a [`RequestFile`].

#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod book;
mod dependent;
mod draw;
mod entry;
mod expected;
mod file;
mod names;
mod once;
mod source;
mod table;
mod take;
mod template;

pub use book::{Book, Held, Message};
pub use dependent::Dependent;
pub use draw::{DRAWN, Defaults, FIRST_BAD_STATUS};
pub use file::{FileError, RequestFile};
pub use once::Chain;
