//! Request files.

use crate::entry::Entry;
use crate::names;
use crate::once::Once;
use crate::source::Source;
use crate::table::Table;
use crate::template::Names;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::io;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use toml::Spanned;
use volley_protocol::JsonShape;

/// Several requests with weights, their fields drawn from a data file or at random.
///
/// ```toml
/// data = "users.csv"            # the first line names the columns
/// order = "random"              # how rows are taken: "random" or "sequential"
/// [[request]]
/// name = "search"               # its method and path, as they are written
/// weight = 3                    # 1
/// method = "POST"               # GET, or POST with a body
/// path = "/users/{{id}}?n={{random 1 1000}}"
/// headers = { X-Trace = "{{hex 16}}" }
/// body = "{\"name\": \"{{name}}\"}" # or body_file, sent as it is unless it is UTF-8
/// [request.expect]              # what is not said here is as in `Defaults`
/// status = 200
/// length = 12                   # or length_between = [10, 2000]
/// body = "exactly this"         # or body_file, or sha256 = "HEX"; or any of the next three:
/// # body_contains = ["a", "b"]  # all of them
/// # body_matches = "^<html"     # somewhere in the body
/// # json = { id = "number" }    # as in `JsonShape`
/// headers = { Content-Type = "application/json" }
/// [[once]]                      # sent once on each new connection, before all others, in their order
/// path = "/login"
/// body = "user=ann"
/// take = { token = "json /token", sid = "cookie sid", csrf = "header X-CSRF" } # then {{token}}
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
    /// The chain with which each connection begins.
    pub(crate) once: Vec<Once>,
    /// The requests, at least one.
    pub(crate) entries: Vec<Entry>,
}

impl RequestFile {
    /// Reads a request file and all files that it names.
    pub fn read(file: &Path) -> Result<Self, FileError> {
        let text = std::fs::read_to_string(file)
            .map_err(|error| FileError::new(file, format!("cannot be read: {}", words(&error))))?;
        Self::parse(&text, file, |file| std::fs::read(file))
    }

    /// The same for the text of `file`. `load` gives the files that it names.
    pub fn parse(
        text: &str,
        file: &Path,
        load: impl Fn(&Path) -> io::Result<Vec<u8>>,
    ) -> Result<Self, FileError> {
        let source = Source { text, file, load: &load, table: "request" };
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
        let once = Source { table: "once", ..source }.once(&document.once, columns)?;
        let taken: Vec<String> = once.iter().flat_map(Once::names).cloned().collect();
        let fields = Names { columns, taken: &taken };
        let names = names::of(&source, &document.requests)?;
        let entries: Vec<Entry> = document
            .requests
            .iter()
            .zip(names)
            .map(|(request, name)| source.entry(request, name, fields))
            .collect::<Result<_, _>>()?;
        if entries.is_empty() {
            return Err(FileError::new(file, "there is no [[request]]"));
        }
        let order = document.order.map(Spanned::into_inner).unwrap_or_default();
        Ok(Self { file: file.to_owned(), order, table, once, entries })
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Document {
    pub(crate) data: Option<Spanned<PathBuf>>,
    pub(crate) order: Option<Spanned<Order>>,
    #[serde(default)]
    pub(crate) once: Vec<Spanned<Request>>,
    #[serde(default, rename = "request")]
    pub(crate) requests: Vec<Spanned<Request>>,
}

/// How rows are taken from the data file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Order {
    /// Any row, each time.
    #[default]
    Random,
    /// One after the other; after the last, the first again.
    Sequential,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    pub(crate) name: Option<Spanned<String>>,
    pub(crate) weight: Option<Spanned<NonZeroU32>>,
    pub(crate) method: Option<String>,
    pub(crate) path: Spanned<String>,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, Spanned<String>>,
    pub(crate) body: Option<Spanned<String>>,
    pub(crate) body_file: Option<Spanned<PathBuf>>,
    #[serde(default)]
    pub(crate) expect: Expect,
    #[serde(default)]
    pub(crate) take: BTreeMap<String, Spanned<String>>,
}

impl Request {
    /// The method in the file, or the one that follows from the presence of a body.
    pub(crate) fn method(&self) -> &str {
        let has_body = self.body.is_some() || self.body_file.is_some();
        self.method.as_deref().unwrap_or(if has_body { "POST" } else { "GET" })
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expect {
    pub(crate) status: Option<Spanned<u16>>,
    pub(crate) length: Option<u64>,
    pub(crate) length_between: Option<Spanned<Vec<u64>>>,
    pub(crate) body: Option<Spanned<String>>,
    pub(crate) body_file: Option<Spanned<PathBuf>>,
    pub(crate) sha256: Option<Spanned<String>>,
    pub(crate) body_contains: Option<Spanned<Vec<String>>>,
    pub(crate) body_matches: Option<Spanned<String>>,
    pub(crate) json: Option<Spanned<JsonShape>>,
    pub(crate) headers: Option<BTreeMap<String, String>>,
}

/// The position and the error, in one line: `requests.toml:7: ...`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    file: PathBuf,
    /// The line, from 1; `None` if the error is about the whole file.
    line: Option<u64>,
    what: String,
}

impl FileError {
    /// An error about a whole file.
    pub(crate) fn new(file: &Path, what: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line: None, what: what.into() }
    }

    /// An error about one line of it.
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

/// The system's message, without its number.
pub(crate) fn words(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}
