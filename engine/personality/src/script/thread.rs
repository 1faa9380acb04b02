//! The state that an object `thread` stands for: another one, or the script's own.

use super::transfer::Transfer;
use mlua::{Lua, LuaString, Table, Value, WeakLua};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A thread of load, as scripts see it.
pub(super) struct Thread {
    /// Weak, since the state itself holds its thread.
    lua: WeakLua,
    address: Mutex<Option<SocketAddr>>,
    stopped: AtomicBool,
}

impl Thread {
    pub(super) fn of(lua: &Lua) -> Arc<Self> {
        let address = Mutex::new(None);
        Arc::new(Self { lua: lua.weak(), address, stopped: AtomicBool::new(false) })
    }

    pub(super) fn address(&self) -> Option<SocketAddr> {
        *self.address.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_address(&self, address: SocketAddr) {
        *self.address.lock().unwrap_or_else(PoisonError::into_inner) = Some(address);
    }

    pub(super) fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Marks the thread as running: only then can it be stopped.
    pub(super) fn start(&self) {
        self.stopped.store(false, Ordering::Relaxed);
    }

    /// A global of its state, or why it is unavailable.
    fn get(&self, name: &str) -> Result<Transfer, String> {
        let lua = self.lua.try_upgrade().ok_or("the thread is gone")?;
        let value: Value = lua.globals().raw_get(name).map_err(|error| error.to_string())?;
        Transfer::take(&value)
    }

    fn set(&self, name: &str, value: &Value) -> Result<(), String> {
        let value = Transfer::take(value)?;
        let lua = self.lua.try_upgrade().ok_or("the thread is gone")?;
        lua.globals().raw_set(name, value).map_err(|error| error.to_string())
    }

    /// The object's methods, as functions of the state `home`; no argument makes them fail.
    pub(super) fn offered_to(self: &Arc<Self>, home: &Lua) -> mlua::Result<Table> {
        let offered = home.create_table()?;
        let thread = Arc::clone(self);
        let get = move |lua: &Lua, name: Value| match thread.get(&text(lua, name)) {
            Ok(value) => Ok((true, lua.pack(value)?)),
            Err(refused) => Ok((false, lua.pack(refused)?)),
        };
        offered.raw_set("get", home.create_function(get)?)?;
        let thread = Arc::clone(self);
        let set = move |lua: &Lua, (name, value): (Value, Value)| {
            Ok(thread.set(&text(lua, name), &value).err())
        };
        offered.raw_set("set", home.create_function(set)?)?;
        let thread = Arc::clone(self);
        let stop = move |_: &Lua, (): ()| {
            thread.stopped.store(true, Ordering::Relaxed);
            Ok(())
        };
        offered.raw_set("stop", home.create_function(stop)?)?;
        let thread = Arc::clone(self);
        let address =
            move |_: &Lua, (): ()| Ok(thread.address().map(|address| address.to_string()));
        offered.raw_set("address", home.create_function(address)?)?;
        let thread = Arc::clone(self);
        let set_address = move |_: &Lua, address: LuaString| {
            if let Ok(address) = address.to_string_lossy().parse() {
                thread.set_address(address);
            }
            Ok(())
        };
        offered.raw_set("set_address", home.create_function(set_address)?)?;
        Ok(offered)
    }
}

/// A string or a number as text; `(null)` for anything else, as C prints a missing string.
pub(super) fn text(lua: &Lua, value: Value) -> String {
    let text = lua.coerce_string(value).ok().flatten();
    text.map_or_else(|| "(null)".to_owned(), |text| text.to_string_lossy())
}
