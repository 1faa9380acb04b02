//! ab's report as an HTML table.

use super::options::{Attributes, Options};
use super::outcome::Outcome;
use super::record::Record;
use super::statistics::round_ms;
use std::fmt::Write as _;

/// The report.
pub(super) fn table(options: &Options, tags: &Attributes, outcome: &Outcome) -> String {
    let mut table = format!("\n\n<table {}>\n", tags.table);
    let Attributes { row, cell, .. } = tags;
    for (label, value) in rows(options, outcome) {
        let label = match label {
            FAILURES => {
                let _ = writeln!(table, "<tr {row}><td colspan=4 {cell} >   {value}</td></tr>");
                continue;
            }
            MORE => format!("<td colspan=2 {cell}>&nbsp;</td>"),
            label => format!("<th colspan=2 {cell}>{label}:</th>"),
        };
        let _ = writeln!(table, "<tr {row}>{label}<td colspan=2 {cell}>{value}</td></tr>");
    }
    if !outcome.records.is_empty() {
        table.push_str(&times(tags, &outcome.records));
    }
    table.push_str("</table>\n");
    table
}

/// The row that consists of its value alone.
const FAILURES: &str = "Failures";

/// A row that continues the one above.
const MORE: &str = "";

/// Labels and values.
fn rows(options: &Options, outcome: &Outcome) -> Vec<(&'static str, String)> {
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let length = format!("{} bytes", outcome.document_bytes);
    let mut rows = vec![
        ("Server Software", lossy(&outcome.server)),
        ("Server Hostname", options.url.host.clone()),
        ("Server Port", options.url.port.to_string()),
        ("Document Path", lossy(&options.url.path)),
        ("Document Length", if options.any_length { "Variable".to_owned() } else { length }),
        ("Concurrency Level", options.connections.to_string()),
        ("Time taken for tests", format!("{:.3} seconds", outcome.duration_s())),
        ("Complete requests", outcome.records.len().to_string()),
        ("Failed requests", outcome.bad.to_string()),
    ];
    if outcome.bad > 0 {
        let Outcome { connect_errors, length_errors, exceptions, .. } = outcome;
        rows.push((
            FAILURES,
            format!(
                "(Connect: {connect_errors}, Length: {length_errors}, Exceptions: {exceptions})"
            ),
        ));
    }
    if outcome.non_2xx > 0 {
        rows.push(("Non-2xx responses", outcome.non_2xx.to_string()));
    }
    if options.keep_alive {
        rows.push(("Keep-Alive requests", outcome.kept_alive.to_string()));
    }
    rows.push(("Total transferred", format!("{} bytes", outcome.read_bytes)));
    if options.body.is_some() {
        rows.push(("Total body sent", outcome.sent_bytes.to_string()));
    }
    rows.push(("HTML transferred", format!("{} bytes", outcome.body_bytes)));
    rows.extend(rates(options, outcome));
    rows
}

fn rates(options: &Options, outcome: &Outcome) -> Vec<(&'static str, String)> {
    let duration_s = outcome.duration_s();
    if duration_s == 0.0 {
        return vec![];
    }
    let rate = |bytes: u64, what| format!("{:.2} kb/s {what}", bytes as f64 / 1024.0 / duration_s);
    let requests_per_s = outcome.records.len() as f64 / duration_s;
    let mut rows = vec![
        ("Requests per second", format!("{requests_per_s:.2}")),
        ("Transfer rate", rate(outcome.read_bytes, "received")),
    ];
    if options.body.is_some() {
        rows.push((MORE, rate(outcome.sent_bytes, "sent")));
        rows.push((MORE, rate(outcome.read_bytes + outcome.sent_bytes, "total")));
    }
    rows
}

