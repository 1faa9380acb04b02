//! Draws the requests of a book from a request file.

use crate::book::{Book, Draft};
use crate::entry::Entry;
use crate::file::FileError;
use crate::file::Order;
use crate::file::RequestFile;
use crate::once::{Chain, Once};
use csv::StringRecord;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use volley_protocol::{BodyRule, Expectation, Request, RequestError, StatusRule, Version};

/// How many requests are drawn from a request file before they repeat: enough that weights are kept
/// within a percent or so, few enough that bodies of 32 KiB fit.
pub const DRAWN: usize = 8192;

/// How many chains are drawn before they repeat.
const CHAINS_DRAWN: usize = 1024;

/// Statuses from here on are errors, if there is no rule for the right one.
pub const FIRST_BAD_STATUS: u16 = 400;

/// The most bytes of a book.
const SIZE_LIMIT: usize = 256 << 20;

/// What all requests of a file have in common.
#[derive(Debug, Clone)]
pub struct Defaults {
    /// The value of the `Host` field.
    pub host: String,
    /// The version of HTTP.
    pub version: Version,
    /// Whether to ask the server to close the connection after its answer.
    pub close: bool,
    /// Whether the requests go to a proxy.
    pub proxied: bool,
    /// Fields of every request, except requests with their own of the same name.
    pub headers: Vec<(String, String)>,
    /// The right answer, where a request has no rule of its own.
    pub expectation: Expectation,
}

impl Defaults {
    /// Defaults for HTTP/1.1 without further fields, where any status is right that is not an
    /// error.
    pub fn of(host: &str) -> Self {
        Self {
            host: host.into(),
            version: Version::Http11,
            close: false,
            proxied: false,
            headers: Vec::new(),
            expectation: Expectation::of_status(StatusRule::Below(FIRST_BAD_STATUS)),
        }
    }
}

/// The right answers: one for each request of a file, and one for each body of rows.
struct Answers {
    expectations: Vec<Arc<Expectation>>,
    /// By request and body, where they are in `expectations`.
    of_rows: HashMap<(usize, String), usize>,
    /// The answers for bodies of rows.
    bytes: usize,
}

impl Answers {
    fn new(expectations: Vec<Arc<Expectation>>) -> Self {
        Self { expectations, of_rows: HashMap::new(), bytes: 0 }
    }

    /// The index of the right answer for request `index`; `body`: the one of its row, if it
    /// differs.
    fn of(&mut self, index: usize, body: Option<String>) -> usize {
        let Some(body) = body else { return index };
        let Self { expectations, of_rows, bytes } = self;
        *of_rows.entry((index, body)).or_insert_with_key(|(_, body)| {
            *bytes += body.len();
            let body = BodyRule::Exactly(body.clone().into_bytes());
            expectations.push(Arc::new(Expectation { body, ..(*expectations[index]).clone() }));
            expectations.len() - 1
        })
    }
}

