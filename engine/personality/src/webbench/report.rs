//! webbench's output, and what it does not show.

use super::super::advice::generator_was_the_limit;
use super::arguments::{Arguments, HostPort, Http};
use super::run::Counts;
use crate::figures::{Counted, Figures, closed};
use volley_load::figures::Client;
use volley_net::Io;

/// The text before a load. `http`: the version that the request really has.
pub(super) fn head(arguments: &Arguments, http: Http) -> String {
    let version = match http {
        Http::V0_9 => " (using HTTP/0.9)",
        Http::V1_0 => "",
        Http::V1_1 => " (using HTTP/1.1)",
    };
    let clients = match arguments.clients {
        1 => "1 client".to_owned(),
        clients => format!("{clients} clients"),
    };
    let close = if arguments.force { ", early socket close" } else { "" };
    let proxy = match &arguments.proxy {
        Some(HostPort { host, port }) => format!(", via proxy server {host}:{port}"),
        None => String::new(),
    };
    let reload = if arguments.reload { ", forcing reload" } else { "" };
    format!(
        "\nBenchmarking: {} {}{version}\n{clients}, running {} sec{close}{proxy}{reload}.\n",
        arguments.method.name(),
        arguments.url,
        arguments.duration_s,
    )
}

/// The text after a load.
pub(super) fn result(counts: &Counts) -> String {
    format!(
        "\nSpeed={} pages/min, {} bytes/sec.\nRequests: {} susceed, {} failed.\n",
        whole((counts.ok + counts.failed) as f64 / (counts.duration_s / 60.0)),
        whole(counts.bytes as f64 / counts.duration_s),
        counts.ok,
        counts.failed,
    )
}

/// Truncates instead of rounding.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "that is what it does")]
fn whole(rate: f64) -> u64 {
    rate as u64
}

/// The same for machines. Throughput counts answers; the text's includes the failures.
pub(super) fn figures(arguments: &Arguments, counts: &Counts, io: Io) -> Figures {
    let counted = Counted {
        url: arguments.url.clone(),
        requests: counts.ok,
        bytes: counts.bytes,
        duration_s: counts.duration_s,
        connects: counts.connects,
        connections: arguments.clients,
    };
    let client = Client::new(counts.cpu_ns, counts.ok, counts.busy, 1);
    closed("webbench", io, counted, client, &[("failed", counts.failed)])
}

/// Advice for the reader.
pub(super) fn advice(arguments: &Arguments, counts: &Counts) -> Vec<String> {
    let Counts { ok, refused, empty, .. } = *counts;
    let mut sentences = Vec::new();
    if arguments.force {
        sentences.push(
            "with --force nobody reads the answers: these are requests that were sent, and \
             whether they were answered is not known"
                .to_owned(),
        );
    }
    if refused > 0 {
        sentences.push(format!(
            "{refused} of the {ok} answers had a status of 400 or more: webbench counts any \
             answer as a success"
        ));
    }
    if empty > 0 {
        sentences.push(format!(
            "{empty} of the {ok} connections ended without a byte: webbench counts them as \
             successes"
        ));
    }
    if ok == 0 && counts.bytes > 0 && counts.failed == 0 {
        sentences.push(
            "answers came, but the server kept their connections open, and webbench waits for \
             their end: -2 asks the server to close them"
                .to_owned(),
        );
    }
    if counts.failed > 0 {
        sentences.push(format!(
            "{} of the {} requests failed, and are in the pages/min all the same",
            counts.failed,
            ok + counts.failed
        ));
    }
    sentences.extend(generator_was_the_limit(counts.busy));
    sentences.push(
        "webbench makes a connection for each request and waits for its end before the next one \
         (a closed loop): this is how fast connections come and go, and says nothing of latency; \
         bakeoff load measures both"
            .to_owned(),
    );
    sentences
}

#[cfg(test)]
mod tests {
    use super::super::arguments::parse;
    use super::super::request;
    use super::*;
    use std::ffi::OsString;

    fn arguments(line: &str) -> Arguments {
        parse(&line.split_whitespace().map(OsString::from).collect::<Vec<_>>()).unwrap()
    }

    fn of(line: &str) -> String {
        let arguments = arguments(line);
        let http = request::build(&arguments).unwrap().http;
        head(&arguments, http)
    }

    #[test]
    fn the_head_says_what_was_asked_for() {
        for (line, text) in [
            ("http://h/", "\nBenchmarking: GET http://h/\n1 client, running 30 sec.\n"),
            (
                "-t 30 -c 200 http://127.0.0.1:8080/",
                "\nBenchmarking: GET http://127.0.0.1:8080/\n200 clients, running 30 sec.\n",
            ),
            (
                "-9 -f http://h/",
                "\nBenchmarking: GET http://h/ (using HTTP/0.9)\n\
                 1 client, running 30 sec, early socket close.\n",
            ),
            (
                "--options -r -t 0 http://h/",
                "\nBenchmarking: OPTIONS http://h/ (using HTTP/1.1)\n\
                 1 client, running 60 sec, forcing reload.\n",
            ),
            (
                "--head -9 -f -r -p p:3128 -c 2 http://h/",
                "\nBenchmarking: HEAD http://h/\n2 clients, running 30 sec, early socket close, \
                 via proxy server p:3128, forcing reload.\n",
            ),
            (
                "--trace http://h/",
                "\nBenchmarking: TRACE http://h/ (using HTTP/1.1)\n1 client, running 30 sec.\n",
            ),
        ] {
            assert_eq!(of(line), text, "{line}");
        }
    }

    #[test]
    fn speed_is_of_all_that_ended_and_is_cut_off() {
        let counts = |ok, failed, bytes, duration_s| Counts {
            ok,
            failed,
            bytes,
            duration_s,
            ..Counts::default()
        };
        for (counts, text) in [
            // As published: 231562 in 30 s.
            (
                counts(231_562, 0, 25_471_820, 30.0),
                "\nSpeed=463124 pages/min, 849060 bytes/sec.\n\
                 Requests: 231562 susceed, 0 failed.\n",
            ),
            (
                counts(1, 1, 5, 3.0),
                "\nSpeed=40 pages/min, 1 bytes/sec.\nRequests: 1 susceed, 1 failed.\n",
            ),
            // The original's bytes turn negative from 2 GiB on.
            (
                counts(7, 0, 3 << 32, 2.0),
                "\nSpeed=210 pages/min, 6442450944 bytes/sec.\nRequests: 7 susceed, 0 failed.\n",
            ),
        ] {
            assert_eq!(result(&counts), text);
        }
    }

    #[test]
    fn advice_names_what_the_figures_hide() {
        let advised = |line, counts: Counts| advice(&arguments(line), &counts).join("\n");
        let plain = Counts { ok: 10, ..Counts::default() };
        let always = advised("u", plain.clone());
        assert!(always.starts_with("webbench makes a connection for each request"), "{always}");
        for (line, counts, part) in [
            ("-f u", plain.clone(), "nobody reads the answers"),
            ("u", Counts { refused: 3, ..plain.clone() }, "3 of the 10 answers had a status"),
            ("u", Counts { empty: 2, ..plain.clone() }, "2 of the 10 connections ended without"),
            ("u", Counts { ok: 0, bytes: 78, ..plain.clone() }, "-2 asks the server to close"),
            ("u", Counts { failed: 5, ..plain.clone() }, "5 of the 15 requests failed"),
            ("u", Counts { busy: 0.97, ..plain.clone() }, "busy 97 % of the time"),
        ] {
            let advised = advised(line, counts);
            assert!(advised.contains(part) && advised.ends_with(&always), "{advised}");
        }
    }
}