/// The times of at least one record. For the time between connecting and the total, ab subtracts
/// the extremes.
fn times(tags: &Attributes, records: &[Record]) -> String {
    let Attributes { row, cell, .. } = tags;
    let connect = extremes(records, |record| record.connect_us);
    let total = extremes(records, |record| record.total_us);
    let processing = [0, 1, 2].map(|at| total[at] - connect[at]);
    let mut text = format!(
        "<tr {row}><th {cell} colspan=4>Connection Times (ms)</th></tr>\n\
         <tr {row}><th {cell}>&nbsp;</th> <th {cell}>min</th>   <th {cell}>avg</th>   \
         <th {cell}>max</th></tr>\n"
    );
    for (label, [min, mean, max]) in
        [("Connect", connect), ("Processing", processing), ("Total", total)]
    {
        let _ = writeln!(
            text,
            "<tr {row}><th {cell}>{label}:</th><td {cell}>{min:5}</td><td {cell}>{mean:5}</td>\
             <td {cell}>{max:5}</td></tr>"
        );
    }
    text
}

/// Minimum, mean and maximum in ms; the mean is that of a sum in whole ms.
fn extremes(records: &[Record], us: impl Fn(&Record) -> i64) -> [i64; 3] {
    let least = records.iter().map(&us).min().unwrap_or_default();
    let most = records.iter().map(&us).max().unwrap_or_default();
    let sum_ms = round_ms(records.iter().map(&us).sum());
    [round_ms(least), sum_ms / records.len().cast_signed() as i64, round_ms(most)]
}

#[cfg(test)]
mod tests {
    use super::super::arguments::tests::options;
    use super::*;

    fn record(connect_us: i64, total_us: i64) -> Record {
        Record { connect_us, total_us, ..Record::default() }
    }

    #[test]
    fn the_table_is_ab_s() {
        let options = options("-x T -y R -z C -p /dev/null http://localhost:81/x");
        let outcome = Outcome {
            records: vec![record(1400, 2000), record(4000, 5000)],
            last_us: 40_000,
            server: b"Foo/1.0".to_vec(),
            document_bytes: 5,
            bad: 6,
            connect_errors: 1,
            receive_errors: 2,
            length_errors: 3,
            read_bytes: 4096,
            body_bytes: 10,
            sent_bytes: 2048,
            ..Outcome::default()
        };
        let plain = |label: &str, value: &str| {
            format!("<tr R><th colspan=2 C>{label}:</th><td colspan=2 C>{value}</td></tr>\n")
        };
        let more = |value: &str| {
            format!("<tr R><td colspan=2 C>&nbsp;</td><td colspan=2 C>{value}</td></tr>\n")
        };
        let expected = [
            "\n\n<table T>\n".to_owned(),
            plain("Server Software", "Foo/1.0"),
            plain("Server Hostname", "localhost"),
            plain("Server Port", "81"),
            plain("Document Path", "/x"),
            plain("Document Length", "5 bytes"),
            plain("Concurrency Level", "1"),
            plain("Time taken for tests", "0.040 seconds"),
            plain("Complete requests", "2"),
            plain("Failed requests", "6"),
            "<tr R><td colspan=4 C >   (Connect: 1, Length: 3, Exceptions: 0)</td></tr>\n".into(),
            plain("Total transferred", "4096 bytes"),
            plain("Total body sent", "2048"),
            plain("HTML transferred", "10 bytes"),
            plain("Requests per second", "50.00"),
            plain("Transfer rate", "100.00 kb/s received"),
            more("50.00 kb/s sent"),
            more("150.00 kb/s total"),
            "<tr R><th C colspan=4>Connection Times (ms)</th></tr>\n".into(),
            "<tr R><th C>&nbsp;</th> <th C>min</th>   <th C>avg</th>   <th C>max</th></tr>\n"
                .into(),
            "<tr R><th C>Connect:</th><td C>    1</td><td C>    2</td><td C>    4</td></tr>\n"
                .into(),
            "<tr R><th C>Processing:</th><td C>    1</td><td C>    1</td><td C>    1</td></tr>\n"
                .into(),
            "<tr R><th C>Total:</th><td C>    2</td><td C>    3</td><td C>    5</td></tr>\n".into(),
            "</table>\n".into(),
        ];
        let tags = options.html.as_ref().unwrap();
        assert_eq!(table(&options, tags, &outcome), expected.concat());
    }
}
