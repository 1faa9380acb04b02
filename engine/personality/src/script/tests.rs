//! The interface of scripts and their failures, as far as a comparison with wrk cannot show them:
//! that comparison is in `tests/personality/probes.lua`.

use super::*;
use std::net::TcpListener;

fn setting() -> Setting {
    Setting {
        scheme: "http".into(),
        host: "localhost".into(),
        port: Some("8080".into()),
        path: "/index?a=b".into(),
        headers: Vec::new(),
        tells_time: false,
    }
}

/// A state in which this text was run.
fn script(text: &str) -> Script {
    scripts(text, &setting())
}

fn scripts(text: &str, setting: &Setting) -> Script {
    let script = Script::new(setting).unwrap();
    script.lua.load(text).set_name("@script.lua").exec().unwrap();
    script
}

/// A state in which `init` was called.
fn ready(text: &str) -> Script {
    let script = script(text);
    script.init::<&str>(&[]).unwrap();
    script
}

impl Script {
    /// The value of an expression, as text.
    fn eval(&self, expression: &str) -> String {
        self.lua.load(format!("return tostring(({expression}))")).eval().unwrap()
    }

    fn next(&self) -> String {
        let mut bytes = b"left over".to_vec();
        self.request(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }
}

#[test]
fn the_host_header_is_the_urls_unless_given() {
    for (host, port, header) in [
        ("a.example", None, "Host: a.example"),
        ("a.example", Some("81"), "Host: a.example:81"),
        ("::1", Some("81"), "Host: [::1]:81"),
        ("::1", None, "Host: [::1]"),
    ] {
        let port = port.map(str::to_owned);
        let script = scripts("", &Setting { host: host.into(), port, ..setting() });
        script.init::<&str>(&[]).unwrap();
        assert_eq!(script.next(), format!("GET /index?a=b HTTP/1.1\r\n{header}\r\n\r\n"));
    }
    let given = ready("wrk.headers.Host = 'other'");
    assert_eq!(given.next(), "GET /index?a=b HTTP/1.1\r\nHost: other\r\n\r\n");
}

/// As in wrk: the given table gets the request's values.
#[test]
fn format_completes_the_headers_that_it_is_given() {
    let script = ready("mine = {}");
    script.eval("wrk.format(nil, nil, mine, 'abc')");
    assert_eq!(script.eval("mine.Host .. ' ' .. mine['Content-Length']"), "localhost:8080 3");
    script.eval("wrk.format(nil, nil, mine)");
    assert_eq!(script.eval("mine['Content-Length']"), "nil");
}

#[test]
fn a_script_without_request_is_static() {
    assert!(ready("").is_static());
    assert!(ready("request = 'text'").is_static());
    assert!(ready("wrk.method = 'POST'").is_static());
    assert!(!ready("function request() return wrk.request() end").is_static());
    assert!(!ready("function init() request = function() return '' end end").is_static());
}

#[test]
fn the_static_request_is_made_after_init() {
    let script = ready("function init() wrk.path = '/later' end");
    assert!(script.next().starts_with("GET /later HTTP/1.1\r\n"));
}

#[test]
fn request_may_be_replaced_while_it_runs() {
    let script =
        ready("function request() request = function() return 'second' end return 'first' end");
    assert_eq!([script.next(), script.next(), script.next()], ["first", "second", "second"]);
}

#[test]
fn delays_are_whole_milliseconds() {
    let script = ready("function delay() return value end");
    for (value, delay_ms) in
        [("15", 15), ("15.9", 15), ("'7'", 7), ("nil", 0), ("-1", 0), ("{}", 0)]
    {
        script.lua.load(format!("value = {value}")).exec().unwrap();
        assert_eq!(script.delay(), Ok(delay_ms), "{value}");
    }
}

#[test]
fn done_gets_the_summary() {
    let script = ready("function done(s) summary = s end");
    let errors = Errors { connect: 1, read: 2, write: 3, status: 4, timeout: 5 };
    let summary = Summary { duration_us: 6, requests: 7, bytes: u64::from(u32::MAX) + 1, errors };
    script.done(&summary, &Counts(&[]), &Counts(&[])).unwrap();
    let text = script.eval(
        "('%d %d %.0f %d%d%d%d%d'):format(summary.duration, summary.requests, summary.bytes, \
         summary.errors.connect, summary.errors.read, summary.errors.write, summary.errors.status, \
         summary.errors.timeout)",
    );
    assert_eq!(text, "6 7 4294967296 12345");
}

/// Values and how often each was, by value.
struct Counts(&'static [(u64, u64)]);

impl Statistics for Counts {
    fn min(&self) -> u64 {
        self.0.first().map_or(u64::MAX, |&(value, _)| value)
    }

    fn max(&self) -> u64 {
        self.0.last().map_or(0, |&(value, _)| value)
    }

    fn mean(&self) -> f64 {
        2.5
    }

    fn stdev(&self) -> f64 {
        0.25
    }

    fn percentile(&self, percent: f64) -> u64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the test")]
        let thousandths = (percent * 1000.0) as u64;
        thousandths
    }

    fn distinct(&self) -> u64 {
        self.0.len() as u64
    }

    fn at(&self, index: u64) -> Option<(u64, u64)> {
        self.0.get(usize::try_from(index).ok()?).copied()
    }
}

/// Runs an expression on `l`, the latency, and `r`, the requests.
fn in_done(expression: &str) -> String {
    let script = ready(&format!("function done(s, l, r) got = tostring({expression}) end"));
    let latency = Counts(&[(10, 3), (20, 1)]);
    script.done(&Summary::default(), &latency, &Counts(&[(7, 9)])).unwrap();
    script.eval("got")
}

#[test]
fn statistics_have_figures_percentiles_and_values() {
    for (expression, value) in [
        ("l.min", "10"),
        ("l.max", "20"),
        ("l.mean", "2.5"),
        ("l.stdev", "0.25"),
        ("l:percentile(99.999)", "99999"),
        ("l:percentile('50')", "50000"),
        ("#l", "2"),
        ("#r", "1"),
        ("table.concat({l(1)}, 'x')", "10x3"),
        ("table.concat({l(2.9)}, 'x')", "20x1"),
        ("table.concat({r('1')}, 'x')", "7x9"),
        // An index out of range gives 0, and the number of values.
        ("table.concat({l(3)}, 'x')", "0x2"),
        ("table.concat({l(0)}, 'x')", "0x2"),
        ("table.concat({l(-1)}, 'x')", "0x2"),
        ("table.concat({l()}, 'x')", "0x2"),
        // The result for any other index is the index itself.
        ("l.foo", "foo"),
        ("type(l)", "userdata"),
        (
            "select(2, pcall(l.percentile, l))",
            "bad argument #2 to '?' (number expected, got no value)",
        ),
        (
            "select(2, pcall(function() l:percentile('x') end))",
            "script.lua:1: bad argument #1 to 'percentile' (number expected, got string)",
        ),
        (
            "select(2, pcall(l.percentile))",
            "bad argument #1 to '?' (wrk.stats expected, got no value)",
        ),
    ] {
        assert_eq!(in_done(expression), value, "{expression}");
    }
}

#[test]
fn modules_are_looked_for_where_debian_has_them() {
    let script = script("");
    for (path, place) in [
        ("path", "/usr/share/lua/5.1/?.lua"),
        ("path", "/usr/share/lua/5.1/?/init.lua"),
        ("cpath", "/usr/lib/x86_64-linux-gnu/lua/5.1/?.so"),
    ] {
        if path == "path" || cfg!(target_arch = "x86_64") {
            let found = script.eval(&format!("package.{path}:find('{place}', 1, true) ~= nil"));
            assert_eq!(found, "true", "{place}");
        }
    }
}

#[test]
fn only_wrk2_tells_the_time() {
    assert_eq!(script("").eval("wrk.time_us"), "nil");
    let wrk2 = scripts("", &Setting { tells_time: true, ..setting() });
    assert_eq!(wrk2.eval("wrk.time_us() > 1e15"), "true");
}

/// A main state and one thread, of the same text, set up to load `listener`.
fn pair(text: &str, listener: &TcpListener) -> (Script, Script) {
    let (mut main, thread) = (script(text), script(text));
    main.resolve("127.0.0.1", &port(listener)).unwrap();
    main.set_up(&thread).unwrap();
    (main, thread)
}

fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}

