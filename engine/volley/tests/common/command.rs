//! `volley` as a command.

use std::net::SocketAddr;
use std::process::{Command, Output};

/// The result of a command.
pub fn volley(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_volley")).args(args).output().unwrap()
}

pub fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

/// Status, standard output, standard error.
pub fn run(args: &[&str]) -> (i32, String, String) {
    let output = volley(args);
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Options for 200 ms on 4 connections.
pub fn load(address: SocketAddr, more: &[&str]) -> (i32, String, String) {
    let url = format!("http://{address}/");
    run(&[&["load", "-c", "4", "-d", "200ms"], more, &[url.as_str()]].concat())
}
