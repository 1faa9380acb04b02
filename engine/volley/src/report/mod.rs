//! The output of `volley load`: while it runs ([`intervals`]) and at the end ([`Report`]).

pub mod intervals;
mod latency;
mod limit;
mod scale;
mod setting;
#[cfg(test)]
mod tests;
mod text;

use crate::cli::{LoadArgs, nanoseconds};
use latency::Column;
use volley_load::by_request::RequestTally;
use volley_load::events::EventTally;
use volley_load::figures::{
    Agreement, Ceiling, Client, DatagramFigures, EventFigures, Figures, HeldFigures, Mode,
    RequestFigures, RoomFigures, Schema,
};
use volley_load::held::HeldTally;
use volley_load::histogram::Latencies;
use volley_load::rooms::RoomTally;
use volley_load::slice::Outcome;
use volley_net::clock::S;
use volley_net::{Address, Io};

/// The result of a run, and its settings.
#[derive(Debug)]
pub struct Run {
    /// The measurement.
    pub outcome: Outcome,
    /// How the threads did I/O.
    pub io: Io,
    /// The target.
    pub address: Address,
    /// The names of the requests in the request file; empty without one.
    pub names: Vec<String>,
    /// Requests per second of the same generator against its null server, if requested; or why they
    /// are unknown.
    pub ceiling: Option<Result<f64, String>>,
    /// The user stopped it early.
    pub interrupted: bool,
}

/// A run, to be printed.
#[derive(Debug)]
pub struct Report<'a> {
    args: &'a LoadArgs,
    run: Run,
    first_byte: Option<Latencies>,
}

impl<'a> Report<'a> {
    /// The options of a run and its outcome.
    pub fn new(args: &'a LoadArgs, run: Run) -> Self {
        let tally = &run.outcome.tally;
        let first_byte = tally.first_bytes.of_all(&tally.latencies);
        Self { args, run, first_byte }
    }

    /// One line of JSON.
    pub fn json(&self) -> String {
        self.figures().line()
    }

    fn figures(&self) -> Figures {
        let Self { args, run, .. } = self;
        let tally = &run.outcome.tally;
        Figures {
            schema: Schema::Load2,
            personality: None,
            url: args.url.to_string(),
            requests: tally.requests,
            duration_s: self.duration_s(),
            requests_per_s: self.requests_per_s(),
            bytes_per_s: self.per_s(tally.bytes),
            counted_bytes_per_s: Some(self.per_s(tally.bytes_counted)),
            latency_us: self.latency().figures(),
            first_byte_us: self.first_byte().and_then(|column| column.figures()),
            events: self.events(),
            rooms: self.rooms(),
            held: self.held(),
            service_us: self.service().and_then(|service| service.figures()),
            send_lag_us: self.send_lag().and_then(|send_lag| send_lag.figures()),
            errors: tally.errors.occurred(),
            misses: Some(tally.misses),
            unsent: Some(tally.unsent),
            redirects: Some(tally.redirects),
            connects: tally.connects,
            protocol: Some(args.scheme()),
            streams: args.scheme().has_streams().then_some(args.speaking.streams),
            agreed: Agreement::of(&tally.terms),
            datagrams: self.datagrams(),
            handshakes: Some(tally.handshakes),
            handshake_mean_us: tally.handshake_mean_us(),
            resumed: Some(tally.resumed),
            early_accepted: args.speaking.early_data.then_some(tally.early_accepted),
            early_rejected: args.speaking.early_data.then_some(tally.early_rejected),
            first_bad: tally.first_bad.clone(),
            by_request: self.by_request(),
            client: self.client(),
            little: self.little(),
            limited_by: self.limit().by(),
            ceiling: self.ceiling(),
            mode: if args.is_open_loop() { Mode::Open } else { Mode::Closed },
            connections: args.connections(),
            rate: args.mean_rate(),
            io: run.io,
        }
    }

    /// `None` if no datagrams are used.
    fn datagrams(&self) -> Option<DatagramFigures> {
        let outcome = &self.run.outcome;
        let datagrams = outcome.tally.datagrams.as_ref()?;
        Some(DatagramFigures::of(datagrams, outcome.tally.requests_all, outcome.dropped))
    }

    fn events(&self) -> Option<EventFigures> {
        if !self.args.checks.events {
            return None;
        }
        let nothing = EventTally::default();
        Some(self.of_events(self.run.outcome.tally.events.as_deref().unwrap_or(&nothing)))
    }

    fn of_events(&self, tally: &EventTally) -> EventFigures {
        let EventTally { events, first, gaps, open, faults, .. } = tally;
        let of = |latencies| Column { latencies, misses: 0 }.figures();
        EventFigures {
            count: *events,
            per_s: self.per_s(*events),
            first_us: of(first),
            gap_us: of(gaps),
            stalls: gaps.count_from(nanoseconds(self.args.checks.stall)),
            lost: faults.lost,
            doubled: faults.doubled,
            out_of_order: faults.out_of_order,
            altered: faults.altered,
            open: *open,
        }
    }

    fn held(&self) -> Option<HeldFigures> {
        let HeldTally { open, opened, ended, events, errors, first_bad } =
            self.run.outcome.tally.held.as_deref()?;
        Some(HeldFigures {
            open: *open,
            opened: *opened,
            ended: *ended,
            events: self.of_events(events),
            errors: errors.occurred(),
            first_bad: first_bad.clone(),
        })
    }

