//! The line protocol itself: examples, and the errors of wrong commands.

mod common;

use common::driver::{Driver, job, mix};
use common::servers::{self, GOOD};
use std::path::Path;
use volley::drive::messages::{Command, Event};
use volley_load::scheme::Scheme;
use volley_net::IoChoice;

#[test]
fn the_examples_survive_a_round_trip() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let commands = ["job.json", "slice-command.json", "open-slice-command.json", "stop.json"];
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
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
    assert_eq!(seen, 9, "a new example needs to be told apart here");
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
    let good = || serde_json::to_value(Command::Job(job(IoChoice::Auto, &[address]))).unwrap();
    let with = |path: &str, value: serde_json::Value| {
        let mut job = good();
        *job.pointer_mut(path).unwrap() = value;
        job.to_string()
    };
    let ahead = |key: &str, value: &str| {
        let mut job = good();
        (job["pipeline"], job[key]) = (2.into(), value.into());
        job.to_string()
    };
    let streams = || {
        let mut job = good();
        (job["streams"], job["connection"]) = (2.into(), "close".into());
        job.to_string()
    };
    let tls = |protocol: &str, server_name: &str, ca_pem: Option<&str>, insecure: bool| {
        let mut job = good();
        let tls = serde_json::json!({
            "server_name": server_name, "ca_pem": ca_pem, "insecure": insecure, "resume": false
        });
        (job["targets"][0]["protocol"], job["targets"][0]["tls"]) = (protocol.into(), tls);
        job.to_string()
    };
    let both = || {
        let mut job = good();
        let requests = serde_json::json!({"file": "mix.toml", "host": "a", "seed": 1});
        (job["targets"][0]["requests"], job["targets"][0]["name"]) = (requests, "mix".into());
        job.to_string()
    };
    let file = |name: &str, text: &str| {
        let job = mix(job(IoChoice::Auto, &[address]), name, text);
        serde_json::to_string(&Command::Job(job)).unwrap()
    };
    let slice = |target, duration_ms, rate| {
        format!(
            r#"{{"type":"slice","target":{target},"block":0,"ramp_ms":0,"duration_ms":{duration_ms},"rate":{rate},"arrivals":"uniform","seed":0}}"#
        )
    };
    let with_slice = |key: &str, value: serde_json::Value| {
        let mut command: serde_json::Value = serde_json::from_str(&slice(0, 20, "9")).unwrap();
        command[key] = value;
        vec![good().to_string(), command.to_string()]
    };
    for (lines, part) in [
        (vec!["hello".into()], "command: "),
        (vec![slice(0, 20, "null")], "a job has to come first"),
        (vec![with("/protocol", 1.into())], "`protocol` is 1, but this engine speaks 5"),
        (vec![with("/targets", serde_json::json!([]))], "`targets` is empty"),
        (vec![with("/connections", 0.into())], "`connections` is 0"),
        (vec![with("/connections", 100_000_000.into())], "open files"),
        (vec![with("/threads", 0.into())], "`threads` is 0"),
        (vec![with("/threads", 5.into())], "`threads` is 5, but must be at most 4"),
        (vec![with("/io", "kqueue".into())], "`kqueue`"),
        (vec![with("/connection", "keep".into())], "`keep`"),
        (vec![with("/pipeline", 0.into())], "`pipeline` is 0"),
        (vec![ahead("connection", "close")], "`pipeline` is 2, but must be 1 where `connection`"),
        (vec![ahead("http", "1.0")], "`pipeline` is 2, but must be 1 where `http` is `1.0`"),
        (vec![with("/streams", 0.into())], "`streams` is 0"),
        (vec![streams()], "`streams` is 2, but must be 1 where `connection` is `close`"),
        (vec![with("/targets/0/protocol", "h4".into())], "`h4`"),
        (vec![with("/targets/0/protocol", "h1-tls".into())], "`tls` is missing"),
        (vec![tls("h1", "localhost", None, true)], "h1 travels in cleartext"),
        (vec![tls("h2c", "localhost", None, true)], "h2c travels in cleartext"),
        (vec![tls("h2", "localhost", None, false)], "`tls.ca_pem` is null"),
        (vec![tls("h1-tls", "localhost", Some("x"), true)], "`tls.ca_pem` must be null"),
        (vec![tls("h1-tls", "localhost", Some("x"), false)], "it holds no certificate in PEM"),
        (vec![tls("h1-tls", "local host", None, true)], "`tls.server_name` is \"local host\""),
        (vec![with("/cpus", serde_json::json!([1023]))], "`cpus` is [1023]"),
        (vec![with("/cpus", serde_json::json!([99999]))], "`cpus` names core 99999"),
        (vec![with("/fixed_work_cpu", 1023.into())], "`fixed_work_cpu` is [1023]"),
        (vec![with("/request_timeout_ms", 0.into())], "`request_timeout_ms` is 0"),
        (vec![with("/targets/0/address", "localhost:80".into())], "targets[0]"),
        (vec![with("/targets/0/request/path", "x".into())], "`path`"),
        (vec![with("/targets/0/expect/body_base64", "%".into())], "`expect.body_base64`"),
        (vec![with("/targets/0/request", serde_json::Value::Null)], "`request` with `expect` or"),
        (vec![both()], "targets[0] (mix): there must be `request` with `expect`"),
        (vec![file("empty.toml", "")], "empty.toml: there is no [[request]]"),
        (vec![file("none.toml", "data = \"none.csv\"\n")], "requests: /"),
        (vec![file("path.toml", "[[request]]\npath = \"x\"\n")], "path.toml:2: request: `path` is"),
        (vec![file("url.toml", "\n[[request]]\nurl = \"/\"\n")], "url.toml:3: unknown field `url`"),
        (vec![good().to_string(), good().to_string()], "job: there is one already"),
        (
            vec![good().to_string(), slice(9, 20, "null")],
            "`target` is 9, but the job has 1 targets",
        ),
        (vec![good().to_string(), slice(0, 0, "null")], "slice: `duration_ms` is 0"),
        (vec![good().to_string(), slice(0, 20, "0")], "slice: `rate` is 0, but must be above 0"),
        (vec![good().to_string(), slice(0, 20, "-1.5")], "slice: `rate` is -1.5"),
        (vec![good().to_string(), slice(0, 20, "1e10")], "at most 1000000000"),
        (with_slice("phase", 1.into()), "slice: `phase` is 1, but must be 0 or more"),
        (with_slice("phase", (-0.1).into()), "slice: `phase` is -0.1"),
        (with_slice("at_ns", u64::MAX.into()), "but must be at most 60 s: is it this machine's"),
    ] {
        let message = refused(&lines);
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn a_call_needs_http2_and_an_answer_of_its_kind() {
    let address = servers::always(GOOD);
    for (protocol, body, part) in [
        ("h1", None, "`expect.grpc` is true, but h1 carries none"),
        ("h2c", Some("aGk="), "`expect.body_base64` is no answer of gRPC"),
    ] {
        let mut job = serde_json::to_value(Command::Job(job(IoChoice::Auto, &[address]))).unwrap();
        let target = &mut job["targets"][0];
        target["protocol"] = protocol.into();
        target["expect"] = serde_json::json!({ "status": 200, "body_base64": body, "grpc": true });
        let message = refused(&[job.to_string()]);
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn a_job_that_says_nothing_of_depths_or_protocols_asks_for_the_plainest() {
    let address = servers::always(GOOD);
    let mut text = serde_json::to_value(Command::Job(job(IoChoice::Auto, &[address]))).unwrap();
    for key in ["pipeline", "streams"] {
        text.as_object_mut().unwrap().remove(key);
    }
    for key in ["protocol", "tls"] {
        text["targets"][0].as_object_mut().unwrap().remove(key);
    }
    let Ok(Command::Job(read)) = Command::parse(&text.to_string()) else { panic!("{text}") };
    assert_eq!((read.pipeline, read.streams), (1, 1));
    assert_eq!((read.targets[0].protocol, &read.targets[0].tls), (Scheme::H1, &None));
}

#[test]
fn stop_and_the_end_of_input_mean_the_same() {
    let mut driver = Driver::start();
    assert!(matches!(driver.say(r#"{"type":"stop"}"#), Event::Done(_)));
    assert_eq!(driver.finish().0, 0);
    let (status, last) = Driver::start().finish();
    assert!(status == 0 && matches!(last, Some(Event::Done(_))));
}
