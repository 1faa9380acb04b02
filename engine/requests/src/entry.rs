//! One request of the file, ready to be filled in.

use crate::dependent::Dependent;
use crate::draw::Defaults;
use crate::expected::Expected;
use crate::template::Template;
use bytes::Bytes;
use csv::StringRecord;
use rand::Rng;
use volley_protocol::{Request, RequestError};

#[derive(Debug)]
pub(crate) struct Entry {
    /// The line of its table in the request file.
    pub(crate) line: u64,
    /// Its own name, or its method and path as they are written.
    pub(crate) name: String,
    /// `request` or `once`.
    pub(crate) table: &'static str,
    pub(crate) weight: u32,
    pub(crate) method: String,
    pub(crate) path: Text,
    pub(crate) headers: Vec<(String, Text)>,
    pub(crate) body: Body,
    pub(crate) expected: Expected,
}

/// A template of the request file.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) line: u64,
    pub(crate) template: Template,
}

/// A request's body.
#[derive(Debug)]
pub(crate) enum Body {
    /// A body without fields.
    Bytes(Bytes),
    Text(Template),
}

impl Entry {
    /// Whether values of the data file are filled in.
    pub(crate) fn takes_rows(&self) -> bool {
        self.expected.takes_rows()
            || self.templates().any(|template| template.columns().next().is_some())
    }

    /// Whether it has random values that do not come from the data file.
    pub(crate) fn is_random(&self) -> bool {
        self.templates().any(Template::is_random)
    }

    /// Whether it has values that its connection takes from answers.
    pub(crate) fn is_dependent(&self) -> bool {
        self.templates().any(|template| template.taken().next().is_some())
    }

    /// The request for a row. A header of its own replaces the default of the same name.
    pub(crate) fn fill(
        &self,
        defaults: &Defaults,
        row: Option<&StringRecord>,
        random: &mut impl Rng,
    ) -> Request {
        self.with(defaults, |template| template.fill(row, random))
    }

    /// The same as far as it is known before its connection exists.
    pub(crate) fn settle(
        &self,
        defaults: &Defaults,
        row: Option<&StringRecord>,
        random: &mut impl Rng,
    ) -> Dependent {
        let mut settled = Vec::new();
        let request = self.with(defaults, |template| {
            settled.push(template.settle(row, random));
            settled[settled.len() - 1].fill(None, random)
        });
        let body = if let Body::Text(_) = self.body { settled.pop() } else { None };
        let path = settled.pop().expect("each request has a path");
        Dependent { request, headers: settled, path, body }
    }

    /// The request with filled-in headers, path and body.
    fn with(&self, defaults: &Defaults, mut fill: impl FnMut(&Template) -> String) -> Request {
        let is_own =
            |name: &str| self.headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name));
        let others = defaults.headers.iter().filter(|(name, _)| !is_own(name)).cloned();
        let own = self.headers.iter().map(|(name, value)| (name.clone(), fill(&value.template)));
        let headers = others.chain(own).collect();
        Request {
            method: self.method.clone(),
            path: fill(&self.path.template),
            host: defaults.host.clone(),
            headers,
            body: match &self.body {
                Body::Bytes(bytes) => bytes.clone(),
                Body::Text(template) => fill(template).into(),
            },
            close: defaults.close,
            version: defaults.version,
            proxied: defaults.proxied,
            message: None,
        }
    }

    /// The text for which a request was refused, if it is one of the file's.
    pub(crate) fn culprit(&self, error: &RequestError) -> Option<&Text> {
        match error {
            RequestError::Path(_) => Some(&self.path),
            RequestError::HeaderValue(wrong) | RequestError::Hides(wrong) => {
                self.headers.iter().find(|(name, _)| name == wrong).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    fn templates(&self) -> impl Iterator<Item = &Template> {
        let body = match &self.body {
            Body::Bytes(_) => None,
            Body::Text(template) => Some(template),
        };
        let values = self.headers.iter().map(|(_, value)| &value.template);
        std::iter::once(&self.path.template).chain(values).chain(body)
    }
}
