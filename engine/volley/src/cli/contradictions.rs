//! Options that exclude each other in ways that clap cannot express.

use super::{CsvPlace, LoadArgs, StageArg, TlsVersion, Unit};
use volley_load::scheme::Scheme;
use volley_net::IoChoice;
use volley_tls::Config;

/// Whether the rule is broken, and its message.
type Rule = (bool, &'static str);

impl LoadArgs {
    /// The message of the first contradiction, in one line.
    pub fn contradiction(&self) -> Option<&'static str> {
        let rules = self.about_websocket().into_iter().chain(self.about_load());
        let rules = rules.chain(self.about_answers());
        let mut rules = rules.chain(self.about_http3());
        rules.find_map(|(broken, right)| broken.then_some(right))
    }

    fn about_load(&self) -> impl IntoIterator<Item = Rule> {
        let (amount, connecting) = (&self.amount, &self.connecting);
        let stages = &amount.stages;
        let counts = |unit| stages.iter().any(|stage| stage.unit == unit);
        let is_empty = |&StageArg { stage, .. }: &StageArg| stage.from.max(stage.to) <= 0.0;
        let closed = !self.is_open_loop();
        let (speaking, scheme) = (&self.speaking, self.scheme());
        let sealed = self.url.is_tls;
        [
            (
                counts(Unit::PerSecond) && counts(Unit::Connections),
                "--stage: levels are all requests per second or all connections (10s:64c)",
            ),
            (
                !stages.is_empty() && stages.iter().all(is_empty),
                "--stage: there must be a level above 0",
            ),
            (
                counts(Unit::Connections) && amount.connections.is_some(),
                "--connections and --stage with connections both say how many: leave one out",
            ),
            (
                closed && amount.arrivals.is_some(),
                "--arrivals needs an open loop: give --rate too, or --stage with a rate",
            ),
            (
                closed && amount.burst.is_some(),
                "--burst needs an open loop: give --rate too, or --stage with a rate",
            ),
            (
                self.threads() > self.connections(),
                "--threads must not be above --connections: each thread needs one at least",
            ),
            (
                connecting.close && connecting.pipeline > 1,
                "--close leaves nothing to --pipeline: a connection carries one request",
            ),
            (
                connecting.http_1_0 && connecting.pipeline > 1,
                "--pipeline needs HTTP/1.1: leave --http1.0 out",
            ),
            (
                sealed && !scheme.is_tls(),
                "--protocol h1 and h2c travel in cleartext: the URL must start with http://",
            ),
            (
                !sealed && scheme.is_tls(),
                "--protocol h1-tls, h2 and h3 travel in TLS: the URL must start with https://",
            ),
            (
                !sealed && speaking.is_about_tls(),
                "--ca, --insecure, --server-name, --tls and --resume are about TLS: the URL must \
                 start with https://",
            ),
            (
                sealed && speaking.ca.is_none() && !speaking.insecure,
                "https:// needs --ca FILE, a PEM file of certificates to believe, or --insecure to \
                 believe any",
            ),
            (
                sealed
                    && speaking.server_name.is_none()
                    && !Config::is_name(&self.url.authority.host),
                "the URL's host is no name that a certificate can be for: give --server-name NAME",
            ),
            (
                sealed && connecting.proxy.is_some(),
                "--proxy takes plain requests only: leave it out with https://",
            ),
            (
                scheme.is_h2() && connecting.proxy.is_some(),
                "--proxy is asked by HTTP/1: leave it out with --protocol h2c",
            ),
            (
                scheme.has_streams() && connecting.http_1_0,
                "--http1.0 is not HTTP/2 or HTTP/3: leave it or --protocol out",
            ),
            (
                scheme.has_streams() && connecting.pipeline > 1,
                "--pipeline is HTTP/1's: with HTTP/2 and HTTP/3 it is --streams",
            ),
            (
                !scheme.has_streams() && speaking.streams > 1,
                "--streams needs HTTP/2 or HTTP/3: give --protocol h2, h2c or h3, or --pipeline instead",
            ),
            (
                connecting.close && speaking.streams > 1,
                "--close leaves nothing to --streams: a connection carries one request",
            ),
            (
                self.output.json && self.output.csv == Some(CsvPlace::Stdout),
                "--csv - and --json both write to standard output: give --csv a file",
            ),
        ]
    }

    fn about_answers(&self) -> [Rule; 7] {
        let (scheme, connecting) = (self.scheme(), &self.connecting);
        let holds = self.request.held.is_some();
        [
            (
                holds && (self.url.is_websocket || self.checks.grpc),
                "--held has streams of events beside plain requests: the URL must start with http:// or \
                 https://, without --grpc",
            ),
            (
                holds && scheme.has_streams() && !scheme.is_h2(),
                "--held is for HTTP/1 and HTTP/2: give another --protocol",
            ),
            (
                holds && self.requests_per_connection().is_some(),
                "--held is beside kept connections: leave --close and --requests-per-connection out",
            ),
            (
                self.checks.events && connecting.pipeline > 1,
                "--events has a stream on each connection of HTTP/1: leave --pipeline out",
            ),
            (
                self.checks.events && scheme.has_streams() && !scheme.is_h2(),
                "--events is for HTTP/1 and HTTP/2: give another --protocol",
            ),
            (
                self.checks.events
                    && self.checks.grpc
                    && (self.checks.expect_body.is_some()
                        || self.checks.expect_body_file.is_some()),
                "--grpc with --events measures any messages: leave --expect-body out",
            ),
            (self.checks.grpc && !scheme.is_h2(), "--grpc needs --protocol h2c or h2"),
        ]
    }

    fn about_http3(&self) -> [Rule; 4] {
        let (speaking, connecting) = (&self.speaking, &self.connecting);
        let is_http3 = self.scheme() == Scheme::H3;
        [
            (
                is_http3 && speaking.tls == Some(TlsVersion::Tls12),
                "--tls 1.2 is not for h3: QUIC has TLS 1.3 inside",
            ),
            (is_http3 && connecting.unix.is_some(), "--unix is not for h3: it travels over UDP"),
            (
                is_http3 && connecting.io == IoChoice::Uring,
                "--io uring is not for h3: its UDP sockets are served by epoll",
            ),
            (
                speaking.early_data && !(is_http3 && connecting.close && speaking.resume),
                "--early-data sends a request ahead of a resumed handshake of QUIC: give --protocol h3, \
                 --close and --resume, too",
            ),
        ]
    }

    fn about_websocket(&self) -> [Rule; 7] {
        let (is_websocket, is_message) = (self.url.is_websocket, self.request.is_message());
        let (room, connections) = (self.request.room, self.connections());
        let (connecting, amount) = (&self.connecting, &self.amount);
        [
            (
                room.is_some() && !is_websocket,
                "--room is for WebSocket: the URL must start with ws:// or wss://",
            ),
            (
                room.is_some_and(|size| {
                    !connections.is_multiple_of(size) || connections / size < self.threads()
                }),
                "--connections must be whole rooms of --room, at least one for each of --threads",
            ),
            (
                room.is_some()
                    && (amount.stages.iter().any(|stage| stage.unit == Unit::Connections)
                        || connecting.pipeline > 1
                        || self.requests_per_connection().is_some()
                        || self.output.ceiling),
                "--room has one message at a time in each room, and all connections all the time: \
                 leave --stage with connections, --pipeline, --close, --requests-per-connection \
                 and --ceiling out",
            ),
            (
                is_websocket && !is_message,
                "ws:// and wss:// need a message that is echoed: give --message TEXT or \
                 --message-size N",
            ),
            (
                !is_websocket && (is_message || self.request.binary || self.request.compression),
                "--message, --message-size, --binary and --compression are for WebSocket: the URL \
                 must start with ws:// or wss://",
            ),
            (
                is_websocket && (self.request.is_http() || self.checks.are_given()),
                "a WebSocket is upgraded to, and its messages must be echoed as they are: leave \
                 --method, --body, --body-file, --request-file, --events and --expect-… out",
            ),
            (
                is_websocket
                    && (self.scheme().has_streams()
                        || self.connecting.http_1_0
                        || self.connecting.proxy.is_some()),
                "a WebSocket is upgraded to in HTTP/1.1, without a proxy: leave --protocol, --http2, \
                 --http1.0 and --proxy out",
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::{Cli, Command, one_line};

    /// The error in options of `volley load`.
    fn contradiction(options: &str) -> Option<String> {
        of(&format!("http://a {options}"))
    }

    /// The same with the URL before them.
    fn of(rest: &str) -> Option<String> {
        match Cli::read(["volley", "load"].into_iter().chain(rest.split_whitespace())) {
            Err(error) => Some(one_line(&error)),
            Ok(Cli { command: Command::Load(args) }) => args.contradiction().map(str::to_owned),
            Ok(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_does_not_go_together_is_refused_with_what_would() {
        let hash = format!("--expect-body a --expect-sha256 {}", "0".repeat(64));
        for (options, part) in [
            ("--rate 1 --stage 1s:5", "--stage"),
            ("--rate 1 --stage 1s:5c", "--rate"),
            ("--stage 1s:5 --stage 1s:5c", "all connections"),
            ("--stage 1s:0 --stage 1s:0", "above 0"),
            ("-d 1 --stage 1s:5", "--duration"),
            ("-c 4 --stage 1s:5c", "--connections"),
            ("--arrivals poisson", "--arrivals needs an open loop"),
            ("--arrivals poisson --stage 1s:5c", "--arrivals needs an open loop"),
            ("--burst 2", "--burst needs an open loop"),
            ("-t 5 -c 4", "--threads must not be above --connections"),
            ("-t 65", "--threads"),
            ("--close --requests-per-connection 5", "--close"),
            ("--close --pipeline 2", "--pipeline"),
            ("--http1.0 --pipeline 2", "leave --http1.0 out"),
            ("--unix s --connect-to a:1", "--connect-to"),
            ("--unix s --proxy http://a", "--proxy"),
            ("--unix s --source 127.0.0.1", "--source"),
            ("--connect-to a:1 --proxy http://a", "--proxy"),
            ("-b a --body-file b", "--body-file"),
            ("--request-file a -b b", "--body"),
            ("--request-file a --body-file b", "--body-file"),
            ("--request-file a -m PUT", "--method"),
            ("--expect-body a --expect-body-file b", "--expect-body-file"),
            (&hash, "--expect-sha256"),
            ("--expect-body a --expect-contains b", "--expect-contains"),
            ("--expect-body a --expect-json []", "--expect-json"),
            ("--grpc", "--protocol h2c or h2"),
            ("--grpc --protocol h2c -m PUT", "--method"),
            ("--grpc --protocol h2c --events --expect-body a", "--expect-body"),
            ("--grpc --protocol h2c --expect-contains a", "--expect-contains"),
            ("--csv - --json", "standard output"),
            ("--message a", "ws://"),
            ("--binary", "ws://"),
            ("--compression", "ws://"),
            ("--message a --message-size 5", "--message"),
            ("--room 4", "ws://"),
            ("--held 2 --held-path /e --grpc --protocol h2c", "--grpc"),
            ("--held 2 --held-path /e --close", "--close"),
        ] {
            let line = contradiction(options).unwrap_or_else(|| panic!("{options}: accepted"));
            assert!(line.contains(part) && !line.contains('\n'), "{options} gave {line}");
        }
    }

    #[test]
    fn protocols_and_urls_go_together_or_are_refused() {
        for (rest, part) in [
            ("http://a --protocol h2", "https://"),
            ("http://a --protocol h1-tls", "https://"),
            ("https://a --protocol h2c --insecure", "http://"),
            ("http://a --insecure", "about TLS"),
            ("http://a --ca x", "about TLS"),
            ("http://a --tls 1.3", "about TLS"),
            ("http://a --server-name b", "about TLS"),
            ("http://a --resume", "about TLS"),
            ("https://a", "--ca FILE"),
            ("http://a --protocol h3", "https://"),
            ("https://a --insecure --protocol h3 --tls 1.2", "--tls 1.2"),
            ("https://a --insecure --protocol h3 --unix s", "--unix"),
            ("https://a --insecure --protocol h3 --io uring", "--io uring"),
            ("https://a --insecure --protocol h3 --events", "--events"),
            ("https://a --insecure --protocol h3 --held 2 --held-path /e", "--held"),
            ("ws://a --message b --held 2 --held-path /e", "http://"),
            ("https://a --insecure --protocol h3 --close --early-data", "--resume"),
            ("https://a --insecure --protocol h3 --resume --early-data", "--close"),
            ("https://a --insecure --protocol h2 --close --resume --early-data", "h3"),
            ("http://a --close --early-data", "--protocol h3"),
            ("https://a --ca x --insecure", "--insecure"),
            ("https://a..b --insecure", "--server-name"),
            ("https://a --insecure --proxy http://b", "--proxy"),
            ("http://a --protocol h2c --proxy http://b", "--proxy"),
            ("http://a --protocol h2c --http1.0", "--http1.0"),
            ("http://a --protocol h2c --pipeline 2", "--streams"),
            ("http://a --streams 2", "--streams needs HTTP/2"),
            ("http://a --protocol h2c --streams 2 --close", "--close"),
            ("ws://a", "--message TEXT"),
            ("ws://a --binary", "--message TEXT"),
            ("ws://a --message b --room 3", "whole rooms"),
            ("ws://a --message b --room 64 -t 2", "whole rooms"),
            ("ws://a --message b --room 4 --stage 1s:8c", "--stage"),
            ("ws://a --message b --room 4 --close", "--close"),
            ("ws://a --message b --room 4 --pipeline 2", "--pipeline"),
            ("ws://a --message b --room 4 --ceiling", "--ceiling"),
            ("ws://a --message b --body c", "leave --method, --body"),
            ("ws://a --message b --expect-status 101", "--expect-"),
            ("ws://a --message b --request-file c", "--request-file"),
            ("ws://a --message b --protocol h2c", "HTTP/1.1"),
            ("ws://a --message b --http1.0", "--http1.0"),
            ("ws://a --message b --proxy http://c", "--proxy"),
            ("wss://a --message b", "--ca FILE"),
        ] {
            let line = of(rest).unwrap_or_else(|| panic!("{rest}: accepted"));
            assert!(line.contains(part) && !line.contains('\n'), "{rest} gave {line}");
        }
        for rest in [
            "https://a --insecure",
            "https://a --insecure --protocol h3 --streams 9 --tls 1.3 --rate 5",
            "https://a --ca x --protocol h2 --streams 9 --tls 1.2 --resume --server-name b",
            "https://127.0.0.1 --insecure --close --http1.0",
            "https://a..b --insecure --server-name b --unix s",
            "http://a --protocol h2c --streams 2",
            "ws://a --message b --pipeline 4 -H A:b -R 5",
            "ws://a --message b --room 4 -t 2 -n 9 --compression",
            "ws://a --message b --room 4 -R 5 --arrivals poisson --burst 3",
            "ws://a --message b --room 4 --stage 1s:5-9",
            "wss://a --message-size 9 --binary --compression --close --insecure",
        ] {
            assert_eq!(of(rest), None, "{rest}");
        }
    }

    #[test]
    fn what_goes_together_is_accepted() {
        for options in [
            "",
            "-R 5 --arrivals poisson --burst 2 -d 1 -c 4 -t 4",
            "--stage 1s:5 --stage 1s:5-9 -c 4 --burst 3",
            "--stage 1s:0-5c -t 5",
            "--close --http1.0 --pipeline 1",
            "-n 5 -d 1 -w 1",
            "--csv - --hdr x",
            "--csv x --json",
            "--request-file a -H A:b -u a:b --cookie a=b",
        ] {
            assert_eq!(contradiction(options), None, "{options}");
        }
    }
}
