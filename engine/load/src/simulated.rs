//! Turns over a kernel of a few lines: it sends a request when that is handed over, and then has
//! its answer at once. Its time is counted in writes, so that what it shows depends on no speed.

use crate::pace::{Pace, Pacer, Window};
use crate::pool::{Flight, Pool, Share};
use crate::schedule::{Process, Profile, Shape, Stage};
use crate::scheme::Scheme;
use crate::tally::Tally;
use crate::target::Target;
use crate::turn::{Turn, WRITTEN_AT_ONCE};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use std::collections::VecDeque;
use std::io::Result;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use volley_net::clock::{MS, S, now_ns};
use volley_net::socket::Opened;
use volley_net::{
    Address, Backend, EVENTS_AT_ONCE, Event, Patience, Route, SocketBuffers, Sources, What,
};
use volley_protocol::{BodyRule, Expectation, Http1, Request, StatusRule};
use volley_requests::Book;

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK";
const COUNT: usize = 1000;

/// The kernel, and the server.
#[derive(Default)]
struct Simulated {
    /// Requests written so far.
    written: usize,
    /// Slots whose requests the kernel has not seen, and how many were written up to each.
    queued: Vec<(usize, usize)>,
    answers: VecDeque<(usize, usize)>,
    /// For each answer: how many other requests were written after its own, until it was handled.
    waits: Vec<usize>,
    /// Whether something seems to follow each answer.
    more: bool,
}

impl Backend for Simulated {
    type Piece = ();

    fn listen(&mut self, _: OwnedFd) -> std::result::Result<(), Errno> {
        unreachable!()
    }

    fn accepted(&mut self) -> Option<std::result::Result<OwnedFd, Errno>> {
        unreachable!()
    }

    fn connect(
        &mut self,
        slot: usize,
        _: &Route,
        _: u64,
        first: Option<Range<usize>>,
    ) -> std::result::Result<bool, Errno> {
        if let Some(part) = first {
            self.send(slot, part);
        }
        Ok(true)
    }

    fn open(&mut self, _: usize, _: Opened) -> std::result::Result<(), Errno> {
        unreachable!()
    }

    fn send(&mut self, slot: usize, _: Range<usize>) {
        self.written += 1;
        self.queued.push((slot, self.written));
    }

    fn send_part_of(&mut self, _: usize, _: Arc<[u8]>, _: Range<usize>) {
        unreachable!()
    }

    fn end_sending(&mut self, _: usize) {}

    fn close(&mut self, slot: usize) {
        self.queued.retain(|&(queued, _)| queued != slot);
        self.answers.retain(|&(answered, _)| answered != slot);
    }

    fn close_when_sent(&mut self, _: usize) {}

    fn retire(&mut self, _: usize) {}

    fn close_retired(&mut self) -> Result<()> {
        Ok(())
    }

    fn hand_over(&mut self) -> Result<()> {
        self.answers.extend(self.queued.drain(..));
        Ok(())
    }

    fn turn(&mut self) -> Result<()> {
        self.hand_over()
    }

    fn has_news(&mut self) -> Result<bool> {
        Ok(!self.answers.is_empty())
    }

    fn wait(&mut self, timeout_ns: u64) -> Result<()> {
        assert!(timeout_ns < S, "it sleeps, though there is something to write");
        std::thread::sleep(Duration::from_nanos(timeout_ns));
        Ok(())
    }

    fn next(&mut self) -> Option<Event<()>> {
        let (slot, written) = self.answers.pop_front()?;
        self.waits.push(self.written - written);
        Some(Event { slot, what: What::Bytes { piece: (), more: self.more } })
    }

    fn bytes<'a>(&'a self, (): &'a ()) -> &'a [u8] {
        ANSWER
    }

    fn bytes_mut<'a>(&'a mut self, (): &'a mut ()) -> &'a mut [u8] {
        unreachable!()
    }

    fn release(&mut self, (): ()) {}
}

fn target(connections: usize, requests_per_connection: Option<u64>) -> Arc<Target> {
    let request = Request {
        method: "GET".to_owned(),
        path: "/".into(),
        host: "test".into(),
        ..Request::default()
    };
    let status = Expectation::of_status(StatusRule::Exactly(200));
    let expectation = Expectation { body: BodyRule::Exactly(b"OK".to_vec()), ..status };
    Arc::new(Target {
        route: Route {
            address: Address::Tcp(([127, 0, 0, 1], 1).into()),
            sources: Sources::System,
            connect_timeout_ns: 10 * S,
            buffers: SocketBuffers::default(),
            delays_acks: false,
        },
        scheme: Scheme::H1,
        tls: None,
        books: vec![Arc::new(Book::of(&request, expectation, 1).unwrap())],
        connections,
        room: None,
        first_room: 0,
        held: 0,
        requests_per_connection,
        pipeline: 1,
        request_timeout_ns: 10 * S,
        counts_bodies: false,
    })
}

type Simulation = Pool<Simulated, Http1<Flight>>;

const SHARE: Share = Share { thread: 0, threads: 1 };

