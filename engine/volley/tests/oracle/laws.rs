//! Servers that answer by a law.

use crate::world::random::Random;

/// When a request that arrives at a moment is answered. Requests come in the order of time.
pub(crate) trait Law: Clone + Send + 'static {
    fn end_ns(&mut self, arrival_ns: u64) -> u64;
}

/// Every `period_ns` nothing goes on for `stall_ns`.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_field_names, reason = "units last")]
pub(crate) struct Pauses {
    /// The beginning of the first pause.
    pub(crate) start_ns: u64,
    pub(crate) period_ns: u64,
    pub(crate) stall_ns: u64,
}

impl Pauses {
    /// When work of that length is done that begins at that moment.
    fn done_ns(self, begin_ns: u64, mut work_ns: u64) -> u64 {
        let mut at_ns = begin_ns;
        loop {
            let phase_ns = (at_ns - self.start_ns) % self.period_ns;
            at_ns += self.stall_ns.saturating_sub(phase_ns);
            let left_ns = self.period_ns - phase_ns.max(self.stall_ns);
            if work_ns <= left_ns {
                return at_ns + work_ns;
            }
            work_ns -= left_ns;
            at_ns += left_ns;
        }
    }
}

/// A single server that takes the same time for each request, one after the other, and stalls.
#[derive(Debug, Clone)]
pub(crate) struct Stalling {
    pub(crate) pauses: Pauses,
    pub(crate) service_ns: u64,
    /// When it has done all that came so far.
    pub(crate) free_ns: u64,
}

impl Law for Stalling {
    fn end_ns(&mut self, arrival_ns: u64) -> u64 {
        self.free_ns = self.pauses.done_ns(arrival_ns.max(self.free_ns), self.service_ns);
        self.free_ns
    }
}

/// Any number of requests at a time, each for the same time; all of them stall together.
#[derive(Debug, Clone)]
pub(crate) struct Freezing {
    pub(crate) pauses: Pauses,
    pub(crate) delay_ns: u64,
}

impl Law for Freezing {
    fn end_ns(&mut self, arrival_ns: u64) -> u64 {
        self.pauses.done_ns(arrival_ns, self.delay_ns)
    }
}

/// Any number of requests at a time, each for the same time, but every so many-th takes longer.
#[derive(Debug, Clone)]
pub(crate) struct Hiccups {
    pub(crate) delay_ns: u64,
    pub(crate) every: u64,
    pub(crate) longer_ns: u64,
    pub(crate) count: u64,
}

impl Law for Hiccups {
    fn end_ns(&mut self, arrival_ns: u64) -> u64 {
        self.count += 1;
        let is_longer = self.count.is_multiple_of(self.every);
        arrival_ns + self.delay_ns + if is_longer { self.longer_ns } else { 0 }
    }
}

/// A single server that takes an exponential time for each request.
#[derive(Debug, Clone)]
pub(crate) struct Exponential {
    pub(crate) mean_ns: f64,
    pub(crate) random: Random,
    pub(crate) free_ns: u64,
}

impl Law for Exponential {
    fn end_ns(&mut self, arrival_ns: u64) -> u64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is > 0")]
        let service_ns = (self.random.exponential() * self.mean_ns) as u64;
        self.free_ns = arrival_ns.max(self.free_ns) + service_ns;
        self.free_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_rests_while_the_server_stalls() {
        let pauses = Pauses { start_ns: 1000, period_ns: 100, stall_ns: 40 };
        let done = |begin, work| pauses.done_ns(begin, work);
        assert_eq!([done(1000, 5), done(1039, 5), done(1040, 5)], [1045, 1045, 1045]);
        assert_eq!([done(1090, 10), done(1090, 11), done(1050, 115)], [1100, 1141, 1245]);
    }

    #[test]
    fn a_queue_forms_behind_a_stall() {
        let pauses = Pauses { start_ns: 0, period_ns: 1000, stall_ns: 100 };
        let mut law = Stalling { pauses, service_ns: 10, free_ns: 0 };
        let ends = [0, 50, 90, 115, 300].map(|arrival_ns| law.end_ns(arrival_ns));
        assert_eq!(ends, [110, 120, 130, 140, 310]);
    }
}