impl RequestFile {
    /// `count` requests (at least one) drawn by their weights and rendered, of which at most
    /// `depth` are sent at a time. Equal seeds give equal books.
    ///
    /// A row of the data file is taken for each request that names a column. A file without chance,
    /// of one request that is always the same or takes the rows in sequence, gives one round
    /// instead: that request once, or once for each row.
    pub fn book(
        &self,
        defaults: &Defaults,
        seed: u64,
        count: usize,
        depth: usize,
    ) -> Result<Book, FileError> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let weights = WeightedIndex::new(self.entries.iter().map(|entry| u64::from(entry.weight)))
            .map_err(|error| FileError::new(&self.file, error.to_string()))?;
        let expectation = |entry: &Entry| Arc::new(entry.expected.or(&defaults.expectation));
        let mut answers = Answers::new(self.entries.iter().map(expectation).collect());
        let (mut draft, mut taken) = (Draft::default(), 0);
        for _ in 0..self.round().unwrap_or(count).max(1) {
            let index = weights.sample(&mut random);
            let entry = &self.entries[index];
            let row = if entry.takes_rows() { self.row(&mut taken, &mut random) } else { None };
            let expectation = answers.of(index, entry.expected.body_of(row));
            let render = |request: &Request| {
                let suits = answers.expectations[expectation].suits(request);
                let rendered = suits.and_then(|()| request.render_head());
                rendered.map_err(|error| self.refuse(entry, row, &error))
            };
            if entry.is_dependent() {
                let dependent = entry.settle(defaults, row, &mut random);
                let head = render(&dependent.request)?;
                draft.add_dependent(head, dependent, index, expectation);
            } else {
                let request = entry.fill(defaults, row, &mut random);
                draft.add(render(&request)?, request, index, expectation);
            }
            self.check_size(draft.size(0) + answers.bytes)?;
        }
        self.draw_chain(defaults, &mut random, &mut draft, &mut answers)?;
        self.check_size(draft.size(depth) + answers.bytes)?;
        let names = self.entries.iter().map(|entry| entry.name.clone()).collect();
        Ok(draft.bind(answers.expectations, names, depth))
    }

    /// Draws chains, whose expectations come after the others.
    fn draw_chain(
        &self,
        defaults: &Defaults,
        random: &mut impl Rng,
        draft: &mut Draft,
        answers: &mut Answers,
    ) -> Result<(), FileError> {
        let Some(first) = self.once.first() else { return Ok(()) };
        if defaults.close {
            let what = "[[once]] is for connections that carry several requests, but here each \
                        carries one";
            return Err(FileError::at(&self.file, first.entry.line, what));
        }
        let status = StatusRule::Below(FIRST_BAD_STATUS);
        let takes_rows = self.once.iter().any(|once| once.entry.takes_rows());
        let is_random = self.once.iter().any(|once| once.entry.is_random());
        let draws = match (&self.table, self.order) {
            (Some(table), Order::Sequential) if takes_rows && !is_random => table.rows.len(),
            _ if takes_rows || is_random => CHAINS_DRAWN,
            _ => 1,
        };
        draft.chain = Some(Chain::new(&self.once, &self.entries));
        let behind = answers.expectations.len();
        answers.expectations.extend(self.once.iter().map(|once| once.expectation(status)));
        let mut taken = 0;
        for _ in 0..draws {
            // One row serves a connection's whole chain: it continues as the user that logged in.
            let row = if takes_rows { self.row(&mut taken, random) } else { None };
            for (step, Once { entry, .. }) in self.once.iter().enumerate() {
                let dependent = entry.settle(defaults, row, random);
                let expectation = answers.of(behind + step, entry.expected.body_of(row));
                let suits = answers.expectations[expectation].suits(&dependent.request);
                let rendered = suits.and_then(|()| dependent.request.render_head());
                let rendered = rendered.map_err(|error| self.refuse(entry, row, &error))?;
                draft.add_chained(rendered, dependent, expectation);
            }
            self.check_size(draft.size(0) + answers.bytes)?;
        }
        Ok(())
    }

    /// After how many requests they repeat, if nothing is random.
    fn round(&self) -> Option<usize> {
        let [entry] = &self.entries[..] else { return None };
        match (&self.table, self.order) {
            _ if entry.is_random() => None,
            _ if !entry.takes_rows() => Some(1),
            (Some(table), Order::Sequential) => Some(table.rows.len()),
            _ => None,
        }
    }

    /// The next row. `taken`: how many rows were taken before.
    fn row(&self, taken: &mut usize, random: &mut impl Rng) -> Option<&StringRecord> {
        let rows = &self.table.as_ref()?.rows;
        let index = match self.order {
            Order::Random => random.random_range(0..rows.len()),
            Order::Sequential => *taken % rows.len(),
        };
        *taken += 1;
        rows.get(index)
    }

    fn check_size(&self, bytes: usize) -> Result<(), FileError> {
        if bytes <= SIZE_LIMIT {
            return Ok(());
        }
        let what = "rendered, the requests come to more than 256 MiB: make their bodies smaller";
        Err(FileError::new(&self.file, what))
    }

    /// Adds the position of the text that makes a request impossible.
    fn refuse(&self, entry: &Entry, row: Option<&StringRecord>, error: &RequestError) -> FileError {
        let text = entry.culprit(error);
        let columns: BTreeSet<usize> =
            text.iter().flat_map(|text| text.template.columns()).collect();
        let trace = match (&self.table, row) {
            (Some(table), Some(row)) if !columns.is_empty() => {
                format!("; {}", table.trace(row, &columns))
            }
            _ => String::new(),
        };
        let line = text.map_or(entry.line, |text| text.line);
        FileError::at(&self.file, line, format!("{}: {error}{trace}", entry.table))
    }
}
