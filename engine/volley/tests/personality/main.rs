//! The programs that volley stands in for, as those meet them who know the originals: what is sent,
//! what is printed, how it ends.

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

/// `text` with `N` for each number behind a space or `=`.
fn masked(text: &str) -> String {
    let words = text.split_inclusive([' ', '=', '\n']);
    words
        .map(|word| {
            let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
            if rest.len() < word.len() { format!("N{rest}") } else { word.to_owned() }
        })
        .collect()
}
