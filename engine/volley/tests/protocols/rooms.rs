//! Rooms of WebSocket: a server that passes each message on to all, and one for each fault.

use crate::common::conversations::serve;
use crate::common::driver::{Driver, errors, job};
use crate::websocket::{agreed, said};
use crate::{load, ways};
use serde_json::Value;
use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::{scope, sleep};
use std::time::Duration;
use volley::drive::messages::{Command, Event, Job, SliceCommand, TargetSpec, WebSocketSpec};
use volley_load::schedule::Shape;
use volley_net::IoChoice;
use volley_protocol::ws::frame::FrameHead;
use volley_protocol::ws::mask;

/// What a server does with one listener's copy of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deed {
    PassesOn,
    Loses,
    Doubles,
    Alters,
    /// Passes it on after this many milliseconds.
    Delays(u64),
}

/// The next message of a client; its opcode and its content.
fn heard(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<(u8, Vec<u8>)> {
    let mut piece = [0; 4096];
    loop {
        if let Some((head, start)) = FrameHead::read(buffer)
            && buffer.len() >= start + usize::try_from(head.length).unwrap()
        {
            let end = start + usize::try_from(head.length).unwrap();
            let mut content = buffer[start..end].to_vec();
            mask(&mut content, head.key.unwrap());
            buffer.drain(..end);
            return Some((head.opcode, content));
        }
        match stream.read(&mut piece) {
            Ok(length @ 1..) => buffer.extend_from_slice(&piece[..length]),
            _ => return None,
        }
    }
}

/// A server of rooms. `deed`: by the message's number in its room and the listener's.
fn rooms(deed: impl Fn(usize, usize) -> Deed + Send + Sync + 'static) -> SocketAddr {
    rooms_of(deed).0
}

/// A room's messages so far, and its listeners.
type Room = (usize, Vec<TcpStream>);
type Rooms = Arc<Mutex<HashMap<String, Room>>>;

/// The same, with its rooms by their paths.
fn rooms_of(deed: impl Fn(usize, usize) -> Deed + Send + Sync + 'static) -> (SocketAddr, Rooms) {
    let rooms = Rooms::default();
    let seen = rooms.clone();
    let address = serve(move |mut conversation| {
        let Some(upgrade) = conversation.next_request() else { return };
        let path = String::from_utf8_lossy(&upgrade).split(' ').nth(1).unwrap().to_owned();
        let own = conversation.stream.try_clone().unwrap();
        rooms.lock().unwrap().entry(path.clone()).or_default().1.push(own);
        conversation.say(agreed(&upgrade).as_bytes());
        let mut buffer = Vec::new();
        while let Some((opcode, content)) = heard(&mut conversation.stream, &mut buffer) {
            if opcode > 2 {
                return;
            }
            let frame = said(opcode, &content);
            let mut rooms = rooms.lock().unwrap();
            let (number, listeners) = rooms.get_mut(&path).unwrap();
            for (listener, stream) in listeners.iter_mut().enumerate() {
                let copy = match deed(*number, listener) {
                    Deed::PassesOn => frame.clone(),
                    Deed::Loses => continue,
                    Deed::Doubles => frame.repeat(2),
                    Deed::Alters => [&frame[..frame.len() - 1], b"!"].concat(),
                    Deed::Delays(ms) => {
                        sleep(Duration::from_millis(ms));
                        frame.clone()
                    }
                };
                let _ = stream.write_all(&copy); // A listener that has gone.
            }
            *number += 1;
        }
    });
    (address, seen)
}

fn room_of(value: &Value) -> (u64, f64) {
    let rooms = &value["rooms"];
    (rooms["messages"].as_u64().unwrap(), rooms["reach"].as_f64().unwrap())
}

#[test]
fn all_of_a_room_hear_each_message() {
    let address = rooms(|_, _| Deed::PassesOn);
    let url = format!("ws://{address}/");
    for io in ways() {
        for (words, requests, messages) in [
            (&["-c", "4", "--room", "4", "-n", "40"][..], 40, 10),
            // The last message is heard by all of its room.
            (&["-c", "4", "--room", "4", "-n", "41"], 44, 11),
            (&["-c", "6", "--room", "2", "-n", "60"], 60, 30),
            (&["-c", "6", "--room", "2", "-t", "3", "-n", "60"], 60, 30),
            (&["-c", "1", "--room", "1", "-n", "2000"], 2000, 2000),
        ] {
            // A path of its own keeps the listeners of earlier loads out of it.
            let url = format!("{url}{io}/{}?a=b", words.concat());
            for more in [&["--message", "hello"][..], &["--message-size", "70000", "--binary"]] {
                let url = format!("{url}{}", more[0]);
                let words = [words, more, &[io, &url]].concat();
                let (status, value) = load(&words);
                assert_eq!((status, &value["errors"]), (0, &serde_json::json!({})), "{words:?}");
                assert_eq!(value["requests"], requests, "{words:?}");
                assert_eq!(room_of(&value), (messages, 1.0), "{words:?}");
                let (last, one) = (&value["rooms"]["last_us"], &value["latency_us"]);
                assert!(last["max"].as_f64() >= one["max"].as_f64(), "{value:#}");
            }
        }
    }
}

/// Expects this kind of error once, where a listener's copy of the second message meets this deed.
fn comes_to(io: &str, unlucky: usize, deed: Deed, kind: &str, words: &str) {
    let address = rooms(
        move |message, listener| {
            if (message, listener) == (1, unlucky) { deed } else { Deed::PassesOn }
        },
    );
    let url = format!("ws://{address}/");
    let asked = ["-c", "3", "--room", "3", "-n", "12", "--timeout", "1s", "--message", "hello"];
    let (status, value) = load(&[&asked[..], &[io, &url]].concat());
    assert_eq!(value["errors"], serde_json::json!({kind: 1}), "{kind} with {io}: {value:#}");
    assert_eq!(status, 0, "{kind}: others were right");
    let detail = value["first_bad"]["detail"].as_str().unwrap_or_default();
    assert!(detail.contains(words), "{kind}: {detail}");
    let (messages, reach) = room_of(&value);
    let due = value["requests"].as_u64().unwrap() + value["misses"].as_u64().unwrap();
    // While a connection is opened anew, its room has fewer listeners.
    assert!(due <= 3 * messages, "{value:#}");
    assert!(kind == "doubled" || (reach * due as f64 - (due - 1) as f64).abs() < 1e-6, "{reach}");
}

/// What is lost is waited for twice as long as the timeout, and what is late comes between the two.
#[test]
fn each_fault_of_a_room_has_its_name() {
    scope(|threads| {
        for io in ways() {
            for (unlucky, deed, kind, words) in [
                (2, Deed::Loses, "lost", "no message to the room within 2000 ms"),
                (2, Deed::Doubles, "doubled", "heard already"),
                (1, Deed::Alters, "mismatch_body", "byte 9"),
                (2, Deed::Delays(1500), "late", "after it was sent"),
            ] {
                threads.spawn(move || comes_to(io, unlucky, deed, kind, words));
            }
        }
    });
}

#[test]
fn at_a_rate_each_message_is_sent_once_and_rooms_take_turns() {
    for io in ways() {
        let (address, rooms) = rooms_of(|_, _| Deed::PassesOn);
        let url = format!("ws://{address}/");
        let asked = ["-c", "6", "--room", "2", "-R", "150", "-d", "200ms", "--warm-up", "0s"];
        for (more, messages) in [(&[][..], 30), (&["--burst", "10"], 30)] {
            let (status, value) =
                load(&[&asked[..], more, &["--message", "hello", io, &url]].concat());
            assert_eq!((status, &value["errors"]), (0, &serde_json::json!({})), "{value:#}");
            assert_eq!((&value["mode"], &value["rate"]), (&"open".into(), &150.0.into()));
            assert_eq!((room_of(&value), value["unsent"].as_u64()), ((messages, 1.0), Some(0)));
            assert_eq!(value["rooms"]["unsent"], 0);
            let (last, one) = (&value["rooms"]["last_us"], &value["latency_us"]);
            assert!(last["max"].as_f64() >= one["max"].as_f64(), "{value:#}");
        }
        let rooms = rooms.lock().unwrap();
        let mut sent: Vec<_> =
            rooms.iter().map(|(path, (sent, _))| (path.as_str(), *sent)).collect();
        sent.sort_unstable();
        let paths: Vec<_> = sent.iter().map(|&(path, _)| path).collect();
        assert_eq!(paths, ["/?room=0", "/?room=1", "/?room=2"]);
        assert_eq!(sent.iter().map(|&(_, sent)| sent).sum::<usize>(), 60);
        // In each of the two loads, the first messages find all rooms free.
        assert!(sent.iter().all(|&(_, sent)| sent >= 2), "{sent:?}");
    }
}

/// A room that takes 200 ms for a message is due 40 of them in 200 ms. They wait, so the last of its
/// listeners hears them later and later; and what is not sent within the timeout is never heard.
#[test]
fn a_message_is_late_from_when_it_was_due_and_what_is_unsent_is_heard_by_none() {
    for io in ways() {
        let address = rooms(|_, listener| Deed::Delays(if listener == 1 { 200 } else { 0 }));
        let url = format!("ws://{address}/");
        let asked = ["-c", "2", "--room", "2", "-R", "200", "-d", "200ms", "--warm-up", "0s"];
        let more = ["--timeout", "1s", "--message", "hello", io, &url];
        let (_, value) = load(&[&asked[..], &more].concat());
        let counted = &value["rooms"];
        let (messages, reach) = room_of(&value);
        let unsent = counted["unsent"].as_u64().unwrap();
        assert_eq!(messages + unsent, 40, "{value:#}");
        assert!((2..=7).contains(&messages), "{value:#}");
        assert_eq!(
            (&value["unsent"], &value["misses"]),
            (&(2 * unsent).into(), &(2 * unsent).into())
        );
        assert!((reach - messages as f64 / 40.0).abs() < 1e-9, "{value:#}");
        // Most were never heard, so no median is finite; those that were waited for others.
        let last = &counted["last_us"];
        assert!(last["p50"].is_null() && last["mean"].as_f64() > Some(250e3), "{value:#}");
    }
}

#[test]
fn a_room_goes_on_at_its_rate_after_a_listener_has_lost_a_message() {
    for io in ways() {
        let address = rooms(|message, listener| match (message, listener) {
            (3, 1) => Deed::Loses,
            _ => Deed::PassesOn,
        });
        let url = format!("ws://{address}/");
        let asked = ["-c", "3", "--room", "3", "-R", "100", "-n", "120", "--warm-up", "0s"];
        let more = ["--timeout", "1s", "--message", "hello", io, &url];
        let (status, value) = load(&[&asked[..], &more].concat());
        assert_eq!((status, &value["errors"]), (0, &serde_json::json!({"lost": 1})), "{value:#}");
        let (messages, reach) = room_of(&value);
        let due = value["requests"].as_u64().unwrap() + 1;
        assert_eq!((&value["misses"], &value["unsent"]), (&1.into(), &0.into()), "{value:#}");
        assert!((reach * due as f64 - (due - 1) as f64).abs() < 1e-6, "{value:#}");
        // While a connection is opened anew, its room has fewer listeners.
        assert!(messages >= 40 && due <= 3 * messages, "{value:#}");
    }
}

#[test]
fn a_job_has_rooms_and_what_none_can_do_is_refused() {
    for io in ways() {
        let io = if io == "--io=uring" { IoChoice::Uring } else { IoChoice::Epoll };
        let mut plan = job(io, &[rooms(|_, _| Deed::PassesOn)]);
        let room = |size| WebSocketSpec {
            message_base64: "aGk=".to_owned(),
            binary: false,
            compression: false,
            room: Some(size),
            first_room: 0,
        };
        plan.targets[0].expect = None;
        plan.targets[0].websocket = Some(room(2));
        (plan.connections, plan.threads) = (4, 2);
        let (mut driver, _) = Driver::job(plan.clone());
        for _ in 0..2 {
            let slice = driver.slice(0, 0, 200);
            let counted = slice.rooms.clone().unwrap();
            assert_eq!((errors(&slice), slice.misses), (vec![], 0));
            assert!(counted.messages > 0 && slice.requests > 0, "{slice:?}");
            assert_eq!((counted.due, counted.heard), (2 * counted.messages, counted.due));
        }
        let command = SliceCommand {
            target: 0,
            block: 0,
            ramp_ms: 0,
            duration_ms: 100,
            rate: Some(200.0),
            arrivals: Shape::Uniform,
            seed: 0,
            phase: None,
            at_ns: None,
            server_pids: Vec::new(),
        };
        let Event::Slice(slice) =
            driver.say(&serde_json::to_string(&Command::Slice(command)).unwrap())
        else {
            panic!("a rate is refused");
        };
        let counted = slice.rooms.clone().unwrap();
        assert_eq!((counted.messages, counted.unsent, counted.heard), (20, 0, 40), "{slice:?}");
        let with = |size| TargetSpec { websocket: Some(room(size)), ..plan.targets[0].clone() };
        for (wrong, part) in [
            (Job { targets: vec![with(0)], ..plan.clone() }, "`websocket.room` is 0"),
            (Job { targets: vec![with(3)], ..plan.clone() }, "whole rooms"),
            (Job { targets: vec![with(4)], ..plan.clone() }, "whole rooms"),
            (Job { pipeline: 2, ..plan.clone() }, "`pipeline` must be 1"),
        ] {
            let Event::Error(error) =
                Driver::start().say(&serde_json::to_string(&Command::Job(wrong)).unwrap())
            else {
                panic!("{part}: accepted");
            };
            assert!(error.message.contains(part), "{}", error.message);
        }
    }
}
