//! wrk's Lua interface: one state for each thread of load, and one for setup and done.
//!
//! `wrk.lua` has the interface for scripts and the calls into them; this module has the parts of
//! both that need Rust. A [`Failure`] is wrk's message before it ends with status 1.

mod calls;
mod depth;
mod failure;
mod network;
mod statistics;
#[cfg(test)]
mod tests;
mod thread;
mod transfer;

pub(crate) use failure::Failure;
pub(crate) use statistics::{Errors, Statistics, Summary};

use bstr::BStr;
use calls::Calls;
use mlua::{Either, Function, IntoLuaMulti, Lua, Table, Value};
use network::Network;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;
use thread::{Thread, text};

/// The values of the command line that a script gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) scheme: String,
    /// IPv6 without its brackets.
    pub(crate) host: String,
    pub(crate) port: Option<String>,
    /// With query and fragment; never empty.
    pub(crate) path: String,
    /// The headers of `-H`.
    pub(crate) headers: Vec<(String, String)>,
    /// Whether there is `wrk.time_us`, as in wrk2.
    pub(crate) tells_time: bool,
}

impl Setting {
    fn table(&self, lua: &Lua) -> mlua::Result<Table> {
        let headers = lua.create_table()?;
        for (name, value) in &self.headers {
            headers.raw_set(name.as_str(), value.as_str())?;
        }
        let table = lua.create_table()?;
        table.raw_set("scheme", self.scheme.as_str())?;
        table.raw_set("host", self.host.as_str())?;
        table.raw_set("port", self.port.as_deref())?;
        table.raw_set("path", self.path.as_str())?;
        table.raw_set("headers", headers)?;
        Ok(table)
    }
}

/// One Lua state and the calls into it.
pub(crate) struct Script {
    lua: Lua,
    calls: Calls,
    thread: Arc<Thread>,
    network: Arc<Network>,
    /// States of threads that this one's script holds, until the end.
    threads: Vec<Lua>,
}

impl Script {
    /// A new state, with the global `wrk`.
    pub(crate) fn new(setting: &Setting) -> Result<Self, Failure> {
        let lua = calls::new_state();
        let network = Arc::new(Network::default());
        let offered = setting.table(&lua)?;
        network.offer(&lua, &offered)?;
        if setting.tells_time {
            offered.raw_set("time_us", lua.create_function(|_, ()| Ok(time_us()))?)?;
        }
        let calls = Calls::load(&lua, offered)?;
        Ok(Self { thread: Thread::of(&lua), lua, calls, network, threads: Vec::new() })
    }

    /// Runs a script. The error is a line for standard error; wrk goes on all the same. A name that
    /// cannot be resolved is not such an error: it makes the next call fail.
    pub(crate) fn run(&self, file: &Path) -> Result<(), String> {
        let ran: mlua::Result<(bool, Value)> = self.calls.run.call(file);
        self.flush();
        let cause = match ran {
            Ok((true, _)) => return Ok(()),
            Ok(_) if self.network.unresolved().is_some() => return Ok(()),
            Ok((false, raised)) => text(&self.lua, raised),
            Err(error) => error.to_string(),
        };
        Err(format!("{}: {cause}", file.display()))
    }

    /// Finds the addresses that accept connections, for `wrk.addrs`.
    pub(crate) fn resolve(&self, host: &str, service: &str) -> Result<(), Failure> {
        let usable = self.call(&self.calls.resolve, (host, service))?;
        if self.lua.unpack::<u64>(usable)? > 0 {
            return Ok(());
        }
        let why = self.network.refused().unwrap_or_else(|| "Success".to_owned());
        Err(Failure::line(format!("unable to connect to {host}:{service} {why}")))
    }

    /// Lets this state's script set up a thread: its address, its globals.
    pub(crate) fn set_up(&mut self, thread: &Self) -> Result<(), Failure> {
        self.threads.push(thread.lua.clone());
        let own = thread.thread.offered_to(&thread.lua)?;
        thread.call(&thread.calls.adopt, own)?;
        let other = thread.thread.offered_to(&self.lua)?;
        self.call(&self.calls.set_up, other).map(drop)
    }

    /// Completes the headers and runs `init`. `args` are the URL and the arguments after it.
    pub(crate) fn init<A: AsRef<[u8]>>(&self, args: &[A]) -> Result<(), Failure> {
        let table = self.lua.create_table()?;
        for (position, arg) in args.iter().enumerate() {
            table.raw_set(position, BStr::new(arg))?;
        }
        self.call(&self.calls.init, table)?;
        self.flush();
        self.thread.start();
        Ok(())
    }

