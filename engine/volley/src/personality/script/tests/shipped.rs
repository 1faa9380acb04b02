//! The scripts that wrk ships, as we wrote them anew: `tests/personality/scripts/`.

use super::*;
use std::net::TcpListener;

/// Main state and thread of one of them, through `init`.
fn run(name: &str) -> (Script, Script) {
    let file = format!("../../tests/personality/scripts/{name}.lua");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let host = "127.0.0.1".to_owned();
    let setting = Setting { host, port: Some(port.clone()), path: "/".into(), ..setting() };
    let [mut main, thread] = [(), ()].map(|()| Script::new(&setting).unwrap());
    main.run(&file).unwrap();
    thread.run(&file).unwrap();
    main.resolve("127.0.0.1", &port).unwrap();
    main.set_up(&thread).unwrap();
    thread.init(&["http://127.0.0.1/"]).unwrap();
    (main, thread)
}

fn first_line(request: &str) -> &str {
    request.lines().next().unwrap()
}

#[test]
fn addr_picks_an_address() {
    let (_, thread) = run("addr");
    assert_eq!(thread.eval("wrk.thread.addr"), thread.eval("wrk.host .. ':' .. wrk.port"));
    assert!(thread.is_static());
}

#[test]
fn auth_shows_the_token_that_it_got() {
    let (_, thread) = run("auth");
    assert_eq!(first_line(&thread.next()), "GET /authenticate HTTP/1.1");
    thread.response(401, [(b"X-Token".as_slice(), b"no".as_slice())], b"").unwrap();
    assert_eq!(first_line(&thread.next()), "GET /authenticate HTTP/1.1");
    thread.response(200, [(b"X-Token".as_slice(), b"secret".as_slice())], b"").unwrap();
    let request = thread.next();
    assert_eq!(first_line(&request), "GET /resource HTTP/1.1");
    assert!(request.contains("\r\nX-Token: secret\r\n"), "{request}");
}

#[test]
fn counter_counts() {
    let (_, thread) = run("counter");
    for count in 0..100 {
        let request = thread.next();
        assert_eq!(first_line(&request), format!("GET /{count} HTTP/1.1"));
        assert!(request.contains(&format!("\r\nX-Counter: {count}\r\n")), "{request}");
    }
}

#[test]
fn delay_waits_10_to_50_ms() {
    let (_, thread) = run("delay");
    assert!(thread.has_delay() && thread.is_static());
    for _ in 0..100 {
        assert!((10..=50).contains(&thread.delay().unwrap()));
    }
}

#[test]
fn pipeline_sends_three_at_once() {
    let (_, thread) = run("pipeline");
    assert_eq!(thread.depth(), Ok(3));
    let request = thread.next();
    let asked: Vec<&str> = request.lines().filter(|line| line.starts_with("GET")).collect();
    assert_eq!(asked, ["GET /?foo HTTP/1.1", "GET /?bar HTTP/1.1", "GET /?baz HTTP/1.1"]);
}

#[test]
fn post_posts_a_form() {
    let (_, thread) = run("post");
    let request = thread.next();
    assert!(thread.is_static());
    assert_eq!(first_line(&request), "POST / HTTP/1.1");
    assert!(
        request.contains("\r\nContent-Type: application/x-www-form-urlencoded\r\n"),
        "{request}"
    );
    assert!(request.contains("\r\nContent-Length: 18\r\n"), "{request}");
    assert!(request.ends_with("\r\n\r\nname=Ada&born=1815"), "{request}");
}

#[test]
fn report_and_setup_have_something_to_say_at_the_end() {
    assert!(run("report").0.has_done());
    let (main, thread) = run("setup");
    assert!(main.has_done());
    assert_eq!(thread.eval("number"), "1");
    thread.next();
    thread.next();
    thread.response(200, [], b"").unwrap();
    assert_eq!(thread.eval("asked .. answered"), "21");
}

#[test]
fn stop_stops_after_100_answers() {
    let (_, thread) = run("stop");
    for _ in 0..99 {
        thread.response(200, [], b"").unwrap();
    }
    assert!(!thread.stopped());
    thread.response(200, [], b"").unwrap();
    assert!(thread.stopped());
}
