//! What is wrong with a request file, or with a file that it names.

use std::fmt::{self, Write};
use std::io;
use std::path::{Path, PathBuf};

/// Where and what, in one line: `requests.toml:7: ...`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    file: PathBuf,
    /// From 1; `None` if it is about the whole file.
    line: Option<u64>,
    what: String,
}

impl FileError {
    /// About a whole file.
    pub(crate) fn new(file: &Path, what: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line: None, what: what.into() }
    }

    /// About one line of it.
    pub(crate) fn at(file: &Path, line: u64, what: impl Into<String>) -> Self {
        Self { line: Some(line), ..Self::new(file, what) }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.file.display().to_string();
        if let Some(line) = self.line {
            write!(text, ":{line}")?;
        }
        write!(text, ": {}", self.what)?;
        // Keys and file names may hold line breaks, but the error is one line.
        for symbol in text.chars() {
            if symbol.is_control() {
                write!(f, "{}", symbol.escape_default())?;
            } else {
                f.write_char(symbol)?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for FileError {}

/// The system's words, without its number.
pub(crate) fn words(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}
