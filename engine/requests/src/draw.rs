//! Draws the requests of a book from a request file.

use crate::book::{Book, Draft};
use crate::entry::Entry;
use crate::file::FileError;
use crate::file::Order;
use crate::file::RequestFile;
use csv::StringRecord;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeSet;
use std::sync::Arc;
use volley_protocol::{Expectation, RequestError, Version};

/// So many requests are drawn from a request file before they repeat: enough that weights are kept
/// within a percent or so, few enough that bodies of 32 KiB fit.
pub const DRAWN: usize = 8192;

/// Statuses from here on are errors, where nothing says which one is right.
pub const FIRST_BAD_STATUS: u16 = 400;

/// The most bytes of a book.
const SIZE_LIMIT: usize = 256 << 20;

/// What all requests of a file have in common.
#[derive(Debug, Clone)]
pub struct Defaults {
    /// The value of the `Host` field.
    pub host: String,
    /// Which HTTP to speak.
    pub version: Version,
    /// Whether to ask the server to close the connection after its answer.
    pub close: bool,
    /// Whether the requests go to a proxy.
    pub proxied: bool,
    /// Fields of every request, but for those that have their own of the same name.
    pub headers: Vec<(String, String)>,
    /// Which answer is right, as far as a request does not say it itself.
    pub expectation: Expectation,
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
        let (mut draft, mut taken) = (Draft::default(), 0);
        for _ in 0..self.round().unwrap_or(count).max(1) {
            let index = weights.sample(&mut random);
            let entry = &self.entries[index];
            let row = if entry.takes_rows() { self.row(&mut taken, &mut random) } else { None };
            let request = entry.fill(defaults, row, &mut random);
            let rendered = request.render().map_err(|error| self.refuse(entry, row, &error))?;
            draft.add(&rendered, request, index);
            self.check_size(draft.size(0))?;
        }
        self.check_size(draft.size(depth))?;
        let expectation = |entry: &Entry| Arc::new(entry.expected.or(&defaults.expectation));
        let names = self.entries.iter().map(|entry| entry.name.clone()).collect();
        Ok(draft.bind(self.entries.iter().map(expectation).collect(), names, depth))
    }

    /// After how many requests they repeat, if nothing is left to chance.
    fn round(&self) -> Option<usize> {
        let [entry] = &self.entries[..] else { return None };
        match (&self.table, self.order) {
            _ if entry.is_random() => None,
            _ if !entry.takes_rows() => Some(1),
            (Some(table), Order::Sequential) => Some(table.rows.len()),
            _ => None,
        }
    }

    /// The next row. `taken`: how many were before.
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

    /// Says where the text that makes a request impossible came from.
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
        FileError::at(&self.file, line, format!("request: {error}{trace}"))
    }
}
