//! `volley wrk2`, on both ways of doing I/O where sockets matter.

use crate::common::command::run;
use crate::common::servers::{always, answering, counting, nobody, silent};
use crate::ways;
use crate::wrk::{GOOD, number_before, script};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

const RULE: &str = "----------------------------------------------------------";

/// Two connections of one thread at 40 a second, for a second; returns the status and both outputs.
fn wrk2(address: SocketAddr, more: &[&str]) -> (i32, String, String) {
    let url = format!("http://{address}/p");
    run(&[&["wrk2", "-t1", "-c2", "-d1", "-R40"], more, &[&url]].concat())
}

fn figures(address: SocketAddr, more: &[&str]) -> Value {
    let (status, out, _) = wrk2(address, &[&["--json"], more].concat());
    assert_eq!((status, out.lines().count()), (0, 1), "{out}");
    serde_json::from_str(&out).unwrap()
}

/// The lines, without the spectrum's rows.
fn outline(out: &str) -> Vec<&str> {
    let is_row = |line: &str| {
        let words = line.split_whitespace();
        words.clone().count() == 4 && words.clone().all(|word| word.parse::<f64>().is_ok())
    };
    out.lines().filter(|line| !is_row(line)).collect()
}

#[test]
fn standard_output_is_wrk2_s() {
    let address = always(GOOD);
    let percents = "50.000 75.000 90.000 99.000 99.900 99.990 99.999 100.000";
    for io in ways() {
        let (status, out, _) = wrk2(address, &["-U", io]);
        let lines = outline(&out);
        let head = [
            &format!("Running 1s test @ http://{address}/p"),
            "  1 threads and 2 connections",
            "  Thread Stats   Avg      Stdev     Max   +/- Stdev",
        ];
        assert_eq!((status, &lines[..3]), (0, &head[..]));
        assert!(lines[3].starts_with("    Latency ") && lines[3].ends_with('%'), "{out}");
        assert_eq!(lines[4], "    Req/Sec       -nan      -nan   0.00      0.00%");
        let block = |what: &str, lines: &[&str]| {
            assert_eq!(lines[0], format!("  Latency Distribution (HdrHistogram - {what})"));
            for (line, percent) in lines[1..9].iter().zip(percents.split(' ')) {
                assert_eq!(line[..8], format!("{percent:>7}%"), "{out}");
            }
            let head = "       Value   Percentile   TotalCount 1/(1-Percentile)";
            assert_eq!(lines[9..13], ["", "  Detailed Percentile spectrum:", head, ""]);
            assert!(lines[13].starts_with("#[Mean    = "), "{out}");
            assert!(lines[14].starts_with("#[Max     = "), "{out}");
            assert_eq!(lines[15], "#[Buckets =           27, SubBuckets     =         2048]");
            assert_eq!(lines[16], RULE);
        };
        block("Recorded Latency", &lines[5..22]);
        assert_eq!(lines[22], "");
        let what = "Uncorrected Latency (measured without taking delayed starts into account)";
        block(what, &lines[23..40]);
        assert!(lines[40].contains(" requests in "), "{out}");
        assert!(lines[41].starts_with("Requests/sec: ") && lines[42].starts_with("Transfer/sec: "));
        assert_eq!(lines.len(), 43);
    }
}

#[test]
fn without_l_there_is_no_distribution() {
    let (status, out, _) = wrk2(always(GOOD), &[]);
    assert_eq!((status, out.lines().count()), (0, 8), "{out}");
    let (_, out, _) = wrk2(always(GOOD), &["-L"]);
    assert_eq!(out.matches(RULE).count(), 1, "{out}");
}

#[test]
fn the_rate_is_never_passed_and_shared_by_all() {
    for io in ways() {
        let (address, asked) = counting(GOOD);
        let (_, out, _) = wrk2(address, &["-t2", "-c4", io]);
        let complete = number_before(&out, " requests in");
        let asked = asked.load(Ordering::SeqCst);
        // Of 40 due requests; each connection may have one more in flight at the end.
        assert!((20..=40).contains(&complete), "{io}: {out}");
        assert!((complete..=44).contains(&asked), "{io}: {asked} asked, {out}");
    }
}

#[test]
fn what_a_stall_delays_is_late_by_when_it_was_due_and_not_by_its_sending() {
    for io in ways() {
        let address = answering(|nth| {
            thread::sleep(Duration::from_millis(if nth == 0 { 400 } else { 0 }));
            Some(GOOD.to_vec())
        });
        let value = figures(address, &["-c1", "-R20", io]);
        let p75 = |of: &str| value[of]["p75"].as_f64().unwrap();
        // Due every 50 ms, six of at most twenty are late by 150 ms or more.
        assert!(p75("latency_us") >= 150_000.0, "{value}");
        assert!(p75("service_us") < p75("latency_us"), "{value}");
        assert_eq!((&value["mode"], value["rate"].as_f64()), (&"open".into(), Some(20.0)));
        assert_eq!((&value["personality"], &value["errors"]), (&"wrk2".into(), &json!({})));
    }
}

