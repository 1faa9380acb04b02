//! The programs that volley replaces, as their users see them: the requests, the output, the exit
//! status.

#[path = "../common/mod.rs"]
mod common;

mod ab;
mod modules;
mod webbench;
mod wrk;
mod wrk2;

use common::driver::has_uring;

/// Each way of doing I/O that the machine has.
fn ways() -> Vec<&'static str> {
    let uring = has_uring().then_some("--io=uring");
    uring.into_iter().chain(["--io=epoll"]).collect()
}
