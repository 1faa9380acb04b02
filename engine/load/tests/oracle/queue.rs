//! The yardstick's queue, reimplemented: one worker, exponential service times of the same seed.

/// When each request of a queue is done.
#[derive(Debug, Clone)]
pub(crate) struct Queue {
    mean_ns: f64,
    random: MersenneTwister,
    free_ns: u64,
}

impl Queue {
    /// The queue of `--exponential MEAN --seed SEED`.
    pub(crate) fn new(mean_ns: f64, seed: u64) -> Self {
        Self { mean_ns, random: MersenneTwister::new(seed), free_ns: 0 }
    }

    /// When a request is done that arrives at that moment. Requests come in the order of time.
    pub(crate) fn end_ns(&mut self, arrival_ns: u64) -> u64 {
        let uniform = (self.random.next() >> 11) as f64 / (1_u64 << 53) as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is ≥ 0")]
        let service_ns = (-self.mean_ns * (-uniform).ln_1p()).round() as u64;
        self.free_ns = arrival_ns.max(self.free_ns) + service_ns;
        self.free_ns
    }
}

const LENGTH: usize = 312;

/// `std::mt19937_64` (Matsumoto and Nishimura 2000).
#[derive(Debug, Clone)]
struct MersenneTwister {
    state: [u64; LENGTH],
    at: usize,
}

impl MersenneTwister {
    fn new(seed: u64) -> Self {
        let mut state = [seed; LENGTH];
        for n in 1..LENGTH {
            let last = state[n - 1];
            let mixed = (last ^ (last >> 62)).wrapping_mul(6_364_136_223_846_793_005);
            state[n] = mixed.wrapping_add(n as u64);
        }
        Self { state, at: LENGTH }
    }

    fn next(&mut self) -> u64 {
        if self.at == LENGTH {
            self.twist();
        }
        let mut x = self.state[self.at];
        self.at += 1;
        x ^= (x >> 29) & 0x5555_5555_5555_5555;
        x ^= (x << 17) & 0x71d6_7fff_eda6_0000;
        x ^= (x << 37) & 0xfff7_eee0_0000_0000;
        x ^ (x >> 43)
    }

    fn twist(&mut self) {
        const LOW: u64 = (1 << 31) - 1;
        for n in 0..LENGTH {
            let x = (self.state[n] & !LOW) | (self.state[(n + 1) % LENGTH] & LOW);
            let odd = if x % 2 == 1 { 0xb502_6f5a_a966_19e9 } else { 0 };
            self.state[n] = self.state[(n + LENGTH / 2) % LENGTH] ^ (x >> 1) ^ odd;
        }
        self.at = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The C++ standard requires that value of a generator with the default seed.
    #[test]
    fn the_random_numbers_are_those_of_the_standard() {
        let mut random = MersenneTwister::new(5489);
        let last = (0..10_000).map(|_| random.next()).last();
        assert_eq!(last, Some(9_981_545_732_273_789_042));
    }

    #[test]
    fn who_comes_while_it_works_waits() {
        let ends = |arrivals: [u64; 3]| {
            let mut queue = Queue::new(1e6, 1);
            arrivals.map(|arrival_ns| queue.end_ns(arrival_ns))
        };
        // Alone, each takes its service time and no more.
        let [first, second, third] = ends([0, 1_000_000_000, 2_000_000_000]);
        let services = [first, second - 1_000_000_000, third - 2_000_000_000];
        let together = ends([5, 6, 7]);
        assert_eq!(together[0], 5 + services[0]);
        assert_eq!(together[1], together[0] + services[1]);
        assert_eq!(together[2], together[1] + services[2]);
    }
}
