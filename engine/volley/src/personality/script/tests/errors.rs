//! Scripts that go wrong.

use super::*;
use std::net::TcpListener;

fn panic_of(message: &str) -> String {
    format!("PANIC: unprotected error in call to Lua API ({message})")
}

#[test]
fn a_file_that_cannot_be_run_says_why() {
    let script = script("");
    let missing = script.run(Path::new("no/such.lua")).unwrap_err();
    assert_eq!(missing, "no/such.lua: cannot open no/such.lua: No such file or directory");
    let toml = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let wrong = script.run(Path::new(toml)).unwrap_err();
    assert!(wrong.starts_with(&format!("{toml}: ")), "{wrong}");
    assert!(wrong.ends_with("unexpected symbol near '['"), "{wrong}");
}

/// Whatever is raised, and wherever, is told in `LuaJIT`'s own words.
#[test]
fn an_error_in_a_hook_is_told() {
    for (raised, told) in [
        ("error('boom')", "script.lua:1: boom"),
        ("error('boom', 0)", "boom"),
        ("error(5, 0)", "5"),
        ("error({})", "?"),
        ("error()", "?"),
        ("local x x.y = 1", "script.lua:1: attempt to index local 'x' (a nil value)"),
        (
            "wrk.connect()",
            "script.lua:1: bad argument #1 to 'connect' (wrk.addr expected, got no value)",
        ),
    ] {
        let text = format!(
            "function hook() {raised} end function bad() if go then hook() end end
             init, request, delay, response, done = bad, bad, bad, bad, bad"
        );
        let script = ready(&text);
        script.lua.load("go = true").exec().unwrap();
        let summary = Summary::default();
        let told = Err(Failure::line(panic_of(told)));
        assert_eq!(script.init::<&str>(&[]), told, "{raised}");
        assert_eq!(script.request(&mut Vec::new()), told, "{raised}");
        assert_eq!(script.delay().map(drop), told, "{raised}");
        assert_eq!(script.response(200, [], b""), told, "{raised}");
        assert_eq!(script.done(&summary, &Nothing, &Nothing), told, "{raised}");
        assert_eq!(script.depth().map(drop), told, "{raised}");
    }
}

/// Statistics without a value.
struct Nothing;

impl Statistics for Nothing {
    fn min(&self) -> u64 {
        u64::MAX
    }
    fn max(&self) -> u64 {
        0
    }
    fn mean(&self) -> f64 {
        0.0
    }
    fn stdev(&self) -> f64 {
        0.0
    }
    fn percentile(&self, _: f64) -> u64 {
        0
    }
    fn distinct(&self) -> u64 {
        0
    }
    fn at(&self, _: u64) -> Option<(u64, u64)> {
        None
    }
}

#[test]
fn an_error_in_setup_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    for (setup, told) in [
        ("error('boom')", "script.lua:1: boom"),
        ("thread:set('f', print)", "script.lua:1: cannot transfer 'function' to thread"),
        ("thread:get('print')", "cannot transfer 'function' to thread"),
        ("thread.x = 1", "script.lua:1: cannot set 'number' on thread"),
        (
            "thread.addr = 1",
            "script.lua:1: bad argument #4 to '__newindex' (wrk.addr expected, got number)",
        ),
        (
            "thread.stop()",
            "script.lua:1: bad argument #1 to 'stop' (wrk.thread expected, got no value)",
        ),
    ] {
        let mut main = script(&format!("function setup(thread) {setup} end"));
        main.resolve("127.0.0.1", &port).unwrap();
        let failure = main.set_up(&script("")).unwrap_err();
        assert_eq!(failure.to_string(), panic_of(told), "{setup}");
    }
}

#[test]
fn a_script_may_catch_what_it_raised() {
    let script = ready("function request() return select(2, pcall(error, 'caught', 0)) end");
    assert_eq!(script.next(), "caught");
}

#[test]
fn a_host_that_cannot_be_found_ends_the_run_even_if_that_is_caught() {
    let told = "unable to resolve bad host:80 Name or service not known";
    let main = script("");
    assert_eq!(main.resolve("bad host", "80"), Err(Failure::line(told)));
    let main = script("function init() pcall(wrk.lookup, 'bad host', 80) error('later') end");
    assert_eq!(main.init::<&str>(&[]), Err(Failure::line(told)));
}

#[test]
fn a_host_that_takes_no_connection_ends_the_run() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    drop(listener);
    let told = format!("unable to connect to 127.0.0.1:{port} Connection refused");
    assert_eq!(script("").resolve("127.0.0.1", &port), Err(Failure::line(told)));
}

/// Nothing tells where: it is C that finds it missing.
#[test]
fn what_is_taken_away_is_missed() {
    let told = |message| Err(Failure::line(panic_of(message)));
    let script = ready("function response() response = nil end");
    script.response(200, [], b"").unwrap();
    assert_eq!(script.response(200, [], b""), told("attempt to call a nil value"));
    for (text, message) in [
        ("wrk = nil", "attempt to index a nil value"),
        ("wrk = 5", "attempt to index a number value"),
        ("wrk = {}", "attempt to call a nil value"),
        ("wrk.init = 5", "attempt to call a number value"),
        ("wrk.headers = nil", "[string \"wrk\"]:0: attempt to index field 'headers' (a nil value)"),
    ] {
        assert_eq!(super::script(text).init::<&str>(&[]), told(message), "{text}");
    }
}

#[test]
fn a_host_that_cannot_be_found_while_a_script_is_run_ends_the_run() {
    let script = script("");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/personality/script/tests/lost.lua");
    assert_eq!(script.run(&file), Ok(()));
    let told = "unable to resolve bad host:80 Name or service not known";
    assert_eq!(script.init::<&str>(&[]), Err(Failure::line(told)));
}