#[test]
fn each_thread_tells_its_calibration() {
    let url = format!("http://{}/", always(GOOD));
    let (status, out, advice) = run(&["wrk2", "-t2", "-c2", "-d11", "-R40", "-L", &url]);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(status, 0);
    for line in &lines[2..4] {
        assert!(line.starts_with("  Thread calibration: mean lat.: "), "{out}");
        assert!(line.contains("ms, rate sampling interval: ") && line.ends_with("ms"), "{out}");
    }
    assert_eq!(lines[4], "  Thread Stats   Avg      Stdev     Max   +/- Stdev");
    assert!(lines[6].starts_with("    Req/Sec ") && !lines[6].contains("nan"), "{out}");
    // Earlier measurements are discarded; a second's requests are left, and those that were late.
    let timed = out.split("Total count    = ").nth(1).unwrap().split(']').next().unwrap();
    let timed: u64 = timed.trim().parse().unwrap();
    let complete = number_before(&out, " requests in");
    assert!(timed > 0 && complete > 4 * timed, "{out}");
    assert!(advice.contains("advice: no latency above is of the time before"), "{advice}");
}

#[test]
fn who_gets_no_answer_has_timeouts_and_no_latency() {
    let (status, out, advice) = wrk2(silent(), &["-d3", "-T1", "-L"]);
    assert_eq!(status, 0);
    let spread = "    Latency     -nanus    -nanus   0.00us    0.00%\n    \
                  Req/Sec       -nan      -nan   0.00      0.00%\n";
    let spectrum = "       0.000     1.000000            0          inf\n\
                    #[Mean    =         -nan, StdDeviation   =         -nan]\n";
    let totals = "  Socket errors: connect 0, read 0, write 0, timeout 2\n\
                  Requests/sec:      0.00\nTransfer/sec:       0.00B\n";
    for part in [spread, spectrum, totals, "  0 requests in 3.0"] {
        assert!(out.contains(part), "{out}");
    }
    assert!(advice.contains("120 requests were due and had no answer"), "{advice}");
}

#[test]
fn timeouts_of_connections_that_have_nothing_to_do_are_told_apart() {
    let (_, out, advice) = wrk2(always(GOOD), &["-c4", "-d3", "-T1", "-R1"]);
    assert!(out.contains(" timeout 4\n"), "{out}");
    assert!(advice.contains("advice: 4 of the 4 timeouts are none"), "{advice}");
}

#[test]
fn scripts_are_wrk_s_without_a_delay() {
    let file = script(
        "wrk2-done",
        r#"
        local asked = 0
        function delay() return 60000 end
        function request()
          asked = asked + 1
          return wrk.format("GET", "/" .. asked)
        end
        function done(summary, latency, requests)
          print(summary.requests == #latency, latency.min <= latency.max, #requests)
          print(wrk.time_us() > 1e15, wrk.time_us() % 1)
          print(latency:percentile(100) >= latency.max, latency[#latency] == latency:percentile(100))
        end"#,
    );
    let (status, out, error) = wrk2(always(GOOD), &["-s", file.to_str().unwrap()]);
    assert_eq!(status, 0, "{error}");
    assert!(number_before(&out, " requests in") > 2, "{out}");
    assert!(out.ends_with("true\ttrue\t0\ntrue\t0\ntrue\ttrue\n"), "{out}");
}

#[test]
fn what_can_not_be_done_is_said_with_wrk2_s_exit_status() {
    let gone = nobody();
    let gone_url = format!("http://{gone}/");
    let refused = format!("unable to connect to {gone} Connection refused\n");
    for (line, said, has_usage) in [
        (&["-R1"][..], "", true),
        (&["http://a/"], "Throughput MUST be specified with the --rate or -R option\n", true),
        (&["-R", "1", "-d", "0", "http://a/"], "", true),
        (&["-R", "1", "a"], "invalid URL: a\n", true),
        (&["-h"], "wrk2: invalid option -- 'h'\n", true),
        (&["-R", "1", "-c1", "http://a/"], "number of connections must be >= threads\n", true),
        (&["-R", "1", &gone_url], &refused, false),
    ] {
        let (status, out, error) = run(&[&["wrk2"], line].concat());
        assert_eq!((status, error.as_str()), (1, said), "{line:?}");
        assert_eq!(out.starts_with("Usage: wrk2 "), has_usage, "{line:?}: {out}");
    }
    let (status, out, _) = run(&["wrk2", "-v"]);
    assert_eq!(status, 1);
    assert!(out.starts_with("wrk2 4.0.0, ") && out.contains("\nUsage: wrk2 "), "{out}");
}