fn port(listener: &TcpListener) -> String {
    listener.local_addr().unwrap().port().to_string()
}

#[test]
fn resolve_keeps_the_addresses_that_take_connections() {
    let listener = listener();
    let (main, thread) = pair("", &listener);
    let address = listener.local_addr().unwrap();
    assert_eq!(main.eval("#wrk.addrs"), "1");
    assert_eq!(main.eval("wrk.addrs[1]"), address.to_string());
    assert_eq!(thread.address(), Some(address));
    assert_eq!(thread.eval("wrk.thread.addr"), address.to_string());
    assert_eq!(main.address(), None);
}

#[test]
fn a_script_may_choose_the_address() {
    let (first, second) = (listener(), listener());
    let text = format!(
        "function setup(thread) before = thread.addr
             thread.addr = wrk.lookup('127.0.0.1', {})[1] end",
        port(&second)
    );
    let (main, thread) = pair(&text, &first);
    assert_eq!(main.eval("before"), first.local_addr().unwrap().to_string());
    assert_eq!(thread.address(), second.local_addr().ok());
}

#[test]
fn globals_are_set_and_got() {
    let text = "function setup(thread)
                    thread:set('id', 7)
                    thread:set('list', {1, {x = 'y'}, [true] = false})
                    thread:set('gone', nil)
                    thread:set(5, 'by number')
                    peer = thread
                end
                gone = 'here'";
    let listener = listener();
    let (main, thread) = pair(text, &listener);
    assert_eq!(thread.eval("id"), "7");
    assert_eq!(thread.eval("list[1] .. list[2].x .. tostring(list[true])"), "1yfalse");
    assert_eq!(thread.eval("gone"), "nil");
    assert_eq!(thread.eval("_G['5']"), "by number");
    thread.lua.load("answer = {n = 42}").exec().unwrap();
    assert_eq!(main.eval("peer:get('answer').n"), "42");
    assert_eq!(main.eval("peer:get('nothing')"), "nil");
    assert_eq!(main.eval("type(peer)"), "userdata");
}

