//! Modules written in C, which a script may load as it may under wrk.

use crate::common::command::run;
use crate::common::servers::always;
use std::fs::{create_dir_all, write};
use std::path::Path;
use std::process::Command;

const MODULE: &str = "
    typedef struct lua_State lua_State;
    double luaL_checknumber(lua_State *, int);
    void lua_pushcclosure(lua_State *, int (*)(lua_State *), int);
    void lua_pushnumber(lua_State *, double);
    static int twice(lua_State *state) {
        lua_pushnumber(state, 2 * luaL_checknumber(state, 1));
        return 1;
    }
    int luaopen_doubling(lua_State *state) {
        lua_pushcclosure(state, twice, 0);
        return 1;
    }";

#[test]
fn a_script_loads_a_module_written_in_c() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("modules");
    create_dir_all(&folder).unwrap();
    let [source, library, script] =
        ["doubling.c", "doubling.so", "doubling.lua"].map(|name| folder.join(name));
    write(&source, MODULE).unwrap();
    let mut compiler = Command::new("cc");
    let status =
        compiler.args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status().unwrap();
    assert!(status.success());
    let text = format!(
        "package.cpath = '{}/?.so'
         function init() print(require('doubling')(21)) os.exit(7) end",
        folder.display()
    );
    write(&script, text).unwrap();
    let url = format!("http://{}/", always(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
    let (status, out, err) = run(&["wrk", "-d1", "-s", script.to_str().unwrap(), &url]);
    assert_eq!((status, out.as_str()), (7, "42\n"), "{err}");
}
