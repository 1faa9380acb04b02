//! Packets under way: they leave in the order in which they came, after their delay, or not at all.

use hdrhistogram::Histogram;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Serialize;
use std::collections::VecDeque;

/// How many packets may be under way: 25 MB of the largest, or 10 ms of 800,000 a second.
const PLACES: usize = 16_384;

/// Latenesses above this, in ns, are counted as this.
const LATE_AT_MOST_NS: u64 = 60_000_000_000;

/// The delay and loss of a line.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// How long each packet takes.
    pub delay_ns: u64,
    /// The share of packets that is lost. Each packet is lost independently.
    pub loss: f64,
    /// The seed of the losses: equal seeds lose the same packets.
    pub seed: u64,
}

/// A queue of packets, each with the time when it is due.
#[derive(Debug)]
pub struct Line {
    terms: Terms,
    draw: Xoshiro256PlusPlus,
    under_way: VecDeque<Packet>,
    spare: Vec<Vec<u8>>,
    seen: Seen,
}

#[derive(Debug)]
struct Packet {
    due_ns: u64,
    bytes: Vec<u8>,
}

#[derive(Debug)]
struct Seen {
    forwarded: u64,
    lost: u64,
    overrun: u64,
    most: usize,
    late_ns: Histogram<u32>,
}

/// The counts of a line since they were last taken. A packet's lateness is the time since it was
/// due.
#[derive(Debug, PartialEq, Serialize)]
pub struct Figures {
    /// Packets that came out.
    pub forwarded: u64,
    /// Packets that were lost as planned.
    pub lost: u64,
    /// Packets that found no place.
    pub overrun: u64,
    /// The most packets that were under way at a time.
    pub most: usize,
    /// The median lateness.
    pub late_p50_us: f64,
    /// The lateness that 99 % of the packets do not exceed.
    pub late_p99_us: f64,
    /// The largest lateness.
    pub late_max_us: f64,
}

impl Line {
    /// An empty line.
    pub fn new(terms: Terms) -> Self {
        let draw = Xoshiro256PlusPlus::seed_from_u64(terms.seed);
        let under_way = VecDeque::with_capacity(PLACES);
        Self { terms, draw, under_way, spare: Vec::new(), seen: Seen::new() }
    }

    /// Takes a packet that came at `now_ns`, which never decreases.
    pub fn take(&mut self, now_ns: u64, packet: &[u8]) {
        if self.terms.loss > 0.0 && self.draw.random::<f64>() < self.terms.loss {
            self.seen.lost += 1;
        } else if self.under_way.len() == PLACES {
            self.seen.overrun += 1;
        } else {
            let mut bytes = self.spare.pop().unwrap_or_default();
            bytes.clear();
            bytes.extend_from_slice(packet);
            self.under_way.push_back(Packet { due_ns: now_ns + self.terms.delay_ns, bytes });
            self.seen.most = self.seen.most.max(self.under_way.len());
        }
    }

    /// When the next packet is due.
    pub fn due_ns(&self) -> Option<u64> {
        self.under_way.front().map(|packet| packet.due_ns)
    }

    /// Gives the next packet to `send` if it is due, and returns the result of `send`.
    pub fn give<T>(&mut self, now_ns: u64, send: impl FnOnce(&[u8]) -> T) -> Option<T> {
        let packet = self.under_way.pop_front_if(|packet| packet.due_ns <= now_ns)?;
        self.seen.forwarded += 1;
        self.seen.late_ns.saturating_record(now_ns - packet.due_ns);
        let result = send(&packet.bytes);
        self.spare.push(packet.bytes);
        Some(result)
    }

    /// The counts since they were last taken.
    pub fn figures(&mut self) -> Figures {
        let seen = std::mem::replace(&mut self.seen, Seen::new());
        let late_us = |quantile| seen.late_ns.value_at_quantile(quantile) as f64 / 1e3;
        Figures {
            forwarded: seen.forwarded,
            lost: seen.lost,
            overrun: seen.overrun,
            most: seen.most,
            late_p50_us: late_us(0.5),
            late_p99_us: late_us(0.99),
            late_max_us: late_us(1.0),
        }
    }
}

