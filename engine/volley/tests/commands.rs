//! The line protocol itself: examples, and what a wrong command is told.

mod common;

use common::driver::{Driver, job};
use common::servers::{self, GOOD};
use std::path::Path;
use volley::protocol::{Command, Event};

#[test]
fn the_examples_survive_a_round_trip() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let commands = ["job.json", "slice-command.json", "stop.json"];
        let name = path.file_name().unwrap().to_str().unwrap();
        let again = if commands.contains(&name) {
            serde_json::to_value(Command::parse(&text).unwrap())
        } else {
            serde_json::to_value(serde_json::from_str::<Event>(&text).unwrap())
        };
        let once: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(again.unwrap(), once, "{name}");
        seen += 1;
    }
    assert_eq!(seen, 7, "a new example needs to be told apart here");
}

fn refused(lines: &[String]) -> String {
    let mut driver = Driver::start();
    let mut last = None;
    for line in lines {
        last = Some(driver.say(line));
    }
    let Some(Event::Error(error)) = last else { panic!("{lines:?} gave {last:?}") };
    assert_eq!(driver.finish().0, 2, "{lines:?}");
    error.message
}

#[test]
fn a_wrong_command_is_told_what_would_be_right() {
    let address = servers::always(GOOD);
    let good = || serde_json::to_value(Command::Job(job(&[address]))).unwrap();
    let with = |path: &str, value: serde_json::Value| {
        let mut job = good();
        *job.pointer_mut(path).unwrap() = value;
        job.to_string()
    };
    let slice = r#"{"type":"slice","target":9,"block":0,"ramp_ms":0,"duration_ms":20}"#;
    let empty = r#"{"type":"slice","target":0,"block":0,"ramp_ms":0,"duration_ms":0}"#;
    for (lines, part) in [
        (vec!["hello".into()], "command: "),
        (vec![slice.into()], "a job has to come first"),
        (vec![with("/protocol", 2.into())], "`protocol` is 2"),
        (vec![with("/targets", serde_json::json!([]))], "`targets` is empty"),
        (vec![with("/connections", 0.into())], "`connections` is 0"),
        (vec![with("/connections", 100_000_000.into())], "open files"),
        (vec![with("/connection", "keep".into())], "`keep`"),
        (vec![with("/cpus", serde_json::json!([1023]))], "`cpus` is [1023]"),
        (vec![with("/cpus", serde_json::json!([99999]))], "`cpus` names core 99999"),
        (vec![with("/request_timeout_ms", 0.into())], "`request_timeout_ms` is 0"),
        (vec![with("/targets/0/address", "localhost:80".into())], "targets[0]"),
        (vec![with("/targets/0/request/path", "x".into())], "`path`"),
        (vec![with("/targets/0/expect/body_base64", "%".into())], "`expect.body_base64`"),
        (vec![good().to_string(), good().to_string()], "job: there is one already"),
        (vec![good().to_string(), slice.into()], "slice: `target` is 9, but the job has 1 targets"),
        (vec![good().to_string(), empty.into()], "slice: `duration_ms` is 0"),
    ] {
        let message = refused(&lines);
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn stop_and_the_end_of_input_mean_the_same() {
    let mut driver = Driver::start();
    assert!(matches!(driver.say(r#"{"type":"stop"}"#), Event::Done(_)));
    assert_eq!(driver.finish().0, 0);
    let (status, last) = Driver::start().finish();
    assert!(status == 0 && matches!(last, Some(Event::Done(_))));
}
