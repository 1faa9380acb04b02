//! One request of the file, ready to be filled in.

use crate::draw::Defaults;
use crate::template::Template;
use csv::StringRecord;
use rand::Rng;
use volley_protocol::{BodyRule, Expectation, Request, RequestError, StatusRule};

#[derive(Debug)]
pub(crate) struct Entry {
    /// Where its table begins in the request file.
    pub(crate) line: u64,
    /// Its own name, or its method and path as they are written.
    pub(crate) name: String,
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
    /// As it is.
    Bytes(Vec<u8>),
    Text(Template),
}

/// What the file says of the right answer; `None`: as on the command line.
#[derive(Debug)]
pub(crate) struct Expected {
    pub(crate) status: Option<StatusRule>,
    pub(crate) length: Option<u64>,
    pub(crate) body: Option<BodyRule>,
    pub(crate) headers: Option<Vec<(String, String)>>,
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
}

impl Entry {
    /// Whether values of the data file are filled in.
    pub(crate) fn takes_rows(&self) -> bool {
        self.templates().any(|template| template.columns().next().is_some())
    }

    /// Whether something is drawn that does not come from the data file.
    pub(crate) fn is_random(&self) -> bool {
        self.templates().any(Template::is_random)
    }

    /// The request for a row. A header of its own replaces the default of the same name.
    pub(crate) fn fill(
        &self,
        defaults: &Defaults,
        row: Option<&StringRecord>,
        random: &mut impl Rng,
    ) -> Request {
        let mut fill = |template: &Template| template.fill(row, random);
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
                Body::Text(template) => fill(template).into_bytes(),
            },
            close: defaults.close,
            version: defaults.version,
            proxied: defaults.proxied,
        }
    }

    /// The text that a request was refused for, if it is one of the file's.
    pub(crate) fn culprit(&self, error: &RequestError) -> Option<&Text> {
        match error {
            RequestError::Path(_) => Some(&self.path),
            RequestError::HeaderValue(wrong) => {
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
