//! Options that do not go together.

use super::{CsvPlace, LoadArgs, StageArg, Unit};

/// Whether something is wrong, and what would be right.
type Rule = (bool, &'static str);

impl LoadArgs {
    /// The first contradiction, in one line.
    #[must_use]
    pub fn contradiction(&self) -> Option<&'static str> {
        let rules = self.of_stages().into_iter().chain(self.of_pace());
        let mut rules = rules
            .chain(self.of_connections())
            .chain(self.of_places())
            .chain(self.of_request())
            .chain(self.of_output());
        rules.find(|&(broken, _)| broken).map(|(_, right)| right)
    }

    fn of_stages(&self) -> [Rule; 5] {
        let stages = &self.amount.stages;
        let counts = |unit| stages.iter().any(|stage| stage.unit == unit);
        let both = counts(Unit::PerSecond) && counts(Unit::Connections);
        let is_empty = |&StageArg { stage, .. }: &StageArg| stage.from.max(stage.to) <= 0.0;
        [
            (
                self.amount.rate.is_some() && !stages.is_empty(),
                "--rate and --stage both say how much: leave one out",
            ),
            (both, "--stage: levels are all requests per second or all connections (10s:64c)"),
            (
                !stages.is_empty() && stages.iter().all(is_empty),
                "--stage: there must be a level above 0",
            ),
            (
                !stages.is_empty() && self.amount.duration.is_some(),
                "--duration and --stage both say how long: leave --duration out",
            ),
            (
                counts(Unit::Connections) && self.amount.connections.is_some(),
                "--connections and --stage with connections both say how many: leave one out",
            ),
        ]
    }

    fn of_pace(&self) -> [Rule; 3] {
        let closed = !self.is_open_loop();
        [
            (
                closed && self.amount.arrivals.is_some(),
                "--arrivals needs an open loop: give --rate too, or --stage with a rate",
            ),
            (
                closed && self.amount.burst.is_some(),
                "--burst needs an open loop: give --rate too, or --stage with a rate",
            ),
            (
                self.threads() > self.connections(),
                "--threads must not be above --connections: each thread needs one at least",
            ),
        ]
    }

    fn of_connections(&self) -> [Rule; 3] {
        let connecting = &self.connecting;
        let pipelined = connecting.pipeline > 1;
        [
            (
                connecting.close && connecting.requests_per_connection.is_some(),
                "--close is --requests-per-connection 1: leave one out",
            ),
            (
                connecting.close && pipelined,
                "--close leaves nothing to --pipeline: a connection carries one request",
            ),
            (connecting.http_1_0 && pipelined, "--pipeline needs HTTP/1.1: leave --http1.0 out"),
        ]
    }

    fn of_places(&self) -> [Rule; 4] {
        let connecting = &self.connecting;
        let unix = connecting.unix.is_some();
        let elsewhere = connecting.connect_to.is_some();
        [
            (unix && elsewhere, "--unix and --connect-to both say where: leave one out"),
            (
                unix && connecting.proxy.is_some(),
                "--unix and --proxy both say where: leave one out",
            ),
            (
                elsewhere && connecting.proxy.is_some(),
                "--connect-to and --proxy both say where: leave one out",
            ),
            (
                unix && connecting.source.is_some(),
                "--unix has no --source: a Unix socket has no IP address",
            ),
        ]
    }

    fn of_request(&self) -> [Rule; 4] {
        let (request, checks) = (&self.request, &self.checks);
        let body = request.body.is_some() || request.body_file.is_some();
        let bodies = [
            checks.expect_body.is_some(),
            checks.expect_body_file.is_some(),
            checks.expect_sha256.is_some(),
        ];
        [
            (
                request.body.is_some() && request.body_file.is_some(),
                "--body and --body-file both say what to send: leave one out",
            ),
            (
                request.request_file.is_some() && body,
                "--request-file says the bodies itself: leave --body and --body-file out",
            ),
            (
                request.request_file.is_some() && request.method.is_some(),
                "--request-file says the methods itself: leave --method out",
            ),
            (
                bodies.into_iter().filter(|&given| given).count() > 1,
                "--expect-body, --expect-body-file and --expect-sha256 exclude each other: give one",
            ),
        ]
    }

    fn of_output(&self) -> [Rule; 1] {
        [(
            self.output.json && self.output.csv == Some(CsvPlace::Stdout),
            "--csv - and --json both write to standard output: give --csv a file",
        )]
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::tests::load_args;

    fn contradiction(options: &str) -> Option<&'static str> {
        load_args(options).contradiction()
    }

    #[test]
    fn what_does_not_go_together_is_refused_with_what_would() {
        let hash = format!("--expect-body a --expect-sha256 {}", "0".repeat(64));
        for (options, part) in [
            ("--rate 1 --stage 1s:5", "leave one out"),
            ("--rate 1 --stage 1s:5c", "--rate"),
            ("--stage 1s:5 --stage 1s:5c", "all connections"),
            ("--stage 1s:0 --stage 1s:0", "above 0"),
            ("-d 1 --stage 1s:5", "leave --duration out"),
            ("-c 4 --stage 1s:5c", "--connections"),
            ("--arrivals poisson", "--arrivals needs an open loop"),
            ("--arrivals poisson --stage 1s:5c", "--arrivals needs an open loop"),
            ("--burst 2", "--burst needs an open loop"),
            ("-t 5 -c 4", "--threads must not be above --connections"),
            ("-t 65", "--threads"),
            ("--close --requests-per-connection 5", "leave one out"),
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
            ("--expect-body a --expect-body-file b", "give one"),
            (&hash, "--expect-sha256"),
            ("--csv - --json", "standard output"),
        ] {
            let line = contradiction(options).unwrap_or_else(|| panic!("{options}: accepted"));
            assert!(line.contains(part) && !line.contains('\n'), "{options} gave {line}");
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
