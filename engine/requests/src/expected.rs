//! A request file's rules for right answers.

use crate::file::{Expect, FileError};
use crate::source::Source;
use crate::template::{Names, Template};
use csv::StringRecord;
use std::sync::Arc;
use toml::Spanned;
use volley_protocol::{BodyRule, Content, Expectation, LengthRule, Pattern, StatusRule};

/// The file's rule for the right answer; `None`: the command line's.
#[derive(Debug)]
pub(crate) struct Expected {
    status: Option<StatusRule>,
    length: Option<LengthRule>,
    body: Option<BodyRule>,
    /// The body, where it has values of the data file.
    of_row: Option<Template>,
    headers: Option<Vec<(String, String)>>,
}

impl Expected {
    pub(crate) fn or(&self, default: &Expectation) -> Expectation {
        Expectation {
            status: self.status.unwrap_or(default.status),
            length: self.length.or(default.length),
            body: self.body.as_ref().unwrap_or(&default.body).clone(),
            headers: self.headers.as_ref().unwrap_or(&default.headers).clone(),
        }
    }

    /// The whole body, if it differs from row to row.
    pub(crate) fn body_of(&self, row: Option<&StringRecord>) -> Option<String> {
        self.of_row.as_ref().map(|body| body.of_row(row))
    }

    /// Whether values of the data file are filled in.
    pub(crate) fn takes_rows(&self) -> bool {
        self.of_row.is_some()
    }

    /// Whether it gives the whole body.
    pub(crate) fn has_fixed_body(&self) -> bool {
        matches!(self.body, Some(BodyRule::Exactly(_) | BodyRule::Sha256(_)))
    }
}

impl Source<'_> {
    /// `columns`: those whose values may be in the body.
    pub(crate) fn expected(
        &self,
        expect: &Expect,
        columns: &[String],
    ) -> Result<Expected, FileError> {
        let status = match &expect.status {
            Some(status) if !(100..600).contains(status.get_ref()) => {
                let what =
                    format!("{}.expect.status: {} is no status", self.table, status.get_ref());
                return Err(self.wrong(status.span(), &what));
            }
            status => status.as_ref().map(|status| StatusRule::Exactly(*status.get_ref())),
        };
        let headers = expect.headers.as_ref().map(|headers| headers.clone().into_iter().collect());
        let (length, body) = (self.length_rule(expect)?, self.body_rule(expect)?);
        let of_row = self.body_of_row(expect, columns)?;
        Ok(Expected { status, length, body, of_row, headers })
    }

    /// Without a data file, braces have no special meaning.
    fn body_of_row(
        &self,
        expect: &Expect,
        columns: &[String],
    ) -> Result<Option<Template>, FileError> {
        let Some(body) = &expect.body else { return Ok(None) };
        if columns.is_empty() || !body.get_ref().contains("{{") {
            return Ok(None);
        }
        let names = Names { columns, taken: &[] };
        let template = Template::parse(body.get_ref(), names).and_then(|template| {
            let what = "an answer that is known beforehand has columns of the data file alone";
            if template.is_random() { Err(what.to_owned()) } else { Ok(Some(template)) }
        });
        template.map_err(|what| self.wrong(body.span(), &self.key(&format!("expect.body: {what}"))))
    }

    fn length_rule(&self, expect: &Expect) -> Result<Option<LengthRule>, FileError> {
        let Some(between) = &expect.length_between else {
            return Ok(expect.length.map(LengthRule::Exactly));
        };
        let what = match (expect.length, &between.get_ref()[..]) {
            (None, &[least, most]) if least <= most => {
                return Ok(Some(LengthRule::Between(least, most)));
            }
            (None, [_, _]) => ".length_between: the lower limit comes first",
            (None, _) => ".length_between: it takes two limits, like [10, 2000]",
            (Some(_), _) => ": of `length` and `length_between` keep one",
        };
        Err(self.wrong(between.span(), &format!("{}.expect{what}", self.table)))
    }

    /// One rule decides on the body: the one right body, or what every body has to contain.
    fn body_rule(&self, expect: &Expect) -> Result<Option<BodyRule>, FileError> {
        let content = [
            expect.body_contains.as_ref().map(Spanned::span),
            expect.body_matches.as_ref().map(Spanned::span),
            expect.json.as_ref().map(Spanned::span),
        ];
        let content = content.into_iter().flatten().max_by_key(|span| span.start);
        match (self.fixed_body(expect)?, content) {
            (fixed, None) => Ok(fixed),
            (None, Some(_)) => Ok(Some(self.content(expect)?)),
            (Some(_), Some(span)) => {
                let what = ": `body`, `body_file` and `sha256` say all of the body: \
                            keep one of them, or `body_contains`, `body_matches` and `json`";
                Err(self.wrong(span, &format!("{}.expect{what}", self.table)))
            }
        }
    }

    fn content(&self, expect: &Expect) -> Result<BodyRule, FileError> {
        let texts = expect.body_contains.as_ref().map_or(&[][..], |texts| texts.get_ref());
        let pattern = expect.body_matches.as_ref().map(|pattern| {
            Pattern::parse(pattern.get_ref()).map_err(|what| {
                self.wrong(pattern.span(), &format!("{}.expect.body_matches: {what}", self.table))
            })
        });
        let shape = expect.json.as_ref().map(|shape| shape.get_ref().clone());
        Ok(BodyRule::Holds(Arc::new(Content::new(texts, pattern.transpose()?, shape))))
    }

    fn fixed_body(&self, expect: &Expect) -> Result<Option<BodyRule>, FileError> {
        match (&expect.body, &expect.body_file, &expect.sha256) {
            (None, None, None) => Ok(None),
            (Some(body), None, None) => {
                Ok(Some(BodyRule::Exactly(body.get_ref().clone().into_bytes())))
            }
            (None, Some(file), None) => {
                let (_, bytes) = self.load(&self.key("expect.body_file"), file)?;
                Ok(Some(BodyRule::Exactly(bytes)))
            }
            (None, None, Some(hash)) => {
                BodyRule::from_hex(hash.get_ref()).map(Some).ok_or_else(|| {
                    let what = self.key("expect.sha256: a SHA-256 has 64 hexadecimal digits");
                    self.wrong(hash.span(), &what)
                })
            }
            (body, file, hash) => {
                let spans = [
                    body.as_ref().map(Spanned::span),
                    file.as_ref().map(Spanned::span),
                    hash.as_ref().map(Spanned::span),
                ];
                let last = spans.into_iter().flatten().max_by_key(|span| span.start);
                let what = self.key("expect: of `body`, `body_file` and `sha256` keep one");
                Err(self.wrong(last.unwrap_or_default(), &what))
            }
        }
    }
}
