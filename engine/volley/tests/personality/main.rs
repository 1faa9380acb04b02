//! The programs that volley stands in for, as those meet them who know the originals: what is sent,
//! what is printed, how it ends.

#[path = "../common/mod.rs"]
mod common;

mod ab;
mod webbench;
