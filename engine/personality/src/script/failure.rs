//! How a run ends when a script fails.

use std::fmt;

/// wrk's message on standard error before it ends with status 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure(String);

impl Failure {
    /// A line of its own.
    pub(crate) fn line(line: impl Into<String>) -> Self {
        Self(line.into())
    }

    /// `LuaJIT`'s message for an uncaught error.
    pub(crate) fn uncaught(message: impl fmt::Display) -> Self {
        Self(format!("PANIC: unprotected error in call to Lua API ({message})"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// `LuaJIT` itself is at its limits, for example out of memory.
impl From<mlua::Error> for Failure {
    fn from(error: mlua::Error) -> Self {
        Self::uncaught(error)
    }
}
