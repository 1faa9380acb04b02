//! When a connection sends: at a constant rate, independent of the answers, as far as one
//! connection can. While it is behind, it sends at twice that rate, counted from when it was last
//! on time.

use volley_net::clock::S;

/// One connection's schedule. Times are in ns.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    begin_ns: u64,
    /// The time between two requests.
    interval_ns: f64,
    /// Answers so far.
    complete: u64,
    /// Unless it has to wait: since when it is behind, and how many answers there had been. A
    /// connection that sends on time is behind until the answer arrives.
    behind: Option<(u64, u64)>,
}

impl Schedule {
    /// The first request is due at the beginning.
    pub(crate) fn new(begin_ns: u64, rate_per_s: f64) -> Self {
        Self { begin_ns, interval_ns: S as f64 / rate_per_s, complete: 0, behind: None }
    }

    /// When the next request may be sent: `now_ns` or earlier means at once.
    pub(crate) fn next_ns(&mut self, now_ns: u64) -> u64 {
        let due_ns = self.due_ns();
        if due_ns > now_ns {
            self.behind = None;
            return due_ns;
        }
        let (since_ns, complete) = *self.behind.get_or_insert((now_ns, self.complete));
        // The rate is doubled until it has caught up.
        since_ns.saturating_add(stretch(self.complete - complete, self.interval_ns / 2.0))
    }

    /// When the next request is due, whether or not it can be sent.
    pub(crate) fn due_ns(&self) -> u64 {
        self.begin_ns.saturating_add(stretch(self.complete, self.interval_ns))
    }

    /// Counts an answer.
    pub(crate) fn complete(&mut self) {
        self.complete += 1;
    }

    /// Requests that were due before `now_ns` and have no answer.
    pub(crate) fn missing(&self, now_ns: u64) -> u64 {
        let since_ns = now_ns.saturating_sub(self.begin_ns) as f64;
        whole((since_ns / self.interval_ns).ceil()).saturating_sub(self.complete)
    }
}

fn stretch(count: u64, interval_ns: f64) -> u64 {
    whole(count as f64 * interval_ns)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "none is negative")]
fn whole(number: f64) -> u64 {
    number as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use volley_net::clock::MS;

    /// 100 a second, from 1 s on.
    fn schedule() -> Schedule {
        Schedule::new(S, 100.0)
    }

    #[test]
    fn on_time_each_is_due_an_interval_after_the_last() {
        let mut schedule = schedule();
        assert_eq!(schedule.next_ns(S), S);
        for nth in 1..5 {
            schedule.complete();
            let due_ns = S + nth * 10 * MS;
            assert_eq!(schedule.next_ns(due_ns - 7 * MS), due_ns);
            assert_eq!((schedule.due_ns(), schedule.next_ns(due_ns)), (due_ns, due_ns));
        }
    }

    #[test]
    fn after_a_late_answer_it_makes_up_for_all_at_once() {
        let mut schedule = schedule();
        assert_eq!(schedule.next_ns(S), S);
        // The first answer takes 100 ms: ten more were due meanwhile.
        for nth in 1..=10 {
            schedule.complete();
            let now_ns = S + 100 * MS + nth;
            assert!(schedule.next_ns(now_ns) <= now_ns, "{nth}");
            // Latency counts from when each was due all the same.
            assert_eq!(schedule.due_ns(), S + nth * 10 * MS);
        }
        schedule.complete();
        assert_eq!(schedule.next_ns(S + 101 * MS), S + 110 * MS);
    }

    #[test]
    fn after_a_late_beginning_it_sends_twice_as_often() {
        let mut schedule = schedule();
        // It took 100 ms to connect.
        let late_ns = S + 100 * MS;
        assert_eq!(schedule.next_ns(late_ns), late_ns);
        for nth in 1..=19 {
            schedule.complete();
            let next_ns = schedule.next_ns(late_ns + nth * 5 * MS - 1);
            assert_eq!(next_ns, late_ns + nth * 5 * MS, "{nth}");
        }
        schedule.complete();
        let caught_up_ns = S + 200 * MS;
        assert_eq!(schedule.next_ns(caught_up_ns - 1), caught_up_ns);
        // When it next falls behind, this begins anew.
        assert_eq!(schedule.next_ns(caught_up_ns + 3 * MS), caught_up_ns + 3 * MS);
    }

    #[test]
    fn requests_without_an_answer_are_missing() {
        let mut schedule = schedule();
        assert_eq!(
            [0, S, S + 1, S + 10 * MS, S + 11 * MS].map(|at| schedule.missing(at)),
            [0, 0, 1, 1, 2]
        );
        schedule.complete();
        assert_eq!(schedule.missing(S + 11 * MS), 1);
        schedule.complete();
        schedule.complete();
        assert_eq!(schedule.missing(S + 11 * MS), 0);
    }

    #[test]
    fn slow_and_fast_rates_are_exact() {
        let mut slow = Schedule::new(0, 0.001);
        slow.complete();
        assert_eq!(slow.due_ns(), 1000 * S);
        let mut third = Schedule::new(0, 3.0);
        (0..3_000_000).for_each(|_| third.complete());
        assert_eq!(third.due_ns(), 1_000_000 * S);
    }
}
