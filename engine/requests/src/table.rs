//! The data file: rows of values for the fields of requests.

use crate::file::FileError;
use csv::{ErrorKind, Position, ReaderBuilder, StringRecord, Trim};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Comma-separated values; the first line names the columns.
#[derive(Debug)]
pub(crate) struct Table {
    file: PathBuf,
    bytes: Vec<u8>,
    pub(crate) columns: Vec<String>,
    /// The rows, at least one.
    pub(crate) rows: Vec<StringRecord>,
}

impl Table {
    pub(crate) fn parse(bytes: Vec<u8>, file: &Path) -> Result<Self, FileError> {
        let mut reader = ReaderBuilder::new().trim(Trim::Headers).from_reader(&*bytes);
        let wrong = |error| explain(&error, file, &bytes);
        let columns: Vec<String> =
            reader.headers().map_err(wrong)?.iter().map(str::to_owned).collect();
        for (index, column) in columns.iter().enumerate() {
            if column.is_empty() {
                let what = format!("column {} has no name", index + 1);
                return Err(FileError::at(file, 1, what));
            }
            if columns[..index].contains(column) {
                return Err(FileError::at(file, 1, format!("two columns are called {column:?}")));
            }
        }
        let rows: Vec<StringRecord> = reader.records().collect::<Result<_, _>>().map_err(wrong)?;
        if rows.is_empty() {
            let what = "there is no row of values below the line that names the columns";
            return Err(FileError::new(file, what));
        }
        Ok(Self { file: file.to_owned(), bytes, columns, rows })
    }

    /// The origin of the values of some columns: `users.csv:3: name is "a b"`.
    pub(crate) fn trace(&self, row: &StringRecord, columns: &BTreeSet<usize>) -> String {
        let line = row.position().map_or(0, |position| line(position, &self.bytes));
        let values: Vec<String> = columns
            .iter()
            .map(|&index| {
                let value = row.get(index).unwrap_or_default();
                format!("{} is {value:?}", self.columns[index])
            })
            .collect();
        format!("{}:{line}: {}", self.file.display(), values.join(", "))
    }
}

fn explain(error: &csv::Error, file: &Path, bytes: &[u8]) -> FileError {
    match error.kind() {
        ErrorKind::UnequalLengths { pos: Some(position), expected_len, len } => {
            let what = format!("the row has {len} values, but there are {expected_len} columns");
            FileError::at(file, line(position, bytes), what)
        }
        ErrorKind::Utf8 { pos: Some(position), err } => {
            let what = format!("value {} is not UTF-8", err.field() + 1);
            FileError::at(file, line(position, bytes), what)
        }
        _ => FileError::new(file, error.to_string()),
    }
}

/// The line in which a record begins, from 1. (The reader's own number is too small after lines
/// that end in CR LF, and after empty ones.)
fn line(position: &Position, bytes: &[u8]) -> u64 {
    let start = usize::try_from(position.byte()).map_or(bytes.len(), |at| at.min(bytes.len()));
    let (before, behind) = bytes.split_at(start);
    let ends = behind.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
    1 + before.iter().chain(ends).filter(|&&byte| byte == b'\n').count() as u64
}