    fn rooms(&self) -> Option<RoomFigures> {
        let &RoomTally { messages, unsent, due, heard, .. } =
            self.run.outcome.tally.rooms.as_deref()?;
        Some(RoomFigures {
            messages,
            unsent,
            per_s: self.per_s(messages),
            last_us: self.last_listener().and_then(|column| column.figures()),
            reach: (due > 0).then(|| heard as f64 / due as f64),
        })
    }

    /// In rooms: until the last listener has heard a message.
    fn last_listener(&self) -> Option<Column<'_>> {
        let RoomTally { messages, unsent, last, .. } = self.run.outcome.tally.rooms.as_deref()?;
        Some(Column { latencies: last, misses: messages + unsent - last.count() })
    }

    /// `None`: there is no request file, or it has too many requests to count each.
    fn by_request(&self) -> Option<Vec<RequestFigures>> {
        let parts: Vec<RequestFigures> = self
            .parts()
            .map(|(name, part)| RequestFigures {
                name: name.to_owned(),
                requests: part.requests,
                latency_us: Column::of(part).figures(),
                first_byte_us: part.first_bytes.of_all(&part.latencies).and_then(|latencies| {
                    Column { latencies: &latencies, misses: part.misses }.figures()
                }),
                errors: part.errors.occurred(),
                misses: part.misses,
            })
            .collect();
        (!parts.is_empty()).then_some(parts)
    }

    /// The requests of the request file that were counted, with their names.
    fn parts(&self) -> impl Iterator<Item = (&str, &RequestTally)> {
        self.run.names.iter().map(String::as_str).zip(self.run.outcome.tally.by_request.tallies())
    }

    fn client(&self) -> Client {
        let outcome = &self.run.outcome;
        Client::new(outcome.cpu_ns, outcome.tally.requests, outcome.busy(), outcome.threads())
    }

    /// Right answers, warm-up and drain included.
    pub fn right(&self) -> u64 {
        self.run.outcome.tally.right()
    }

    /// Whether the user stopped it early.
    pub fn interrupted(&self) -> bool {
        self.run.interrupted
    }

    fn duration_s(&self) -> f64 {
        self.run.outcome.duration_ns() as f64 / S as f64
    }

    fn per_s(&self, count: u64) -> f64 {
        let duration_s = self.duration_s();
        if duration_s > 0.0 { count as f64 / duration_s } else { 0.0 }
    }

    fn requests_per_s(&self) -> f64 {
        self.per_s(self.run.outcome.tally.requests)
    }

    /// Open loop: how many requests were due in the window, per second.
    fn due_per_s(&self) -> f64 {
        let tally = &self.run.outcome.tally;
        self.per_s(tally.latencies.count() + tally.misses)
    }

    /// The generator's own limit, and the run's rate as a share of it.
    fn ceiling(&self) -> Option<Ceiling> {
        let requests_per_s = *self.run.ceiling.as_ref()?.as_ref().ok()?;
        Some(Ceiling { requests_per_s, share: self.requests_per_s() / requests_per_s })
    }

    /// Places for requests in flight, on all connections: if the server takes fewer streams at a
    /// time than requested, that many.
    fn places(&self) -> f64 {
        let announced = self.run.outcome.tally.terms.announced;
        let most = announced.and_then(|announced| announced.max_concurrent_streams);
        let depth = self.args.depth() as f64;
        self.args.connections() as f64 * most.map_or(depth, |most| depth.min(most.into()))
    }

    /// How much of the time places for requests were taken: Little's law without its borders, at
    /// which requests begin in the window or end in it, but not both. The rest up to 1 is time in
    /// which places were free, because the generator was busy or had no connection. `None` if not
    /// all are meant to be taken.
    fn little(&self) -> Option<f64> {
        if self.args.is_open_loop() || !self.args.amount.stages.is_empty() {
            return None;
        }
        let outcome = &self.run.outcome;
        let in_flight_ns = outcome.tally.in_flight_ns as f64;
        let places_ns = outcome.duration_ns() as f64 * self.places();
        (in_flight_ns > 0.0).then(|| in_flight_ns / places_ns)
    }

    /// The headline: in open loop from the time when a request was due, else from its sending.
    fn latency(&self) -> Column<'_> {
        let tally = &self.run.outcome.tally;
        Column { latencies: &tally.latencies, misses: tally.misses }
    }

    /// The same up to the first byte of the answer's body, unless it comes with the end.
    fn first_byte(&self) -> Option<Column<'_>> {
        let misses = self.run.outcome.tally.misses;
        self.first_byte.as_ref().map(|latencies| Column { latencies, misses })
    }

    /// Open loop: from the sending, for the requests that were sent.
    fn service(&self) -> Option<Column<'_>> {
        let tally = &self.run.outcome.tally;
        let misses = tally.misses - tally.unsent;
        self.args.is_open_loop().then_some(Column { latencies: &tally.service, misses })
    }

    /// Open loop: from the time when a request was due to its sending.
    fn send_lag(&self) -> Option<Column<'_>> {
        let tally = &self.run.outcome.tally;
        // A message to a room is sent once.
        let unsent = tally.rooms.as_deref().map_or(tally.unsent, |rooms| rooms.unsent);
        let lag = Column { latencies: &tally.send_lag, misses: unsent };
        self.args.is_open_loop().then_some(lag)
    }
}
