//! The reports of runs with known figures, word by word.

mod limits;

use super::limit::Limit;
use super::{Report, Run};
use crate::cli::LoadArgs;
use crate::cli::tests::{args_for, load_args};
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use volley_load::by_request::ByRequest;
use volley_load::errors::ErrorKind;
use volley_load::events::EventTally;
use volley_load::figures::LimitedBy;
use volley_load::pace::Window;
use volley_load::slice::Outcome;
use volley_load::tally::{Tally, Terms};
use volley_net::clock::S;
use volley_net::{Address, Agreed, Io};
use volley_protocol::Announced;

/// The output, which the lender may read.
#[derive(Clone, Default)]
pub(super) struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    pub(super) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A window of two seconds, in which two threads spent half their time waiting.
fn run(tally: Tally) -> Run {
    let window = Window { start_ns: S, end_ns: 3 * S };
    let outcome = Outcome {
        window,
        drained_ns: 3 * S,
        cpu_ns: S / 100,
        delayed_ns: None,
        server: None,
        busy_threads: vec![0.5, 0.5],
        tally,
        dropped: None,
    };
    let address = Address::Tcp("127.0.0.1:8080".parse().unwrap());
    Run { outcome, io: Io::Uring, address, names: vec![], ceiling: None, interrupted: false }
}

/// A number of requests in the window, each with the same latency; in open loop, all of it is after
/// the sending except `lag_ns`.
fn tally(requests: u64, latency_ns: u64, lag_ns: u64) -> Tally {
    let mut tally = Tally { requests, requests_all: requests, connects: 64, ..Tally::default() };
    for _ in 0..requests {
        tally.latencies.record(latency_ns);
        tally.service.record(latency_ns - lag_ns);
        tally.send_lag.record(lag_ns);
    }
    tally.in_flight_ns = requests * (latency_ns - lag_ns);
    tally.bytes = requests * 1024;
    tally
}

/// A load of two requests, of which the second is slower and has failed.
fn of_a_file() -> Run {
    let names = ["search", "POST /users/{{id}}"].map(str::to_owned);
    let mut run = run(tally(4000, 32_000_000, 0));
    run.outcome.tally.by_request = ByRequest::of(&names);
    for (entry, (requests, latency_ns)) in [(3999, 1_000_000), (1, 90_000_000)].iter().enumerate() {
        let part = run.outcome.tally.by_request.entry(entry).unwrap();
        part.requests = *requests;
        (0..*requests).for_each(|_| part.latencies.record(*latency_ns));
    }
    let slow = run.outcome.tally.by_request.entry(1).unwrap();
    slow.misses = 1;
    slow.errors.add(ErrorKind::Timeout, 1);
    Run { names: names.to_vec(), ..run }
}

#[test]
fn requests_of_a_file_have_a_line_each() {
    let args = load_args("");
    let text = Report::new(&args, of_a_file()).text(false);
    let table: Vec<&str> =
        text.lines().skip_while(|line| !line.starts_with("by request")).take(4).collect();
    assert_eq!(
        table,
        [
            "by request    requests     errors       mean        p50        p99",
            "                 3,999          0    1.00 ms    1.00 ms    1.00 ms  search",
            "                     1          1   90.00 ms   90.05 ms          ∞  POST /users/{{id}}",
            "",
        ]
    );
    let plain = Report::new(&args, run(tally(4000, 32_000_000, 0)));
    assert!(!plain.text(false).contains("by request"));
}

#[test]
fn requests_of_a_file_are_in_the_json() {
    let json = |run| {
        let value = Report::new(&load_args(""), run).json();
        serde_json::from_str::<serde_json::Value>(&value).unwrap()["by_request"].take()
    };
    assert_eq!(json(run(tally(4000, 32_000_000, 0))), serde_json::Value::Null);
    let value = json(of_a_file());
    assert_eq!((&value[0]["name"], &value[0]["requests"]), (&"search".into(), &3999.into()));
    assert_eq!(value[0]["errors"], serde_json::json!({}));
    assert_eq!((&value[1]["misses"], &value[1]["errors"]["timeout"]), (&1.into(), &1.into()));
    assert_eq!(value[1]["latency_us"]["p99"], serde_json::Value::Null);
    assert_eq!(value.as_array().unwrap().len(), 2);
}

