//! What is written as the run goes.

use crate::cli::{CsvPlace, Output};
use crate::crew::Look;
use crate::errors::io_words;
use crate::report::csv::CsvLog;
use crate::report::hdr::HdrLog;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The files that were asked for.
#[derive(Debug)]
pub(super) struct Records {
    csv: Option<CsvLog>,
    hdr: Option<HdrLog>,
}

impl Records {
    /// Creates them. The error names the flag.
    pub(super) fn create(output: &Output) -> Result<Self, String> {
        let csv = match &output.csv {
            None => None,
            Some(CsvPlace::Stdout) => Some(CsvLog::new(Box::new(io::stdout()))),
            Some(CsvPlace::File(path)) => Some(CsvLog::new(create("--csv", path)?)),
        };
        let hdr = output.hdr.as_deref().map(|path| create("--hdr", path)).transpose()?;
        Ok(Self { csv, hdr: hdr.map(HdrLog::new) })
    }

    /// Writes the intervals that are over.
    pub(super) fn add(&mut self, look: &Look<'_>) -> io::Result<()> {
        if look.intervals.is_empty() {
            return Ok(());
        }
        if let Some(csv) = &mut self.csv {
            match csv.add(&look.intervals) {
                // A reader that has seen enough, such as `head`, is fine.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.csv = None,
                written => written?,
            }
        }
        if let Some(hdr) = &mut self.hdr {
            let since_ns = look.now_ns.saturating_sub(look.window.start_ns);
            let start = SystemTime::now() - Duration::from_nanos(since_ns);
            hdr.add(&look.intervals, start)?;
        }
        Ok(())
    }
}

fn create(flag: &str, path: &Path) -> Result<Box<dyn Write>, String> {
    match File::create(path) {
        Ok(file) => Ok(Box::new(BufWriter::new(file))),
        Err(error) => {
            Err(format!("{flag} {}: cannot be written: {}", path.display(), io_words(&error)))
        }
    }
}
