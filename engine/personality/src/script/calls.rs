//! The calls into a script: the functions that `wrk.lua` returns.

use mlua::{Function, Lua, LuaString, Table};

/// A state like that of `LuaJIT`'s own program: scripts may use the foreign function interface, the
/// debug library and modules written in C.
#[expect(unsafe_code, reason = "these can do anything, as can the user whose script it is")]
pub(super) fn new_state() -> Lua {
    // SAFETY: what a script does through the FFI or a C module is as much its user's doing as with
    // wrk. No script is run that its user has not named.
    unsafe { Lua::unsafe_new() }
}

#[derive(Debug)]
pub(super) struct Calls {
    pub(super) run: Function,
    pub(super) resolve: Function,
    pub(super) adopt: Function,
    pub(super) set_up: Function,
    pub(super) init: Function,
    pub(super) has: Function,
    pub(super) request: Function,
    pub(super) delay: Function,
    pub(super) response: Function,
    pub(super) done: Function,
    pub(super) flush: Function,
}

impl Calls {
    /// Makes the global `wrk` from the offered functions.
    pub(super) fn load(lua: &Lua, offered: Table) -> mlua::Result<Self> {
        let chunk = lua.load(include_str!("wrk.lua")).into_function()?;
        // Without its lines, as in wrk: messages of errors in it are the same.
        let dump: Function = lua.load("return string.dump").eval()?;
        let code: LuaString = dump.call((chunk, true))?;
        let calls: Table = lua.load(&*code.as_bytes()).set_name("wrk").call(offered)?;
        let call = |name| calls.raw_get::<Function>(name);
        Ok(Self {
            run: call("run")?,
            resolve: call("resolve")?,
            adopt: call("adopt")?,
            set_up: call("set_up")?,
            init: call("init")?,
            has: call("has")?,
            request: call("request")?,
            delay: call("delay")?,
            response: call("response")?,
            done: call("done")?,
            flush: call("flush")?,
        })
    }
}
