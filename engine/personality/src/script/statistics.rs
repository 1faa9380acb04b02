//! The arguments of `done`.

use mlua::{Lua, Scope, Table};

/// The result of the run, all threads together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Summary {
    pub(crate) duration_us: u64,
    /// The number of answers.
    pub(crate) requests: u64,
    /// The received bytes.
    pub(crate) bytes: u64,
    pub(crate) errors: Errors,
}

/// How many failed, by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Errors {
    pub(crate) connect: u64,
    pub(crate) read: u64,
    pub(crate) write: u64,
    /// Answers with a status above 399.
    pub(crate) status: u64,
    pub(crate) timeout: u64,
}

/// A distribution of whole numbers: latencies in µs, or requests a second.
pub(crate) trait Statistics {
    fn min(&self) -> u64;
    fn max(&self) -> u64;
    fn mean(&self) -> f64;
    fn stdev(&self) -> f64;
    /// The value that `percent` of all do not reach.
    fn percentile(&self, percent: f64) -> u64;
    /// How many different values there are.
    fn distinct(&self) -> u64;
    /// The value with `index` smaller ones, and its count.
    fn at(&self, index: u64) -> Option<(u64, u64)>;
    /// Whether scripts get values by `[]`, as in wrk2; in wrk they use a call.
    fn is_indexed(&self) -> bool {
        false
    }
}

impl Summary {
    pub(super) fn table(&self, lua: &Lua) -> mlua::Result<Table> {
        let Errors { connect, read, write, status, timeout } = self.errors;
        let errors = lua.create_table_from([
            ("connect", connect),
            ("read", read),
            ("write", write),
            ("status", status),
            ("timeout", timeout),
        ])?;
        let table = lua.create_table_from([
            ("duration", self.duration_us),
            ("requests", self.requests),
            ("bytes", self.bytes),
        ])?;
        table.raw_set("errors", errors)?;
        Ok(table)
    }
}

/// The statistics as functions and figures of the state, for as long as the scope lasts.
pub(super) fn offered<'scope>(
    lua: &Lua,
    scope: &'scope Scope<'scope, '_>,
    statistics: &'scope dyn Statistics,
) -> mlua::Result<Table> {
    let figures = lua.create_table_from([
        ("min", statistics.min() as f64),
        ("max", statistics.max() as f64),
        ("mean", statistics.mean()),
        ("stdev", statistics.stdev()),
    ])?;
    let offered = lua.create_table_from([("figures", figures)])?;
    offered.raw_set("distinct", statistics.distinct() as f64)?;
    offered.raw_set("is_indexed", statistics.is_indexed())?;
    let percentile = |_: &Lua, percent: f64| Ok(statistics.percentile(percent) as f64);
    offered.raw_set("percentile", scope.create_function(percentile)?)?;
    let at = |_: &Lua, index: f64| {
        let (value, count) = position(index)
            .and_then(|index| statistics.at(index))
            .unwrap_or((0, statistics.distinct()));
        Ok((value as f64, count as f64))
    };
    offered.raw_set("at", scope.create_function(at)?)?;
    Ok(offered)
}

/// Scripts count from one.
fn position(index: f64) -> Option<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cut off, as in C")]
    let index = index as u64;
    index.checked_sub(1)
}
