//! Interprets the tables of a request file, and reports where they are wrong.

use crate::entry::{Body, Entry, Text};
use crate::file::Request;
use crate::file::{FileError, words};
use crate::template::{Names, Template};
use bytes::Bytes;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// A request file's text, for positions in it, and the means to read the files that it names.
pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    pub(crate) file: &'a Path,
    pub(crate) load: &'a dyn Fn(&Path) -> io::Result<Vec<u8>>,
    /// The kind of tables that are read: `request` or `once`.
    pub(crate) table: &'static str,
}

impl Source<'_> {
    pub(crate) fn entry(
        &self,
        request: &Spanned<Request>,
        name: String,
        names: Names<'_>,
    ) -> Result<Entry, FileError> {
        let line = self.line(request.span());
        let request = request.get_ref();
        let foreign = match self.table {
            "once" => request.weight.as_ref().map(|weight| (weight.span(), "weight", "request")),
            _ => request.take.values().next().map(|take| (take.span(), "take", "once")),
        };
        if let Some((span, key, table)) = foreign {
            return Err(self.wrong(span, &format!("`{key}` is a key of [[{table}]]")));
        }
        let mut headers: Vec<_> = request.headers.iter().collect();
        headers.sort_by_key(|(_, value)| value.span().start);
        let headers = headers.into_iter().map(|(name, value)| {
            let key = format!("{}.headers.{name}", self.table);
            Ok((name.clone(), self.text(&key, value, names)?))
        });
        let body = self.body(request, names)?;
        Ok(Entry {
            line,
            name,
            table: self.table,
            weight: request.weight.as_ref().map_or(1, |weight| u32::from(*weight.get_ref())),
            method: request.method().to_owned(),
            path: self.text(&self.key("path"), &request.path, names)?,
            headers: headers.collect::<Result<_, _>>()?,
            body: body.unwrap_or(Body::Bytes(Bytes::new())),
            expected: self.expected(&request.expect, names.columns)?,
        })
    }

    /// A file without fields, or that is not text, is sent unchanged.
    fn body(&self, request: &Request, fields: Names<'_>) -> Result<Option<Body>, FileError> {
        match (&request.body, &request.body_file) {
            (None, None) => Ok(None),
            (Some(text), None) => {
                Ok(Some(Body::Text(self.text(&self.key("body"), text, fields)?.template)))
            }
            (None, Some(named)) => {
                let (file, bytes) = self.load(&self.key("body_file"), named)?;
                Ok(Some(match String::from_utf8(bytes) {
                    Ok(text) if text.contains("{{") => Body::Text(
                        Template::parse(&text, fields)
                            .map_err(|what| FileError::new(&file, what))?,
                    ),
                    Ok(text) => Body::Bytes(text.into()),
                    Err(binary) => Body::Bytes(binary.into_bytes().into()),
                }))
            }
            (Some(_), Some(file)) => {
                let what = format!("{}: of `body` and `body_file` keep one", self.table);
                Err(self.wrong(file.span(), &what))
            }
        }
    }

    /// A key of such a table, with the table.
    pub(crate) fn key(&self, key: &str) -> String {
        format!("{}.{key}", self.table)
    }

    fn text(&self, key: &str, text: &Spanned<String>, names: Names<'_>) -> Result<Text, FileError> {
        let template = Template::parse(text.get_ref(), names)
            .map_err(|what| self.wrong(text.span(), &format!("{key}: {what}")))?;
        Ok(Text { line: self.line(text.span()), template })
    }

    /// The bytes of a file whose name is relative to this one.
    pub(crate) fn load(
        &self,
        key: &str,
        name: &Spanned<PathBuf>,
    ) -> Result<(PathBuf, Vec<u8>), FileError> {
        let file = self.file.parent().unwrap_or(Path::new("")).join(name.get_ref());
        match (self.load)(&file) {
            Ok(bytes) => Ok((file, bytes)),
            Err(error) => {
                let what = format!("{key}: {} cannot be read: {}", file.display(), words(&error));
                Err(self.wrong(name.span(), &what))
            }
        }
    }

    /// The TOML parser's message, with the key, in one line.
    pub(crate) fn refuse(&self, mut error: toml::de::Error) -> FileError {
        error.set_input(None);
        let text = error.to_string();
        let what = text.lines().collect::<Vec<_>>().join(" ");
        match error.span() {
            Some(span) => self.wrong(span, &what),
            None => FileError::new(self.file, what),
        }
    }

    pub(crate) fn wrong(&self, span: Range<usize>, what: &str) -> FileError {
        FileError::at(self.file, self.line(span), what)
    }

    pub(crate) fn line(&self, span: Range<usize>) -> u64 {
        let before = self.text.get(..span.start).unwrap_or_default();
        1 + before.matches('\n').count() as u64
    }
}
