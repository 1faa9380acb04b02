//! What to ask.

use super::values::{cookie, header, user};
use clap::Args;
use std::path::PathBuf;

/// What to ask.
#[derive(Debug, Args)]
#[command(next_help_heading = "Request")]
pub struct RequestArgs {
    /// GET unless said, POST if there is a body
    #[arg(short, long, value_name = "METHOD")]
    pub method: Option<String>,
    /// A header to send; may be repeated
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE", value_parser = header)]
    pub headers: Vec<(String, String)>,
    /// A body to send
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    pub body: Option<String>,
    /// A file whose bytes are the body
    #[arg(long, value_name = "FILE")]
    pub body_file: Option<PathBuf>,
    /// A cookie to send; may be repeated
    #[arg(long = "cookie", value_name = "NAME=VALUE", value_parser = cookie)]
    pub cookies: Vec<String>,
    /// Basic authentication
    #[arg(short, long, value_name = "NAME:PASSWORD", value_parser = user)]
    pub user: Option<String>,
    /// Several requests with weights, from a TOML file
    #[arg(long, value_name = "FILE")]
    pub request_file: Option<PathBuf>,
}