#[test]
fn the_first_byte_has_a_line_and_a_key_where_it_is_not_the_end() {
    let (args, mut slow) = (load_args("--latency"), of_a_file());
    let json = |run| {
        let value = Report::new(&args, run).json();
        serde_json::from_str::<serde_json::Value>(&value).unwrap()
    };
    let usual = json(of_a_file());
    assert_eq!(
        (&usual["first_byte_us"], &usual["by_request"][1]["first_byte_us"]),
        (&().into(), &().into())
    );
    assert!(!Report::new(&args, of_a_file()).text(false).contains("first byte"));
    let tally = &mut slow.outcome.tally;
    (0..3000).for_each(|_| tally.first_bytes.record(2_000_000, 32_000_000));
    tally.by_request.entry(1).unwrap().first_bytes.record(5_000_000, 90_000_000);
    let report = Report::new(&args, slow);
    let text = report.text(false);
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("first byte")).collect();
    assert_eq!(
        lines,
        [
            "  first byte   9.50 ms    2.00 ms    2.00 ms   32.01 ms   32.01 ms   32.01 ms   32.01 ms",
            "distribution            first byte",
        ]
    );
    let Report { run, .. } = report;
    let value = json(run);
    assert_eq!(value["first_byte_us"]["mean"], 9500.0);
    assert_eq!(value["by_request"][1]["first_byte_us"]["mean"], 5000.0);
    assert_eq!(value["by_request"][0]["first_byte_us"], serde_json::Value::Null);
}

#[test]
fn events_have_lines_and_a_key_where_they_were_asked_for() {
    let json = |args: &LoadArgs, run| {
        let value = Report::new(args, run).json();
        serde_json::from_str::<serde_json::Value>(&value).unwrap()["events"].take()
    };
    let (plain, args) = (load_args(""), load_args("--events --stall 50ms"));
    let streams = || {
        let mut events = EventTally { events: 3000, open: 7, ..EventTally::default() };
        events.faults.lost = 2;
        events.first.record(40_000_000);
        events.gaps.record_n(20_000_000, 2990);
        events.gaps.record_n(60_000_000, 9);
        let mut run = run(tally(1, 32_000_000, 0));
        run.outcome.tally.events = Some(Box::new(events));
        run
    };
    let nothing = run(tally(0, 0, 0));
    assert_eq!(json(&plain, run(tally(1, 32_000_000, 0))), serde_json::Value::Null);
    let value = json(&args, nothing);
    assert_eq!((&value["count"], &value["gap_us"]), (&0.into(), &().into()));
    let value = json(&args, streams());
    assert_eq!((&value["count"], &value["per_s"]), (&3000.into(), &1500.0.into()));
    assert_eq!(
        (&value["stalls"], &value["lost"], &value["open"]),
        (&9.into(), &2.into(), &7.into())
    );
    assert_eq!(value["first_us"]["mean"], 40_000.0);
    let text = Report::new(&args, streams()).text(false);
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| ["event", "stream", "stall", "gaps"].iter().any(|word| line.contains(word)))
        .collect();
    assert_eq!(
        lines,
        [
            "events       3,000",
            "events/s     1,500",
            "             9 stalls, 2 lost, 0 doubled, 0 out of order, 0 altered",
            "streams      7 went on at the end",
            "  first event 40.00 ms   40.01 ms   40.01 ms   40.01 ms   40.01 ms   40.01 ms   40.01 ms",
            "  gaps        20.12 ms   20.00 ms   20.00 ms   20.00 ms   20.00 ms   60.03 ms   60.03 ms",
        ]
    );
}

#[test]
fn closed_loop_in_words() {
    let args = load_args("-c 64");
    let report = Report::new(&args, run(tally(4000, 32_000_000, 0)));
    assert_eq!(
        report.text(false),
        "\
url          http://a.example:8080/x
address      127.0.0.1:8080
connections  64, keep-alive
counted      2.00 s after 0.2 s of warm-up

requests     4,000
requests/s   2,000
transfer     2.0 MiB/s

latency           mean        p50        p75        p90        p99      p99.9        max
              32.00 ms   32.01 ms   32.01 ms   32.01 ms   32.01 ms   32.01 ms   32.01 ms

errors       none

generator    2 threads, io_uring, 2.50 µs of CPU per request, busy 50 % of the time
limited by   not this generator; whether the server or the way to it can't be seen from here
"
    );
}

