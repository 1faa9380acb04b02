//! Which answer is right.

use super::values::{header, sha256, status};
use clap::Args;
use std::path::PathBuf;
use volley_http::BodyRule;

/// Which answer is right.
#[derive(Debug, Args)]
#[command(next_help_heading = "Checks, of every answer")]
pub struct Checks {
    /// The status must be this one [default: any below 400]
    #[arg(long, value_name = "N", value_parser = status)]
    pub expect_status: Option<u16>,
    /// The body must have so many bytes
    #[arg(long, value_name = "N")]
    pub expect_length: Option<u64>,
    /// The body must be this text
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub expect_body: Option<String>,
    /// The body must be the bytes of this file
    #[arg(long, value_name = "FILE")]
    pub expect_body_file: Option<PathBuf>,
    /// The body must have this SHA-256
    #[arg(long, value_name = "HEX", value_parser = sha256)]
    pub expect_sha256: Option<BodyRule>,
    /// The answer must have this header; may be repeated
    #[arg(long = "expect-header", value_name = "NAME: VALUE", value_parser = header)]
    pub expect_headers: Vec<(String, String)>,
}