    /// Whether every request is the same: the script does not define `request`.
    pub(crate) fn is_static(&self) -> bool {
        !self.has("request")
    }

    pub(crate) fn has_delay(&self) -> bool {
        self.has("delay")
    }

    pub(crate) fn wants_response(&self) -> bool {
        self.has("response")
    }

    pub(crate) fn has_done(&self) -> bool {
        self.has("done")
    }

    fn has(&self, hook: &str) -> bool {
        matches!(self.call(&self.calls.has, hook), Ok(Value::Boolean(true)))
    }

    /// How many requests one call of `request` makes; wrk refuses those that make none.
    pub(crate) fn depth(&self) -> Result<usize, Failure> {
        let mut bytes = Vec::new();
        self.request(&mut bytes)?;
        self.flush();
        depth::depth(&bytes).map_err(Failure::line)
    }

    /// Replaces `bytes` with the next requests: none if the script gives none.
    pub(crate) fn request(&self, bytes: &mut Vec<u8>) -> Result<(), Failure> {
        bytes.clear();
        match self.call(&self.calls.request, ())? {
            Value::String(text) => bytes.extend_from_slice(&text.as_bytes()),
            value => {
                if let Ok(Some(text)) = self.lua.coerce_string(value) {
                    bytes.extend_from_slice(&text.as_bytes());
                }
            }
        }
        Ok(())
    }

    /// Milliseconds to wait before the next request.
    pub(crate) fn delay(&self) -> Result<u64, Failure> {
        let delay: Option<f64> = self.lua.unpack(self.call(&self.calls.delay, ())?)?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "cut off, as in C"
        )]
        Ok(delay.unwrap_or(0.0) as u64)
    }

    /// Passes an answer to the script. Of headers of the same name, it gets the last.
    pub(crate) fn response<'a>(
        &self,
        status: u16,
        headers: impl IntoIterator<Item = (&'a [u8], &'a [u8])>,
        body: &[u8],
    ) -> Result<(), Failure> {
        let table = self.lua.create_table()?;
        for (name, value) in headers {
            table.raw_set(string(name), string(value))?;
        }
        self.call(&self.calls.response, (status, table, string(body))).map(drop)
    }

    /// Passes the results to the script. Its `latency` is in µs, `requests` are requests a second.
    pub(crate) fn done(
        &self,
        summary: &Summary,
        latency: &dyn Statistics,
        requests: &dyn Statistics,
    ) -> Result<(), Failure> {
        let told = self.lua.scope(|scope| {
            let latency = statistics::offered(&self.lua, scope, latency)?;
            let requests = statistics::offered(&self.lua, scope, requests)?;
            let summary = summary.table(&self.lua)?;
            Ok(self.call(&self.calls.done, (summary, latency, requests)).map(drop))
        })?;
        self.flush();
        told
    }

    /// The address to which this thread connects.
    pub(crate) fn address(&self) -> Option<SocketAddr> {
        self.thread.address()
    }

    /// Whether the script has stopped this thread since its `init`.
    pub(crate) fn stopped(&self) -> bool {
        self.thread.stopped()
    }

    /// Writes out the scripts' output, of all threads: before any output that has to come after it.
    pub(crate) fn flush(&self) {
        // Lua does not report a closed standard output either.
        let _ = self.calls.flush.call::<()>(());
    }

    fn call(&self, call: &Function, args: impl IntoLuaMulti) -> Result<Value, Failure> {
        let (succeeded, value): (bool, Value) = call.call(args)?;
        if let Some(unresolved) = self.network.unresolved() {
            return Err(Failure::line(unresolved));
        }
        if succeeded {
            return Ok(value);
        }
        let message = match value {
            Value::String(text) => text.to_string_lossy(),
            number @ (Value::Integer(_) | Value::Number(_)) => text(&self.lua, number),
            _ => "?".to_owned(),
        };
        Err(Failure::uncaught(message))
    }
}

/// mlua puts a `str` on Lua's stack directly; other bytes take a reference that costs more than the
/// string.
fn string(bytes: &[u8]) -> Either<&str, &BStr> {
    str::from_utf8(bytes).map_or_else(|_| Either::Right(BStr::new(bytes)), Either::Left)
}

/// The time of day in µs, which scripts of wrk2 may ask for.
fn time_us() -> f64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0.0, |since| since.as_micros() as f64)
}