/// The main state's script may ask at the end, when the threads have finished.
#[test]
fn a_thread_can_be_asked_when_its_script_is_gone() {
    let listener = listener();
    let (main, thread) = pair("function setup(thread) peer = thread end counted = 3", &listener);
    drop(thread);
    assert_eq!(main.eval("peer:get('counted')"), "3");
}

#[test]
fn a_thread_can_be_stopped_by_the_main_state() {
    let listener = listener();
    let (main, thread) = pair("function setup(thread) peer = thread end", &listener);
    thread.init::<&str>(&[]).unwrap();
    main.eval("peer:stop()");
    assert!(thread.stopped());
}

#[test]
fn states_work_on_threads_of_their_own() {
    let listener = listener();
    let text = "function setup(thread) peer = thread end
                count = 0
                function request() count = count + 1 return wrk.request() end";
    let (main, thread) = pair(text, &listener);
    let worker = std::thread::spawn(move || {
        thread.init::<&str>(&[]).unwrap();
        for _ in 0..1000 {
            thread.next();
        }
    });
    while main.eval("peer:get('count')") != "1000" && !worker.is_finished() {}
    worker.join().unwrap();
    assert_eq!(main.eval("peer:get('count')"), "1000");
}

fn panic_of(message: &str) -> String {
    format!("PANIC: unprotected error in call to Lua API ({message})")
}

#[test]
fn a_host_that_cannot_be_found_ends_the_run_even_if_that_is_caught() {
    let message = "unable to resolve bad host:80 Name or service not known";
    let main = script("");
    assert_eq!(main.resolve("bad host", "80"), Err(Failure::line(message)));
    let main = script("function init() pcall(wrk.lookup, 'bad host', 80) error('later') end");
    assert_eq!(main.init::<&str>(&[]), Err(Failure::line(message)));
}

#[test]
fn a_host_that_takes_no_connection_ends_the_run() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    drop(listener);
    let message = format!("unable to connect to 127.0.0.1:{port} Connection refused");
    assert_eq!(script("").resolve("127.0.0.1", &port), Err(Failure::line(message)));
}

/// The error has no position: C finds that it is missing.
#[test]
fn what_is_taken_away_is_missed() {
    let panics = |message| Err(Failure::line(panic_of(message)));
    let once = ready("function response() response = nil end");
    once.response(200, [], b"").unwrap();
    assert_eq!(once.response(200, [], b""), panics("attempt to call a nil value"));
    for (text, message) in [
        ("wrk = nil", "attempt to index a nil value"),
        ("wrk = 5", "attempt to index a number value"),
        ("wrk = {}", "attempt to call a nil value"),
        ("wrk.init = 5", "attempt to call a number value"),
        ("wrk.headers = nil", "[string \"wrk\"]:0: attempt to index field 'headers' (a nil value)"),
    ] {
        assert_eq!(script(text).init::<&str>(&[]), panics(message), "{text}");
    }
}

#[test]
fn a_host_that_cannot_be_found_while_a_script_is_run_ends_the_run() {
    let script = script("");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/script/tests/lost.lua");
    assert_eq!(script.run(&file), Ok(()));
    let message = "unable to resolve bad host:80 Name or service not known";
    assert_eq!(script.init::<&str>(&[]), Err(Failure::line(message)));
}
