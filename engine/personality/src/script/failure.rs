//! What ends a run when a script goes wrong.

use std::fmt;

/// What wrk says on standard error before it ends with status 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure(String);

impl Failure {
    /// A line of its own.
    pub(crate) fn line(line: impl Into<String>) -> Self {
        Self(line.into())
    }

    /// What `LuaJIT` says of an error that nobody caught.
    pub(crate) fn uncaught(message: impl fmt::Display) -> Self {
        Self(format!("PANIC: unprotected error in call to Lua API ({message})"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// `LuaJIT` itself is at its limits, out of memory for one.
impl From<mlua::Error> for Failure {
    fn from(error: mlua::Error) -> Self {
        Self::uncaught(error)
    }
}