#[test]
fn open_loop_in_words() {
    let args = load_args("-c 8 -R 500 --arrivals poisson --burst 2 --latency -w 0 --close");
    let mut tally = tally(990, 2_000_000, 1000);
    (tally.misses, tally.unsent, tally.redirects) = (10, 4, 7);
    tally.count_error(ErrorKind::Status, 6, || {
        let request = b"GET /x HTTP/1.1\r\nHost: a.example:8080\r\n\r\n".to_vec();
        ("status is 503, expected one below 400".into(), request, b"HTTP/1.1 503 \x07\r\n".to_vec())
    });
    let report = Report::new(&args, Run { interrupted: true, ..run(tally) });
    assert_eq!(
        report.text(false),
        "\
url          http://a.example:8080/x
address      127.0.0.1:8080
connections  8, one connection per request
arrivals     poisson, 2 at a time
counted      2.00 s after 0 s of warm-up, interrupted

requests     990
requests/s   495 of 500 due
transfer     495.0 KiB/s

latency           mean        p50        p75        p90        p99      p99.9        max
  from due     2.00 ms    2.00 ms    2.00 ms    2.00 ms    2.00 ms          ∞          ∞
  from sent    2.00 ms    2.00 ms    2.00 ms    2.00 ms    2.00 ms          ∞          ∞
  sent late     1.0 µs     1.0 µs     1.0 µs     1.0 µs     1.0 µs          ∞          ∞

distribution  from due  from sent  sent late
        50 %   2.00 ms    2.00 ms     1.0 µs
        75 %   2.00 ms    2.00 ms     1.0 µs
        90 %   2.00 ms    2.00 ms     1.0 µs
        95 %   2.00 ms    2.00 ms     1.0 µs
        99 %   2.00 ms    2.00 ms     1.0 µs
       100 %         ∞          ∞          ∞
             1,000 requests are too few for more percentiles

errors
                     6  wrong status
first error  wrong status: status is 503, expected one below 400
  request    GET /x HTTP/1.1
             Host: a.example:8080
  answer     HTTP/1.1 503 \\u{7}
misses       10 (4 were never sent): requests without an answer count
             as infinitely late, though not in the mean
redirects    7 answers point elsewhere: not followed

generator    2 threads, io_uring, 10.10 µs of CPU per request, busy 50 % of the time
limited by   the rate: the server kept up with it, and may be faster
"
    );
}

#[test]
fn the_headline_is_bold_on_a_terminal() {
    let args = load_args("");
    let text = Report::new(&args, run(tally(4000, 1000, 0))).text(true);
    assert!(text.contains("requests/s   \x1b[1m2,000\x1b[0m\n"), "{text}");
}

#[test]
fn stages_pipelining_and_a_ceiling_in_words() {
    let options = "--stage 10s:100 --stage 5s:100-0.5 --pipeline 4 --requests-per-connection 9";
    let args = load_args(options);
    let ceiling = Some(Ok(10_000.0));
    let text = Report::new(&args, Run { ceiling, ..run(tally(4000, 1000, 0)) }).text(false);
    for line in [
        "connections  64, 9 requests on each, 4 requests at a time on each",
        "arrivals     uniform",
        "stages       requests/s: 100 for 10 s, 100 to 0.5 for 5 s",
        "ceiling      10,000 requests/s against its null server: this run had 20 % of that",
    ] {
        assert!(text.contains(&format!("{line}\n")), "{line:?} is not in\n{text}");
    }
    let ceiling = Some(Err("no core".into()));
    let text = Report::new(&args, Run { ceiling, ..run(tally(1, 1000, 0)) }).text(false);
    assert!(text.contains("ceiling      not known: no core\n"), "{text}");
}

#[test]
fn nothing_measured_is_told_as_nothing() {
    let args = load_args("");
    let report = Report::new(&args, run(Tally::default()));
    assert!(
        report.text(false).contains("                    –          –"),
        "{}",
        report.text(false)
    );
    let json: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
    assert!(json["latency_us"]["p50"].is_null() && json["little"].is_null());
    assert_eq!((json["requests_per_s"].as_f64(), report.right()), (Some(0.0), 0));
}

