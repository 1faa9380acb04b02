//! What to print and write.

use clap::Args;
use std::path::PathBuf;

/// What to print and write.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct Output {
    /// Print the whole distribution of latencies
    #[arg(long)]
    pub latency: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
    /// Write a line of CSV for each 100 ms; - is standard output
    ///
    /// With - the text goes to standard error.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<CsvPlace>,
    /// Write the latencies of each 100 ms as an interval log of HDR histograms
    #[arg(long, value_name = "FILE")]
    pub hdr: Option<PathBuf>,
    /// Find the generator's own limit too: 2 s more, against its built-in null server
    #[arg(long)]
    pub ceiling: bool,
}

/// Where CSV goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CsvPlace {
    /// Standard output.
    Stdout,
    /// A file.
    File(PathBuf),
}

impl From<&str> for CsvPlace {
    fn from(text: &str) -> Self {
        match text {
            "-" => Self::Stdout,
            path => Self::File(path.into()),
        }
    }
}
