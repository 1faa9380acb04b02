//! How connections are made, written to and read from: io_uring where it works, else epoll.

use serde::{Deserialize, Serialize};

/// Which way was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum IoChoice {
    /// `uring` where a probe finds that it works, else `epoll`.
    Auto,
    /// io_uring.
    Uring,
    /// epoll.
    Epoll,
}

/// Which way is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Io {
    /// io_uring.
    Uring,
    /// epoll.
    Epoll,
}
