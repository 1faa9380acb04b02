//! Takes the tables of a request file for what they mean, and says where they mean nothing.

use crate::entry::{Body, Entry, Expected, Text};
use crate::file::{Expect, Request};
use crate::file::{FileError, words};
use crate::template::Template;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use volley_protocol::{BodyRule, StatusRule};

/// A request file's text, to say where something is, and how to get at the files that it names.
pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    pub(crate) file: &'a Path,
    pub(crate) load: &'a dyn Fn(&Path) -> io::Result<Vec<u8>>,
}

impl Source<'_> {
    pub(crate) fn entry(
        &self,
        request: &Spanned<Request>,
        name: String,
        columns: &[String],
    ) -> Result<Entry, FileError> {
        let line = self.line(request.span());
        let request = request.get_ref();
        let mut headers: Vec<_> = request.headers.iter().collect();
        headers.sort_by_key(|(_, value)| value.span().start);
        let headers = headers.into_iter().map(|(name, value)| {
            let key = format!("request.headers.{name}");
            Ok((name.clone(), self.text(&key, value, columns)?))
        });
        let body = self.body(request, columns)?;
        Ok(Entry {
            line,
            name,
            weight: request.weight.map_or(1, u32::from),
            method: request.method().to_owned(),
            path: self.text("request.path", &request.path, columns)?,
            headers: headers.collect::<Result<_, _>>()?,
            body: body.unwrap_or(Body::Bytes(Vec::new())),
            expected: self.expected(&request.expect)?,
        })
    }

    /// A file that is not text is a body as it is.
    fn body(&self, request: &Request, columns: &[String]) -> Result<Option<Body>, FileError> {
        match (&request.body, &request.body_file) {
            (None, None) => Ok(None),
            (Some(text), None) => {
                Ok(Some(Body::Text(self.text("request.body", text, columns)?.template)))
            }
            (None, Some(named)) => {
                let (file, bytes) = self.load("request.body_file", named)?;
                Ok(Some(match String::from_utf8(bytes) {
                    Ok(text) => Body::Text(
                        Template::parse(&text, columns)
                            .map_err(|what| FileError::new(&file, what))?,
                    ),
                    Err(binary) => Body::Bytes(binary.into_bytes()),
                }))
            }
            (Some(_), Some(file)) => {
                Err(self.wrong(file.span(), "request: of `body` and `body_file` keep one"))
            }
        }
    }

    fn expected(&self, expect: &Expect) -> Result<Expected, FileError> {
        let status = match &expect.status {
            Some(status) if !(100..600).contains(status.get_ref()) => {
                let what = format!("request.expect.status: {} is no status", status.get_ref());
                return Err(self.wrong(status.span(), &what));
            }
            status => status.as_ref().map(|status| StatusRule::Exactly(*status.get_ref())),
        };
        let headers = expect.headers.as_ref().map(|headers| headers.clone().into_iter().collect());
        Ok(Expected { status, length: expect.length, body: self.body_rule(expect)?, headers })
    }

    fn body_rule(&self, expect: &Expect) -> Result<Option<BodyRule>, FileError> {
        match (&expect.body, &expect.body_file, &expect.sha256) {
            (None, None, None) => Ok(None),
            (Some(body), None, None) => {
                Ok(Some(BodyRule::Exactly(body.get_ref().clone().into_bytes())))
            }
            (None, Some(file), None) => {
                let (_, bytes) = self.load("request.expect.body_file", file)?;
                Ok(Some(BodyRule::Exactly(bytes)))
            }
            (None, None, Some(hash)) => {
                BodyRule::from_hex(hash.get_ref()).map(Some).ok_or_else(|| {
                    let what = "request.expect.sha256: a SHA-256 has 64 hexadecimal digits";
                    self.wrong(hash.span(), what)
                })
            }
            (body, file, hash) => {
                let spans = [
                    body.as_ref().map(Spanned::span),
                    file.as_ref().map(Spanned::span),
                    hash.as_ref().map(Spanned::span),
                ];
                let last = spans.into_iter().flatten().max_by_key(|span| span.start);
                let what = "request.expect: of `body`, `body_file` and `sha256` keep one";
                Err(self.wrong(last.unwrap_or_default(), what))
            }
        }
    }

    fn text(
        &self,
        key: &str,
        text: &Spanned<String>,
        columns: &[String],
    ) -> Result<Text, FileError> {
        let template = Template::parse(text.get_ref(), columns)
            .map_err(|what| self.wrong(text.span(), &format!("{key}: {what}")))?;
        Ok(Text { line: self.line(text.span()), template })
    }

    /// The bytes of a file that is named relative to this one.
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

    /// What the TOML parser says, with the key, in one line.
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