fn pool(target: &Arc<Target>, simulated: Simulated) -> Simulation {
    Pool::new(target, SHARE, |_, _| Ok(simulated)).unwrap()
}

/// A load that began two seconds ago and has written nothing yet.
fn begin<'a>(pool: &'a mut Simulation, pace: &Pace) -> Turn<'a, Simulated, Http1<Flight>> {
    let units = pool.target.units();
    let mut turn = Turn::new(pool, Patience::SLEEPS, Tally::default());
    if !turn.pool.is_one_shot() {
        turn.open(0..units).unwrap();
    }
    let begin_ns = now_ns() - 2 * S;
    turn.window = Window { start_ns: begin_ns, end_ns: u64::MAX };
    turn.pacer = Pacer::new(pace, SHARE, units, begin_ns);
    turn.kick_off();
    turn
}

/// One turn: it writes a request for each answer that it handles, and a few more.
fn step(turn: &mut Turn<'_, Simulated, Http1<Flight>>) {
    let (written, handled) = (turn.pool.io.written, turn.pool.io.waits.len());
    turn.step(u64::MAX).unwrap();
    let (written, handled) = (turn.pool.io.written - written, turn.pool.io.waits.len() - handled);
    assert!(handled <= EVENTS_AT_ONCE, "{handled} answers");
    assert!(written <= handled + WRITTEN_AT_ONCE, "{written} writes behind {handled} answers");
}

/// A load of so many requests, and the kernel behind it.
fn run(mut pool: Simulation, pace: &Pace, count: usize) -> (Tally, Simulated) {
    let mut turn = begin(&mut pool, pace);
    turn.allowance = count as u64;
    while turn.tally.requests_all < count as u64 || turn.pool.active() > 0 {
        step(&mut turn);
    }
    let tally = turn.tally;
    assert_eq!((tally.errors.sum(), tally.misses), (0, 0));
    assert_eq!((tally.requests_all, pool.io.waits.len()), (count as u64, count));
    assert_eq!(pool.active(), 0);
    (tally, pool.io)
}

fn stage(duration_ns: u64, level: usize) -> Stage {
    Stage { duration_ns, from: level as f64, to: level as f64 }
}

/// All of [`COUNT`] requests have been due for more than a second.
fn burst() -> Pace {
    let (rate, burst) = (Profile::new(vec![stage(S, COUNT)]), COUNT as u64);
    Pace::Open(Process { rate, shape: Shape::Uniform, burst, seed: 1, phase: 0.5 })
}

/// No answer waits for the rest of the burst, not even the answer to its first request. That is as
/// near as it comes to a single request, behind which nothing is written.
#[test]
fn answers_do_not_wait_until_a_burst_is_written() {
    for (connections, requests_per_connection) in [(COUNT, None), (COUNT, Some(1)), (100, None)] {
        let target = target(connections, requests_per_connection);
        let (_, kernel) = run(pool(&target, Simulated::default()), &burst(), COUNT);
        let most = kernel.waits.iter().max().unwrap();
        assert!(*most < WRITTEN_AT_ONCE, "{most} writes, {connections} connections");
    }
}

/// In a closed loop answers wait for those before them, of which each causes a request, but not for
/// the first requests of all connections.
#[test]
fn answers_do_not_wait_until_all_connections_have_begun() {
    for pace in [Pace::Closed, Pace::Stages(Profile::new(vec![stage(S, COUNT)]))] {
        for requests_per_connection in [None, Some(1)] {
            let target = target(COUNT, requests_per_connection);
            let (_, kernel) = run(pool(&target, Simulated::default()), &pace, COUNT);
            assert_eq!(kernel.waits[0], WRITTEN_AT_ONCE - 1);
            run(pool(&target, Simulated::default()), &pace, 3 * COUNT);
        }
    }
}

#[test]
fn answers_do_not_wait_until_the_connections_of_a_stage_have_begun() {
    let level = |level| Pace::Stages(Profile::new(vec![stage(S, level)]));
    for requests_per_connection in [None, Some(1)] {
        let mut pool = pool(&target(COUNT, requests_per_connection), Simulated::default());
        let mut turn = begin(&mut pool, &level(1));
        step(&mut turn);
        assert_eq!(turn.pool.active(), 1);
        turn.pacer = Pacer::new(&level(COUNT), SHARE, COUNT, 0);
        turn.next_alarm_ns = 0;
        while turn.pool.active() < COUNT {
            step(&mut turn);
        }
    }
}

/// Something seemed to follow each answer, which was complete, but nothing came: the connection is
/// replaced, which is not counted as an error, and the next request goes on.
#[test]
fn silence_behind_an_answer_loses_no_request() {
    let silent = Simulated { more: true, ..Simulated::default() };
    let mut target = target(1, None);
    Arc::get_mut(&mut target).unwrap().request_timeout_ns = 5 * MS;
    let (tally, kernel) = run(pool(&target, silent), &Pace::Closed, 3);
    assert_eq!((kernel.written, tally.connects), (3, 3));
}
