//! The request file as it is written.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;
use toml::Spanned;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Document {
    pub(crate) data: Option<Spanned<PathBuf>>,
    pub(crate) order: Option<Spanned<Order>>,
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
    /// One after the other; after the last the first again.
    Sequential,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    pub(crate) weight: Option<NonZeroU32>,
    pub(crate) method: Option<String>,
    pub(crate) path: Spanned<String>,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, Spanned<String>>,
    pub(crate) body: Option<Spanned<String>>,
    pub(crate) body_file: Option<Spanned<PathBuf>>,
    #[serde(default)]
    pub(crate) expect: Expect,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expect {
    pub(crate) status: Option<Spanned<u16>>,
    pub(crate) length: Option<u64>,
    pub(crate) body: Option<Spanned<String>>,
    pub(crate) body_file: Option<Spanned<PathBuf>>,
    pub(crate) sha256: Option<Spanned<String>>,
    pub(crate) headers: Option<BTreeMap<String, String>>,
}