#[test]
fn the_mean_rate_and_what_was_missed_are_in_the_json() {
    let args = load_args("--stage 1s:0-1000 --stage 1s:1000");
    let mut tally = tally(1000, 2_000_000, 1000);
    (tally.misses, tally.unsent) = (500, 300);
    tally.count_error(ErrorKind::Timeout, 200, || ("late".into(), b"GET".to_vec(), vec![]));
    let json = Report::new(&args, run(tally)).json();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((json["rate"].as_f64(), json["mode"].as_str()), (Some(750.0), Some("open")));
    assert_eq!((json["misses"].as_u64(), json["unsent"].as_u64()), (Some(500), Some(300)));
    assert!(json["latency_us"]["p50"].is_number() && json["latency_us"]["p75"].is_null());
    // Of 1200 that were sent, and of all 1500: 200 and 300 have no answer.
    assert!(json["service_us"]["p75"].is_number() && json["service_us"]["p90"].is_null());
    assert!(json["send_lag_us"]["p75"].is_number() && json["send_lag_us"]["p90"].is_null());
    let bad = serde_json::json!({
        "kind": "timeout", "detail": "late", "request_base64": "R0VU", "response_base64": ""
    });
    assert_eq!(json["first_bad"], bad);
}

fn announced(max_concurrent_streams: Option<u32>) -> Announced {
    let (initial_window, header_table_size, max_frame_size) = (65_535, 4096, 16_384);
    Announced { max_concurrent_streams, initial_window, header_table_size, max_frame_size }
}

#[test]
fn what_was_agreed_on_is_told() {
    let args = args_for("https://a --insecure --protocol h2 --streams 8 -c 2");
    let tls = Agreed {
        tls_version: "1.3",
        cipher: "TLS13_AES_128_GCM_SHA256",
        alpn: Some("h2"),
        resumed: false,
        early: None,
        took_ns: 1_000_000,
    };
    let terms = Terms { tls: Some(tls), announced: Some(announced(Some(128))) };
    let (handshakes, handshake_ns) = (4, 5_000_000);
    let of = |resumed| {
        run(Tally { handshakes, handshake_ns, resumed, terms, ..tally(4000, 8_000_000, 0) })
    };
    let text = Report::new(&args, of(0)).text(false);
    for line in [
        "protocol     HTTP/2 in TLS (h2): TLS 1.3, TLS13_AES_128_GCM_SHA256, agreed on h2; the server \
         takes 128 streams at a time\n",
        "connections  2, keep-alive, 8 streams at a time on each\n",
        "handshakes   4 of 1.25 ms on average, all full; signatures are not checked\n",
    ] {
        assert!(text.contains(line), "{line:?} is not in\n{text}");
    }
    let report = Report::new(&args, of(3));
    assert!(report.text(false).contains("on average, 3 of them resumed; "));
    let json: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
    assert_eq!((&json["protocol"], &json["streams"]), (&"h2".into(), &8.into()));
    assert_eq!((&json["handshakes"], &json["resumed"]), (&4.into(), &3.into()));
    assert_eq!(json["handshake_mean_us"], 1250.0);
    assert_eq!(
        json["agreed"],
        serde_json::json!({
            "tls_version": "1.3", "cipher": "TLS13_AES_128_GCM_SHA256", "alpn": "h2",
            "resumed": false, "max_concurrent_streams": 128, "initial_window": 65535,
            "header_table_size": 4096, "max_frame_size": 16384
        })
    );
}

#[test]
fn requests_ahead_of_handshakes_are_told() {
    let args = args_for("https://a --insecure --protocol h3 --close --resume --early-data");
    let counts = Tally { handshakes: 4, early_accepted: 2, early_rejected: 1, ..Tally::default() };
    let report = Report::new(&args, run(counts));
    let json: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
    assert_eq!((&json["early_accepted"], &json["early_rejected"]), (&2.into(), &1.into()));
    let said = "2 with an accepted request ahead (0-RTT) and 1 with a rejected one";
    assert!(report.text(false).contains(said));
}