impl Seen {
    fn new() -> Self {
        let late_ns = Histogram::new_with_bounds(1, LATE_AT_MOST_NS, 2)
            .expect("two digits between these bounds are a histogram");
        Self { forwarded: 0, lost: 0, overrun: 0, most: 0, late_ns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(delay_ns: u64, loss: f64, seed: u64) -> Line {
        Line::new(Terms { delay_ns, loss, seed })
    }

    /// The content of a packet of these tests.
    fn number(packet: &[u8]) -> usize {
        usize::from_ne_bytes(packet.try_into().unwrap())
    }

    /// The numbers of those packets of `count` that come out.
    fn passed(loss: f64, seed: u64, count: usize) -> Vec<usize> {
        let mut line = line(0, loss, seed);
        let out = |at: usize| {
            line.take(0, &at.to_ne_bytes());
            line.give(0, number)
        };
        (0..count).filter_map(out).collect()
    }

    proptest! {
        /// Packets come at `gaps`; the line is polled at each of `looks` after them.
        #[test]
        fn packets_come_out_in_their_order_and_not_before_they_are_due(
            gaps in prop::collection::vec(0_u64..50, 1..200),
            looks in prop::collection::vec(0_u64..100, 0..200),
            delay_ns in 0_u64..1000,
        ) {
            let mut line = line(delay_ns, 0.0, 1);
            let (mut now_ns, mut came) = (0, Vec::new());
            for (number, gap) in gaps.iter().enumerate() {
                now_ns += gap;
                came.push(now_ns);
                line.take(now_ns, &number.to_ne_bytes());
            }
            let mut out = 0;
            for look in looks.into_iter().chain([delay_ns]) {
                now_ns += look;
                while let Some(number) = line.give(now_ns, number) {
                    prop_assert_eq!(number, out);
                    prop_assert!(now_ns >= came[out] + delay_ns);
                    out += 1;
                }
                prop_assert_eq!(line.due_ns(), came.get(out).map(|at| at + delay_ns));
            }
            prop_assert_eq!(out, came.len());
            let figures = line.figures();
            prop_assert_eq!((figures.forwarded, figures.lost, figures.overrun), (out as u64, 0, 0));
        }

        #[test]
        fn a_seed_says_which_packets_are_lost_and_how_many_are(
            seed: u64, loss in 0.0_f64..0.5,
        ) {
            const COUNT: usize = 2_000;
            let once = passed(loss, seed, COUNT);
            prop_assert_eq!(&once, &passed(loss, seed, COUNT));
            let (lost, planned) = ((COUNT - once.len()) as f64, COUNT as f64 * loss);
            let sd = (planned * (1.0 - loss)).sqrt();
            prop_assert!((lost - planned).abs() <= 6.0 * sd + 1.0, "{lost}");
        }
    }

    #[test]
    fn a_full_line_drops_and_counts_what_comes() {
        let mut line = line(1, 0.0, 1);
        for _ in 0..PLACES + 3 {
            line.take(0, b"packet");
        }
        while line.give(1, |_| ()).is_some() {}
        let figures = line.figures();
        assert_eq!((figures.forwarded, figures.overrun, figures.most), (PLACES as u64, 3, PLACES));
    }

    #[test]
    fn figures_are_those_since_they_were_asked_for() {
        let mut line = line(1_000, 0.0, 1);
        line.take(0, b"late");
        line.give(3_000, |_| ());
        let figures = line.figures();
        assert_eq!(figures.forwarded, 1);
        assert!((1.9..=2.1).contains(&figures.late_p50_us), "{figures:?}");
        assert_eq!(line.figures().forwarded, 0);
    }
}
