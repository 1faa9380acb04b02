//! `setup`, and what one thread's script may do with another's state.

use super::*;
use std::net::TcpListener;

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
fn addresses_are_written_as_wrk_writes_them() {
    let script = script("");
    assert_eq!(script.eval("wrk.lookup('::1', '80')[1]"), "::1:80");
    assert_eq!(script.eval("wrk.lookup('127.0.0.1', 'http')[1]"), "127.0.0.1:80");
    assert_eq!(script.eval("type(wrk.lookup('::1', 80)[1])"), "userdata");
}

#[test]
fn connect_says_whether_an_address_takes_connections() {
    let listener = listener();
    let script = script("");
    let connects = format!("wrk.connect(wrk.lookup('127.0.0.1', '{}')[1])", port(&listener));
    assert_eq!(script.eval(&connects), "true");
    drop(listener);
    assert_eq!(script.eval(&connects), "false");
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

/// The main state's script may ask at the end, when the loops are through with theirs.
#[test]
fn a_thread_can_be_asked_when_its_script_is_gone() {
    let listener = listener();
    let (main, thread) = pair("function setup(thread) peer = thread end counted = 3", &listener);
    drop(thread);
    assert_eq!(main.eval("peer:get('counted')"), "3");
}

#[test]
fn a_thread_can_stop_itself_once_it_runs() {
    let listener = listener();
    let text = "function init() wrk.thread:stop() end function response() wrk.thread:stop() end";
    let (_, thread) = pair(text, &listener);
    thread.init::<&str>(&[]).unwrap();
    assert!(!thread.stopped());
    thread.response(200, [], b"").unwrap();
    assert!(thread.stopped());
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
