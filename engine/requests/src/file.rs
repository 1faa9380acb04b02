//! Reads a request file and the files that it names.

use crate::entry::Entry;
use crate::error::{FileError, words};
use crate::format::{Document, Order};
use crate::source::Source;
use crate::table::Table;
use std::io;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// Several requests with weights, their fields drawn from a data file or at random.
///
/// ```toml
/// data = "users.csv"            # the first line names the columns
/// order = "random"              # how rows are taken: "random" or "sequential"
/// [[request]]
/// weight = 3                    # 1
/// method = "POST"               # GET, or POST with a body
/// path = "/users/{{id}}?n={{random 1 1000}}"
/// headers = { X-Trace = "{{hex 16}}" }
/// body = "{\"name\": \"{{name}}\"}" # or body_file, sent as it is unless it is UTF-8
/// [request.expect]              # what is not said here is as in `Defaults`
/// status = 200
/// length = 12
/// body = "exactly this"         # or body_file, or sha256 = "HEX"
/// headers = { Content-Type = "application/json" }
/// ```
///
/// Path, values of headers and body may have the fields `{{COLUMN}}`, `{{random LOW HIGH}}` (a whole
/// number, both included) and `{{hex N}}` (digits, 1024 at most). Names of files are relative to
/// this one's folder. Errors are one line.
#[derive(Debug)]
pub struct RequestFile {
    pub(crate) file: PathBuf,
    pub(crate) order: Order,
    pub(crate) table: Option<Table>,
    /// At least one.
    pub(crate) entries: Vec<Entry>,
}

impl RequestFile {
    /// Reads a request file and all files that it names.
    pub fn read(file: &Path) -> Result<Self, FileError> {
        let text = std::fs::read_to_string(file)
            .map_err(|error| FileError::new(file, format!("cannot be read: {}", words(&error))))?;
        Self::parse(&text, file, |file| std::fs::read(file))
    }

    /// The same for the text of `file`. The files that it names are asked of `load`.
    pub fn parse(
        text: &str,
        file: &Path,
        load: impl Fn(&Path) -> io::Result<Vec<u8>>,
    ) -> Result<Self, FileError> {
        let source = Source { text, file, load: &load };
        let document: Document = toml::from_str(text).map_err(|error| source.refuse(error))?;
        let table = match &document.data {
            Some(data) => {
                let (file, bytes) = source.load("data", data)?;
                Some(Table::parse(bytes, &file)?)
            }
            None => None,
        };
        if let (Some(order), None) = (&document.order, &table) {
            return Err(source.wrong(order.span(), "`order` is about rows, but there is no `data`"));
        }
        let columns = table.as_ref().map_or(&[][..], |table| &table.columns);
        let entries: Vec<Entry> = document
            .requests
            .iter()
            .map(|request| source.entry(request, columns))
            .collect::<Result<_, _>>()?;
        if entries.is_empty() {
            return Err(FileError::new(file, "there is no [[request]]"));
        }
        let order = document.order.map(Spanned::into_inner).unwrap_or_default();
        Ok(Self { file: file.to_owned(), order, table, entries })
    }
}
