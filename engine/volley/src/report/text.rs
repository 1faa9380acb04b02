//! The report for people.

use super::Report;
use super::latency::{Column, is_cut, percents};
use super::scale::{bytes, first_lines, grouped, percent, rate, time};
use super::setting::{arrivals, connections, datagrams, handshakes, protocol, stages};
use std::fmt::Write as _;
use volley_load::figures::{Ceiling, EventFigures, RoomFigures};
use volley_net::Io;

/// The quantiles of the summary.
const QUANTILES: [(&str, f64); 6] =
    [("p50", 0.5), ("p75", 0.75), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("max", 1.0)];

/// Lines with a name and its values.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn line(&mut self, name: &str, rest: &str) {
        let _ = writeln!(self.0, "{}", format!("{name:13}{rest}").trim_end());
    }

    fn row(&mut self, name: &str, cells: impl Iterator<Item = String>) {
        self.line(name, &joined(cells));
    }

    fn gap(&mut self) {
        self.0.push('\n');
    }
}

/// Aligns cells in columns.
fn joined(cells: impl Iterator<Item = String>) -> String {
    cells.map(|cell| format!("{cell:>9}")).collect::<Vec<_>>().join("  ")
}

impl Report<'_> {
    /// The text; `bold` marks the headline for a terminal.
    pub fn text(&self, bold: bool) -> String {
        let mut lines = Lines::default();
        self.setting(&mut lines);
        lines.gap();
        self.throughput(&mut lines, bold);
        lines.gap();
        self.summary(&mut lines);
        if self.args.output.latency {
            lines.gap();
            self.distribution(&mut lines);
        }
        if self.parts().nth(1).is_some() {
            lines.gap();
            self.requests(&mut lines);
        }
        lines.gap();
        self.failures(&mut lines);
        lines.gap();
        self.generator(&mut lines);
        lines.0
    }

    fn setting(&self, lines: &mut Lines) {
        lines.line("url", &self.args.url.to_string());
        lines.line("address", &self.run.address.to_string());
        let tally = &self.run.outcome.tally;
        if let Some(protocol) = protocol(self.args, &tally.terms) {
            lines.line("protocol", &protocol);
        }
        lines.line("connections", &connections(self.args));
        if let Some(handshakes) = handshakes(self.args, tally) {
            lines.line("handshakes", &handshakes);
        }
        if let Some(of) = self.datagrams() {
            lines.line("datagrams", &datagrams(&of));
        }
        if self.args.is_open_loop() {
            lines.line("arrivals", &arrivals(self.args));
        }
        if !self.args.amount.stages.is_empty() {
            lines.line("stages", &stages(self.args));
        }
        let early = if self.run.interrupted { ", interrupted" } else { "" };
        let warm_up_s = self.args.warm_up().as_secs_f64();
        let counted = format!("{:.2} s after {warm_up_s} s of warm-up{early}", self.duration_s());
        lines.line("counted", &counted);
    }

    fn throughput(&self, lines: &mut Lines, bold: bool) {
        let (on, off) = if bold { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
        let tally = &self.run.outcome.tally;
        let noun = if self.args.url.is_websocket { "messages" } else { "requests" };
        lines.line(noun, &grouped(tally.requests));
        let due = if self.args.is_open_loop() {
            format!(" of {} due", rate(self.due_per_s()))
        } else {
            String::new()
        };
        lines.line(&format!("{noun}/s"), &format!("{on}{}{off}{due}", rate(self.requests_per_s())));
        if let Some(events) = self.events() {
            let EventFigures { count, per_s, stalls, lost, doubled, out_of_order, .. } = events;
            lines.line("events", &grouped(count));
            lines.line("events/s", &rate(per_s));
            let [stalls, lost, doubled, late, altered] =
                [stalls, lost, doubled, out_of_order, events.altered].map(grouped);
            let faults = format!(
                "{stalls} stalls, {lost} lost, {doubled} doubled, {late} out of order, {altered} altered"
            );
            lines.line("", &faults);
            lines.line("streams", &format!("{} went on at the end", grouped(events.open)));
        }
        if let Some(RoomFigures { messages, unsent, per_s, reach, .. }) = self.rooms() {
            let heard = reach.map_or("–".into(), |reach| format!("{:.4} %", 100.0 * reach));
            let unsent = match unsent {
                0 => String::new(),
                unsent => format!(", {} never sent", grouped(unsent)),
            };
            let sent = format!("{} sent, {}/s", grouped(messages), rate(per_s));
            lines.line("to rooms", &format!("{sent}{unsent}, {heard} heard"));
        }
        if let (Some(held), Some(streams)) = (self.held(), self.args.request.held) {
            let EventFigures { per_s, stalls, .. } = held.events;
            let open =
                format!("{} of {} open at the end", grouped(held.open), grouped(streams as u64));
            lines.line(
                "held",
                &format!("{open}, {} events/s, {} stalls", rate(per_s), grouped(stalls)),
            );
            for (kind, count) in &held.errors {
                lines.line("", &format!("{:>9}  {}", grouped(*count), kind.words()));
            }
            if let Some(bad) = &held.first_bad {
                lines.line("", &format!("the first of them: {}", bad.detail));
            }
        }
        let counted = match tally.bytes_counted {
            0 => String::new(),
            counted => {
                format!(", of which {}/s were counted, not read", bytes(self.per_s(counted)))
            }
        };
        lines.line("transfer", &format!("{}/s{counted}", bytes(self.per_s(tally.bytes))));
    }

    fn summary(&self, lines: &mut Lines) {
        let heads = ["mean"].into_iter().chain(QUANTILES.map(|(name, _)| name));
        lines.row("latency", heads.map(str::to_owned));
        for (name, column) in self.columns() {
            let mean = cell(column, column.mean_us());
            let quantiles = QUANTILES.map(|(_, share)| cell(column, column.quantile_us(share)));
            lines.row(name, [mean].into_iter().chain(quantiles));
        }
    }

    fn distribution(&self, lines: &mut Lines) {
        let (count, columns) = (self.latency().count(), self.columns());
        lines.row("distribution", columns.iter().map(|(name, _)| name.trim().to_owned()));
        for (name, share) in percents(count) {
            let cells = columns.iter().map(|&(_, column)| cell(column, column.quantile_us(share)));
            lines.row(&format!("{name:>10} %"), cells);
        }
        if is_cut(count) {
            let count = grouped(count);
            lines.line("", &format!("{count} requests are too few for more percentiles"));
        }
    }

    /// The figures of each request of the request file.
    fn requests(&self, lines: &mut Lines) {
        let heads = ["requests", "errors", "mean", "p50", "p99"];
        lines.row("by request", heads.into_iter().map(str::to_owned));
        for (name, part) in self.parts() {
            let column = Column::of(part);
            let counts = [part.requests, part.errors.sum()].map(grouped);
            let mean = cell(column, column.mean_us());
            let quantiles = [0.5, 0.99].map(|share| cell(column, column.quantile_us(share)));
            let cells = counts.into_iter().chain([mean]).chain(quantiles);
            // Names have any length, so they come last.
            lines.line("", &format!("{}  {name}", joined(cells)));
        }
    }

    /// The existing latencies, with their names.
    fn columns(&self) -> Vec<(&'static str, Column<'_>)> {
        let mut columns = match self.service().zip(self.send_lag()) {
            None => vec![("", self.latency())],
            Some((service, send_lag)) => vec![
                ("  from due", self.latency()),
                ("  from sent", service),
                ("  sent late", send_lag),
            ],
        };
        if let Some(events) = self.run.outcome.tally.events.as_deref() {
            let column = |latencies| Column { latencies, misses: 0 };
            columns.push(("  first event", column(&events.first)));
            columns.push(("  gaps", column(&events.gaps)));
        }
        if let Some(held) = self.run.outcome.tally.held.as_deref() {
            columns.push(("  held gaps", Column { latencies: &held.events.gaps, misses: 0 }));
        }
        columns.extend(self.last_listener().map(|last| ("  to the last", last)));
        columns.extend(self.first_byte().map(|first_byte| ("  first byte", first_byte)));
        columns
    }

    fn failures(&self, lines: &mut Lines) {
        let tally = &self.run.outcome.tally;
        let errors = tally.errors.occurred();
        lines.line("errors", if errors.is_empty() { "none" } else { "" });
        for (kind, count) in &errors {
            lines.line("", &format!("{:>9}  {}", grouped(*count), kind.words()));
        }
        if let Some(bad) = &tally.first_bad {
            lines.line("first error", &format!("{}: {}", bad.kind.words(), bad.detail));
            for (name, message) in [("  request", &bad.request), ("  answer", &bad.response)] {
                for (index, text) in first_lines(message).iter().enumerate() {
                    lines.line(if index == 0 { name } else { "" }, text);
                }
            }
        }
        if tally.misses > 0 {
            let unsent = match tally.unsent {
                0 => String::new(),
                unsent => format!(" ({} were never sent)", grouped(unsent)),
            };
            let misses = grouped(tally.misses);
            lines.line("misses", &format!("{misses}{unsent}: requests without an answer count"));
            lines.line("", "as infinitely late, though not in the mean");
        }
        if tally.redirects > 0 {
            let redirects = grouped(tally.redirects);
            lines.line("redirects", &format!("{redirects} answers point elsewhere: not followed"));
        }
    }

    fn generator(&self, lines: &mut Lines) {
        let outcome = &self.run.outcome;
        let threads = match outcome.threads() {
            1 => "1 thread".into(),
            threads => format!("{threads} threads"),
        };
        let io = match self.run.io {
            Io::Uring => "io_uring",
            Io::Epoll => "epoll",
        };
        let cpu_us = self.client().cpu_us_per_request.unwrap_or_default();
        let busy = percent(outcome.busy());
        let cost = format!("{cpu_us:.2} µs of CPU per request, busy {busy} of the time");
        lines.line("generator", &format!("{threads}, {io}, {cost}"));
        if let Some(Ceiling { requests_per_s, share }) = self.ceiling() {
            let (most, share) = (rate(requests_per_s), percent(share));
            let ceiling =
                format!("{most} requests/s against its null server: this run had {share} of that");
            lines.line("ceiling", &ceiling);
        }
        if let Some(Err(why)) = &self.run.ceiling {
            lines.line("ceiling", &format!("not known: {why}"));
        }
        lines.line("limited by", &self.limit().words());
    }
}

/// A latency of a column: ∞ if it is among the misses, – if there are no requests.
fn cell(column: Column<'_>, us: Option<f64>) -> String {
    match us {
        Some(us) => time(us),
        None if column.count() > 0 => "∞".into(),
        None => "–".into(),
    }
}
