//! `init`, `delay`, `response`, `done`.

use super::*;

#[test]
fn a_script_finds_wrk_and_the_whole_of_luajit() {
    let script = ready("");
    let fields = "table.concat({wrk.scheme, wrk.host, wrk.port, wrk.method, wrk.path}, ' ')";
    assert_eq!(script.eval(fields), "http localhost 8080 GET /index?a=b");
    assert_eq!(script.eval("require('wrk') == wrk"), "true");
    assert_eq!(script.eval("jit.status()"), "true");
    assert_eq!(script.eval("ffi"), "nil");
    assert_eq!(script.eval("require('ffi').abi('64bit') and debug.getinfo(1).what"), "main");
    let without_port = scripts("", &Setting { port: None, ..setting() });
    assert_eq!(without_port.eval("wrk.port"), "nil");
}

/// As in wrk, which numbers them from zero.
#[test]
fn init_gets_the_url_and_what_followed_it() {
    let script = script("function init(args) got = args end");
    script.init(&["http://localhost/", "--x", "y"]).unwrap();
    assert_eq!(script.eval("table.concat(got, ' ', 0)"), "http://localhost/ --x y");
}

#[test]
fn hooks_are_told_of_where_they_are_functions() {
    let none = ready("delay, response, done = 1, 'x', {}");
    assert_eq!([none.has_delay(), none.wants_response(), none.has_done()], [false; 3]);
    let all = ready("function delay() end response = delay function init() done = delay end");
    all.init::<&str>(&[]).unwrap();
    assert_eq!([all.has_delay(), all.wants_response(), all.has_done()], [true; 3]);
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
fn response_gets_status_headers_and_body() {
    let script = ready("function response(s, h, b) status, headers, body = s, h, b end");
    let headers: [(&[u8], &[u8]); 4] =
        [(b"X-A", b"one"), (b"x-a", b"two"), (b"X-A", b"three "), (b"Empty", b"")];
    script.response(404, headers, b"a\0\xff").unwrap();
    assert_eq!(script.eval("status"), "404");
    assert_eq!(script.eval("headers['X-A'] .. headers['x-a'] .. headers.Empty"), "three two");
    assert_eq!(script.eval("#body .. body:byte(3)"), "3255");
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
fn told(expression: &str) -> String {
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
        // Beyond them, nothing was, as often as there are values.
        ("table.concat({l(3)}, 'x')", "0x2"),
        ("table.concat({l(0)}, 'x')", "0x2"),
        ("table.concat({l(-1)}, 'x')", "0x2"),
        ("table.concat({l()}, 'x')", "0x2"),
        // What else is asked for is answered with the question.
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
        assert_eq!(told(expression), value, "{expression}");
    }
}

#[test]
fn figures_of_nothing_are_numbers() {
    let script = ready("function done(s, l) min, count = l.min, #l end");
    script.done(&Summary::default(), &Counts(&[]), &Counts(&[])).unwrap();
    assert_eq!(script.eval("('%g %d'):format(min, count)"), "1.84467e+19 0");
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
